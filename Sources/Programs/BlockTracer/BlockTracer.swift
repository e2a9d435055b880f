internal import BlockHooks
internal import CBlockTracer
internal import CallTracing
private import Glibc
private import Invocations
internal import QueueTracing
internal import SymbolInterposing

/// The entry point of the library that `hook-demo trace` and `interpose` preload into programs.
///
/// It does what the variable `BLOCK_TRACER` requests, and nothing if that is not set.
#if compiler(>=6.3)
@c @implementation
#else
@_cdecl("blockTracerStart")
#endif
public func blockTracerStart() {
  // SAFETY: the variable is a C string, and no thread changes the environment yet.
  let text = unsafe getenv(TraceSettings.variable).map { unsafe String(cString: $0) }
  guard let settings = text.flatMap(TraceSettings.init) else { return }
  // A program that begins after the tracing command has ended is left alone, and what it starts:
  // the directory may become another trace's.
  let isTraced = TraceDirectory.isCollected(settings.directory)
  if !settings.followsPrograms || !isTraced { leaveEnvironment() }
  guard isTraced else { return }
  let isFirst = isFirstProgram(settings.directory)
  do {
    let stream = try TraceStreamWriter(
      directory: settings.directory, capacity: settings.capacity)
    // The trace is never removed: it ends with the process.
    var options = TraceOptions()
    if !settings.recordsValues { options.valueByteLimit = 0 }
    let tracer = Tracer(stream, options: options)
    if !(settings.swiftCalls + settings.swiftDurations).isEmpty {
      countSwiftCalls(settings, isFirst: isFirst, tracer, stream)
    }
    do throws(InterposingError) {
      try ImportedFunction.together { () throws(InterposingError) in
        if settings.tracesBlocks { try traceBlocks(with: tracer, settings) }
        for function in TracedFunction.all(of: settings) {
          do throws(InterposingError) { try function.trace(with: tracer, settings) } catch {
            refuse(error, function, isFirst: isFirst, tracer, stream, settings)
          }
        }
        if settings.tracesLoops { traceLoops(with: tracer, settings) }
      }
    } catch {
      refuse(error, endsProgram: isFirst, stream)
    }
  } catch {
    report("\(error)")
  }
}

/// Whether this is the first program of the trace, which the tracing command started itself.
private func isFirstProgram(_ directory: String) -> Bool {
  // SAFETY: the path is null-terminated for the duration of the call.
  let file = unsafe open("\(directory)/begun", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
  guard file >= 0 else { return false }
  close(file)
  return true
}

/// Reports to the tracing command why nothing can be traced.
private func refuse(
  _ error: InterposingError, endsProgram: Bool, _ stream: TraceStreamWriter
) {
  stream.refuse(TraceRefusal(error, endsProgram: endsProgram))
  if endsProgram { _exit(127) }
}

/// Counts calls of Swift functions, and times them.
///
/// If the command started this program, and it is the one that has the functions, it ends before it
/// begins where there are none. Others need not have them.
private func countSwiftCalls(
  _ settings: TraceSettings, isFirst: Bool, _ tracer: Tracer, _ stream: TraceStreamWriter
) {
  do throws(SwiftCalls.Refusal) {
    try SwiftCalls.count(settings, tracer)
  } catch {
    guard isFirst, Newcomers.isSwiftProgram || !Newcomers.arePossible(settings.followsPrograms)
    else { return }
    stream.refuse(TraceRefusal(code: error.code, message: error.message, endsProgram: true))
    _exit(127)
  }
}

/// Reports to the tracing command why a function cannot be traced.
///
/// If the command started this program and the error cannot be resolved, the program ends before it
/// begins. Otherwise tracing is tried again whenever objects are loaded.
private func refuse(
  _ error: InterposingError, _ function: TracedFunction, isFirst: Bool, _ tracer: Tracer,
  _ stream: TraceStreamWriter, _ settings: TraceSettings
) {
  // A library that is loaded without the function will not get it later.
  let mayBeLoaded =
    error.code == .libraryNotFound
    || settings.library == nil && [.symbolNotFound, .ambiguousSymbol].contains(error.code)
  let endsProgram =
    isFirst && !(mayBeLoaded && Newcomers.arePossible(settings.followsPrograms))
  refuse(error, endsProgram: endsProgram, stream)
  guard mayBeLoaded else { return }
  ImportedFunction.whenObjectsAreLoaded {
    do throws(InterposingError) { try function.trace(with: tracer, settings) } catch {
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

private func traceBlocks(
  with tracer: Tracer, _ settings: TraceSettings
) throws(InterposingError) {
  let filter = BlockFilter(settings)
  _ = try QueueTrace.begin(
    with: tracer, matching: filter, callerCount: settings.callerCount)
  _ = try EveryBlock(matching: filter).install(.tracing(with: tracer))
}

/// Traces the waits of event loops, but for that of libdispatch's own.
private func traceLoops(with tracer: Tracer, _ settings: TraceSettings) {
  let images = ImageFilter(exclude: ["libdispatch.so*"], excludesOwnImage: true)
  // Those that the command names itself are traced already; what is not there, no loop calls.
  for name in LoopWaits.names.sorted()
  where !settings.functions.contains(where: { $0.hasPrefix("\(name)=") }) {
    try? ImportedFunction(name, in: images)
      .trace(with: tracer, callerCount: settings.callerCount, as: .wait)
  }
}

/// A C function whose calls are traced.
private struct TracedFunction: Sendable {
  let name: String
  let signature: String

  /// The functions that the command names.
  static func all(of settings: TraceSettings) -> [TracedFunction] {
    settings.functions.map { function in
      let parts = function.split(separator: "=", maxSplits: 1)
      return TracedFunction(
        name: String(parts.first ?? ""), signature: parts.count > 1 ? String(parts[1]) : "")
    }
  }

  func trace(with tracer: Tracer, _ settings: TraceSettings) throws(InterposingError) {
    // The command's user vouches for the signature.
    let imported = try ImportedFunction(
      name, library: settings.library, interface: CallInterface.hooked(name, signature),
      in: ImageFilter(
        include: settings.images, exclude: settings.excludedImages, excludesOwnImage: true))
    // The fault first: if the function cannot have it, nothing is installed.
    if let fault = settings.fault { try imported.install(fault.definition(recordedBy: tracer)) }
    try imported.trace(with: tracer, callerCount: settings.callerCount)
  }
}

/// Removes this library, which comes first, from the environment of programs that are started from
/// now on.
private func leaveEnvironment() {
  let name = "LD_PRELOAD"
  // SAFETY: the variable is a C string, and no thread uses the environment yet.
  let preloaded = unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  let others = preloaded.split(separator: ":").dropFirst().joined(separator: ":")
  _ = unsafe others.isEmpty ? unsetenv(name) : setenv(name, others, 1)
  unsafe unsetenv(TraceSettings.variable)
}

private func report(_ message: String) {
  let line = Array("hook-demo: process \(getpid()) is not traced: \(message)\n".utf8)
  // SAFETY: the buffer has the length that is passed to `write`.
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

/// Libraries and programs that may bring a function which the program and its libraries lack.
enum Newcomers {
  private static let loading: Set = ["dlopen", "dlmopen"]

  private static let starting: Set = [
    "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve",
    "popen", "posix_spawn", "posix_spawnp", "system",
  ]

  /// The libraries that this library needs, through which the program would not load or start
  /// anything.
  private static let ownLibraries = [
    "libswift*", "libdispatch.so*", "libBlocksRuntime.so*", "libffi.so*", "libstdc++.so*",
  ]

  /// Whether the program itself is written in Swift.
  static var isSwiftProgram: Bool {
    let program = ImageFilter(include: ["*"], exclude: ["*.so", "*.so.*"])
    return ImportSlot.all(in: program).contains { $0.symbol.hasPrefix("swift_") }
  }

  /// Whether the program can load libraries, or start programs if those are traced.
  static func arePossible(_ followsPrograms: Bool) -> Bool {
    let ways = followsPrograms ? loading.union(starting) : loading
    let images = ImageFilter(exclude: ownLibraries, excludesOwnImage: true)
    return ImportSlot.all(in: images).contains { ways.contains($0.symbol) }
  }
}
