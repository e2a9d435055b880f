internal import BlockABI
private import BlockRuntimeThreads
private import CBlockRuntimeThreads.AddressTable
internal import CallTracing
internal import Invocations
internal import SymbolInterposing

/// What Swift tasks run, by the addresses of the tasks.
///
/// Threads that run tasks take no lock.
@safe
final class TaskFunctions: Sendable {
  // SAFETY: the tables are freed with this object. An entry of `traces` is written once, before its
  // number is stored in the table of tasks, and its trace is released with this object.

  /// What is known of a task.
  struct Known {
    /// The number of the trace of what it runs; 0 if that is not known.
    let trace: UInt32

    /// Whether its creation or its first way to a queue was seen.
    let isCreated: Bool

    /// Whether its name was asked for.
    let isNamed: Bool
  }

  private typealias Trace = Unmanaged<OpaqueCallTrace>

  private static let limit = 4096

  /// Instead of the number of a trace: the filter leaves the task out.
  private static let excluded: UInt32 = 0x3FFF

  nonisolated(unsafe) private let tasks: UnsafeMutablePointer<cbr_address_table>
  nonisolated(unsafe) private let traces: UnsafeMutablePointer<Trace?>
  nonisolated(unsafe) private let suspensions: UnsafeMutablePointer<cbr_address_table>

  private struct Numbers: Sendable {
    /// The numbers of the traces by the addresses of the code.
    var byAddress: [UInt: UInt32] = [:]

    /// How many numbers were given.
    var count: UInt32 = 0
  }

  private let numbers = Locked(Numbers())

  private let closures = TaskClosures()
  private let tracer: Tracer
  private let submissions: SubmissionTrace
  private let interface: CallInterface

  init?(_ tracer: Tracer, _ submissions: SubmissionTrace) {
    guard let interface = try? CallInterface.of("v"),
      let unknown = unsafe OpaqueCallTrace(tracer, functionAt: nil, interface, isTask: true),
      let tasks = unsafe cbr_address_table_create(16),
      let suspensions = unsafe cbr_address_table_create(10)
    else { return nil }
    self.tracer = tracer
    self.submissions = submissions
    self.interface = interface
    unsafe self.tasks = unsafe tasks
    unsafe self.suspensions = unsafe suspensions
    unsafe traces = .allocate(capacity: Self.limit)
    unsafe traces.initialize(repeating: nil, count: Self.limit)
    unsafe traces[0] = unsafe .passRetained(unknown)
  }

  deinit {
    for index in 0..<Self.limit { unsafe traces[index]?.release() }
    unsafe traces.deallocate()
    unsafe cbr_address_table_free(tasks)
    unsafe cbr_address_table_free(suspensions)
  }

  // MARK: - Tasks

  /// A word of the table: 48 bits of the task's number, the trace's number, and two marks.
  private enum Word {
    static let number: UInt64 = (1 << 48) - 1
    static let created: UInt64 = 1 << 62
    static let named: UInt64 = 1 << 63
  }

  /// What is known of a task.
  func known(_ task: UnsafeRawPointer, number: UInt64) -> Known {
    let word = unsafe self.word(task, number)
    return Known(
      trace: UInt32(truncatingIfNeeded: word >> 48) & 0x3FFF, isCreated: word & Word.created != 0,
      isNamed: word & Word.named != 0)
  }

  /// The number of the task at an address, which may be any; nil if none is known there.
  func number(of address: UnsafeRawPointer) -> UInt64? {
    let word = unsafe cbr_address_word(tasks, UInt(bitPattern: address))
    return word == 0 ? nil : word & Word.number
  }

  /// The word of a task, without that of an earlier task at its address.
  private func word(_ task: UnsafeRawPointer, _ number: UInt64) -> UInt64 {
    let word = unsafe cbr_address_word(tasks, UInt(bitPattern: task))
    return word & Word.number == number & Word.number ? word : 0
  }

  /// Stores what a task runs.
  func store(_ task: UnsafeRawPointer, number: UInt64, running code: UnsafeRawPointer?) {
    let trace = unsafe code.map { unsafe self.number(ofTraceFor: $0) } ?? 0
    let word = number & Word.number | UInt64(trace) << 48 | Word.created
    _ = unsafe cbr_address_store(tasks, UInt(bitPattern: task), word)
  }

  /// Leaves out a task.
  func exclude(_ task: UnsafeRawPointer, number: UInt64) {
    let word = number & Word.number | UInt64(Self.excluded) << 48 | Word.created
    _ = unsafe cbr_address_store(tasks, UInt(bitPattern: task), word)
  }

  /// Stores that a task's name is known or was asked for; only the thread that creates or runs it
  /// does.
  func markNamed(_ task: UnsafeRawPointer, number: UInt64) {
    let word = unsafe self.word(task, number) | number & Word.number | Word.named
    _ = unsafe cbr_address_store(tasks, UInt(bitPattern: task), word)
  }

  // MARK: - Traces

  /// The trace of a number; nil if the filter leaves the task out.
  func trace(_ number: UInt32) -> OpaqueCallTrace? {
    guard number < Self.limit else { return nil }
    return unsafe traces[Int(number)]?.takeUnretainedValue()
  }

  /// The number of the trace of code that tasks run.
  private func number(ofTraceFor code: UnsafeRawPointer) -> UInt32 {
    let address = UInt(bitPattern: code)
    if let known = ForkGate.inside({ numbers.withLock { $0.byAddress[address] } }) ?? nil {
      return known
    }
    // The image's file may be read, so `numbers` is not locked. The tracer has locks, too, which a
    // fork of another thread must not leave taken.
    let made = ForkGate.inside {
      unsafe submissions.admits(codeAt: code)
        ? unsafe OpaqueCallTrace(tracer, functionAt: code, interface, isTask: true) : nil
    }
    guard let trace = made else { return 0 }
    let number = ForkGate.inside {
      numbers.withLock { numbers -> UInt32 in
        if let present = numbers.byAddress[address] { return present }
        guard let trace else {
          numbers.byAddress[address] = Self.excluded
          return Self.excluded
        }
        let number = numbers.count + 1
        guard number < Self.limit else { return 0 }
        numbers.count = number
        unsafe traces[Int(number)] = unsafe .passRetained(trace)
        numbers.byAddress[address] = number
        return number
      }
    }
    return number ?? 0
  }

  /// Forgets what is known of addresses of code, other than the traces of tasks: other code may be
  /// there.
  func forgetCode() {
    let forgotten = numbers.withLock { numbers in
      defer { numbers.byAddress = [:] }
      return numbers.byAddress
    }
    withExtendedLifetime(forgotten) {}
    closures.forget()
    unsafe cbr_address_clear(suspensions)
  }

  /// The code behind what the compiler passes for a task to run: the closure's, behind thunks.
  ///
  /// - Parameters:
  ///   - entry: The address of an async function pointer.
  ///   - context: The closure's context.
  /// - Returns: The address of the code.
  func code(of entry: UnsafeRawPointer?, _ context: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe closures.code(of: entry, context)
  }

  // MARK: - Suspensions

  /// Why a task ceases to run, by the function that saves the thread's state.
  private static let reasons: [(part: String, suspension: TaskSuspension)] = [
    ("waitFuture", .task), ("taskGroup_wait", .group), ("continuation", .continuation),
    ("flagAsAndEnqueueOnExecutor", .executor), ("task_switch", .executor),
  ]

  /// Why the hooked function that saves the thread's state is called.
  var suspension: TaskSuspension {
    guard let caller = unsafe ReentrancyGuard.caller else { return .suspended }
    let address = UInt(bitPattern: caller)
    let known = unsafe cbr_address_word(suspensions, address)
    if let known = TaskSuspension(rawValue: UInt8(truncatingIfNeeded: known)) { return known }
    let name = unsafe CodeSymbol(at: caller - 1)?.mangledName ?? ""
    let found = Self.reasons.first { name.contains($0.part) }?.suspension ?? .suspended
    _ = unsafe cbr_address_store(suspensions, address, UInt64(found.rawValue))
    return found
  }
}
