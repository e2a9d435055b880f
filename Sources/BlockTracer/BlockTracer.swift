internal import BlockHooks
internal import CBlockTracer
private import Glibc
internal import SymbolInterposing

/// The beginning of the library that `hook-demo trace` and `interpose` have loaded into programs.
///
/// It does what the variable `BLOCK_TRACER` says, and nothing where there is none.
@c @implementation
public func blockTracerStart() {
  // SAFETY: the variable is a C string, and nothing changes the environment meanwhile.
  let text = unsafe getenv(TraceSettings.variable).map { unsafe String(cString: $0) }
  guard let settings = text.flatMap(TraceSettings.init) else { return }
  if !settings.followsPrograms { leaveEnvironment() }
  // What begins after the command that traced it has ended is left alone.
  // SAFETY: the path is a C string for the duration of the call.
  guard unsafe access(settings.directory, F_OK) == 0 else { return }
  do {
    let stream = try TraceStreamWriter(
      directory: settings.directory, capacity: settings.capacity)
    // Nobody removes it: it ends with the process.
    try trace(with: Tracer(stream), settings)
  } catch {
    report("\(error)")
  }
}

private func trace(with tracer: Tracer, _ settings: TraceSettings) throws(InterposingError) {
  guard let function = settings.function else {
    _ = try EveryBlock.trace(with: tracer, matching: BlockFilter(settings))
    return
  }
  // SAFETY: the signature is that which the command was given.
  let imported = unsafe try ImportedFunction(
    function, library: settings.library, signature: settings.functionSignature,
    in: ImageFilter(
      include: settings.images, exclude: settings.excludedImages, excludesOwnImage: true))
  try imported.trace(with: tracer)
}

/// Has programs that are started from now on begin without this library, which was put first.
private func leaveEnvironment() {
  let name = "LD_PRELOAD"
  // SAFETY: the variable is a C string, and the program has not begun.
  let preloaded = unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  let others = preloaded.split(separator: ":").dropFirst().joined(separator: ":")
  _ = unsafe others.isEmpty ? unsetenv(name) : setenv(name, others, 1)
  unsafe unsetenv(TraceSettings.variable)
}

private func report(_ message: String) {
  let line = Array("hook-demo: process \(getpid()) is not traced: \(message)\n".utf8)
  // SAFETY: the buffer is as long as `write` is told.
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

extension BlockFilter {
  fileprivate init(_ settings: TraceSettings) {
    self.init()
    images.include = settings.images
    images.exclude += settings.excludedImages
    symbols = settings.symbols
    excludedSymbols = settings.excludedSymbols
    signatures = settings.signatures
    queues = settings.queues
  }
}
