internal import CStaticTracing
private import CSymbolInterposing.ContainedLibraries
private import CallTracing
private import CodeSymbols
private import Glibc
internal import TracerStart

/// The start of the tracer in a program that contains it, before the program's main function.
#if compiler(>=6.3)
@c @implementation
#else
@_cdecl("startStaticTracing")
#endif
public func startStaticTracing() {
  // SAFETY: the variable is only compared; the copies of the beginnings stay as long as the process
  // lives.
  guard unsafe getenv(TraceSettings.variable) != nil, cbr_add_static_functions() else { return }
  for beginning in CodeSymbol.ownPrefixes {
    if let copy = unsafe strdup(beginning) { unsafe cbr_add_own_symbols(copy) }
  }
  startTracer(.contained)
}
