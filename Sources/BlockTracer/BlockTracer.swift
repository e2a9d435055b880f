internal import BlockHooks
internal import CBlockTracer
internal import CallTracing
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
  let isFirst = isFirstProgram(settings.directory)
  do {
    let stream = try TraceStreamWriter(
      directory: settings.directory, capacity: settings.capacity)
    // Nobody removes it: it ends with the process.
    let tracer = Tracer(stream)
    do throws(InterposingError) { try trace(with: tracer, settings) } catch {
      refuse(error, isFirst: isFirst, tracer, stream, settings)
    }
  } catch {
    report("\(error)")
  }
}

/// Whether no other program of the trace has begun: this one was started by who traces.
private func isFirstProgram(_ directory: String) -> Bool {
  // SAFETY: the path is a C string for the duration of the call.
  let file = unsafe open("\(directory)/begun", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
  guard file >= 0 else { return false }
  close(file)
  return true
}

/// Tells who traces why nothing can be traced.
///
/// The program ends before it begins, if it was started to be traced and nothing can change that. Else
/// what it loads is waited for.
private func refuse(
  _ error: InterposingError, isFirst: Bool, _ tracer: Tracer, _ stream: TraceStreamWriter,
  _ settings: TraceSettings
) {
  // A library that is there and lacks the function will not get it.
  let mayBeLoaded =
    error.code == .libraryNotFound
    || settings.library == nil && [.symbolNotFound, .ambiguousSymbol].contains(error.code)
  let endsProgram =
    isFirst && !(mayBeLoaded && Newcomers.arePossible(settings.followsPrograms))
  stream.refuse(TraceRefusal(error, endsProgram: endsProgram))
  if endsProgram { _exit(127) }
  guard mayBeLoaded else { return }
  ImportedFunction.whenObjectsAreLoaded {
    do throws(InterposingError) { try trace(with: tracer, settings) } catch {
      stream.refuse(TraceRefusal(error, endsProgram: false))
      return false
    }
    stream.accept()
    return true
  }
}

extension TraceRefusal {
  fileprivate init(_ error: InterposingError, endsProgram: Bool) {
    self.init(code: error.code.rawValue, message: error.message, endsProgram: endsProgram)
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
