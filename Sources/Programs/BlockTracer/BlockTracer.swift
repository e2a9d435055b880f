internal import CBlockTracer
internal import TracerStart

/// The entry point of the library that `hook-demo trace` and `interpose` preload into programs.
#if compiler(>=6.3)
@c @implementation
#else
@_cdecl("blockTracerStart")
#endif
public func blockTracerStart() { startTracer(.preloaded(SwiftCalls.count)) }
