internal import BlockHooks
internal import CallTracing
private import Glibc
internal import QueueTracing
internal import SymbolInterposing

/// The trace of this process: a stream, and what is hooked.
///
/// One thread at a time uses it. It is never removed: it ends with the process.
final class ProgramTrace {
  private let settings: TraceSettings
  private let stream: TraceStreamWriter
  private let tracer: Tracer

  /// Whether the command started this program, which has not begun: it ends if it cannot be traced.
  private let mayEndProgram: Bool

  private var hasStarted = false
  private var queues: QueueTrace?
  private var blocks = HookSet()
  private let functions: TracedFunctions
  private var loops: HookSet?

  /// Creates the stream; nothing is hooked.
  ///
  /// - Throws: `outputUnavailable`.
  init(_ settings: TraceSettings, mayEndProgram: Bool) throws(TraceError) {
    self.settings = settings
    self.mayEndProgram = mayEndProgram
    stream = try TraceStreamWriter(directory: settings.directory, capacity: settings.capacity)
    var options = TraceOptions()
    if !settings.recordsValues { options.valueByteLimit = 0 }
    tracer = Tracer(stream, options: options)
    functions = TracedFunctions(settings, tracer, stream, mayEndProgram: mayEndProgram)
  }

  /// Counts calls of Swift functions, and times them, if the settings name any.
  ///
  /// If the command started this program, and it is the one that has the functions, it ends before
  /// it begins where there are none. Others need not have them.
  func countSwiftCalls(by count: SwiftCallCounting) {
    guard !(settings.swiftCalls + settings.swiftDurations).isEmpty else { return }
    do throws(SwiftCallRefusal) {
      try count(settings, tracer)
    } catch {
      guard mayEndProgram,
        Newcomers.isSwiftProgram || !Newcomers.arePossible(settings.followsPrograms)
      else { return }
      stream.refuse(TraceRefusal(code: error.code, message: error.message, endsProgram: true))
      _exit(127)
    }
  }

  /// Hooks all that is traced, or hooks it again.
  func start() {
    // What was refused before is tried again.
    if hasStarted { stream.accept() }
    hasStarted = true
    do throws(InterposingError) {
      try ImportedFunction.together { () throws(InterposingError) in
        if settings.tracesBlocks { try startBlocks() }
        try functions.start()
        try startLoops()
      }
    } catch {
      stream.refuse(TraceRefusal(error, endsProgram: mayEndProgram))
      if mayEndProgram { _exit(127) }
    }
  }

  /// Puts all slots back.
  ///
  /// What was sent to queues before is still recorded when it runs.
  func stop() {
    functions.stopSearching()
    // A slot that cannot be written leads to a function without hooks.
    try? ImportedFunction.together {
      queues?.suspend()
      functions.stop()
      loops?.suspendAll()
    }
  }

  /// Records nothing more of what was sent to queues before `stop`.
  func end() { blocks.suspendAll() }

  private func startBlocks() throws(InterposingError) {
    let filter = BlockFilter(settings)
    if let queues {
      try queues.resume()
    } else {
      queues = try QueueTrace.begin(
        with: tracer, matching: filter, callerCount: settings.callerCount)
    }
    guard blocks.isEmpty else { return try blocks.resumeAll() }
    blocks.add(try EveryBlock(matching: filter).install(.tracing(with: tracer)))
  }

  /// Traces the waits of event loops, but for that of libdispatch's own.
  private func startLoops() throws(InterposingError) {
    guard settings.tracesLoops else { return }
    if let loops { return try loops.resumeAll() }
    let images = ImageFilter(
      exclude: ["libdispatch.so*"], excludesOwnImage: !ImageFilter.containsLibraries)
    var hooks = HookSet()
    // Those that the command names itself are traced already; what is not there, no loop calls.
    for name in LoopWaits.names.sorted()
    where !settings.functions.contains(where: { $0.hasPrefix("\(name)=") }) {
      let hook = try? ImportedFunction(name, in: images)
        .trace(with: tracer, callerCount: settings.callerCount, as: .wait)
      if let hook { hooks.add(hook) }
    }
    loops = hooks
  }
}

extension TraceRefusal {
  init(_ error: InterposingError, endsProgram: Bool) {
    self.init(code: error.code.rawValue, message: error.message, endsProgram: endsProgram)
  }
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
