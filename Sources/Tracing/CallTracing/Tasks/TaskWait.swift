/// The wait of a suspended task: for what, and in which functions.
public struct TaskWait: Sendable {
  /// The actor on which the task goes on; nil for none, or if that is not known.
  public let actor: TracedActor?

  /// The task whose result it awaits; nil for none, or if that is not known.
  public let task: TracedTask?

  /// All functions that were recorded.
  private let recorded: [TraceCaller]

  init(actor: TracedActor?, task: TracedTask?, in functions: [TraceCaller]) {
    (self.actor, self.task, recorded) = (actor, task, functions)
  }

  /// The async functions in which it is suspended, the innermost first, without those of Swift's
  /// concurrency library; at most eight are recorded.
  public var functions: [TraceCaller] {
    var places: [TraceCaller] = []
    for function in recorded where function.isOfProgram {
      // Parts of one function follow each other.
      if places.last?.shortTitle != function.shortTitle { places.append(function) }
    }
    return places
  }

  /// The function of the concurrency library that suspends it, such as `withCheckedContinuation`;
  /// nil if none of these functions called one.
  public var operation: TraceCaller? {
    recorded.prefix { !$0.isOfProgram }.last(where: \.isOperation)
  }

  /// The identities of the functions, by which waits are told apart.
  package var recordedFunctions: [ObjectIdentifier] { recorded.map(ObjectIdentifier.init) }

  /// The functions in words: `in Store.load ← handle (withCheckedContinuation)`; empty if none is
  /// known.
  ///
  /// - Parameter task: What the task runs, which is left out behind others.
  /// - Returns: The words.
  package func place(in task: TraceSubject) -> String {
    var names = functions.prefix(3).map(\.shortTitle)
    if names.count > 1, names.last == task.shortTitle { names.removeLast() }
    let operation = operation.map { "(\($0.shortTitle))" }
    let chain = names.isEmpty ? [] : ["in", names.joined(separator: " ← ")]
    return (chain + [operation].compactMap(\.self)).joined(separator: " ")
  }
}

/// Who resumed a task's continuation.
public struct TaskResumption: Sendable {
  /// The task that did so; nil if it was no task.
  public let task: TracedTask?

  /// The kernel's number of the thread that did so.
  public let thread: Int32

  /// The time, by the clock of the record's start.
  public let nanoseconds: UInt64

  /// The function that did so, and those around it, as for submissions.
  public let callers: [TraceCaller]

  /// The function and the task, or the thread, in words.
  package var words: String {
    let place = callers.first(where: \.isOfProgram).map { "\($0.shortTitle) on " } ?? ""
    return place + (task.map(\.description) ?? "thread \(thread)")
  }
}

extension TraceCaller {
  /// Whether the function is written neither in Swift's own libraries nor by the compiler.
  fileprivate var isOfProgram: Bool { !isOfConcurrency && !isOfSwift && shortTitle != "thunk" }

  /// Whether the function is one that programs call to wait.
  fileprivate var isOperation: Bool { isOfSwift && shortTitle != "thunk" }

  /// A program may contain the library: its functions in C++ that suspend tasks take a context.
  private var isOfConcurrency: Bool {
    image?.split(separator: "/").last?.hasPrefix("libswift_Concurrency.so") == true
      || name?.contains("(swift::AsyncContext*") == true
  }
}
