internal import BlockABI
private import BlockRuntimeThreads
package import CodeSymbols

/// How a traced block came to its queue.
public struct TraceSubmission: Sendable {
  /// The queue that the block was sent to.
  public let queue: TracedQueue?

  /// The time at which it was sent, by the clock of the record's start; nil if it runs repeatedly,
  /// as the handler of a source does.
  public let nanoseconds: UInt64?

  /// The kernel's number of the thread that sent it.
  public let thread: Int32

  /// The Swift task that sent it; nil for none.
  public let task: TracedTask?

  /// The function of libdispatch that it was given to, such as `dispatch_async`.
  public var function: String { way.function }

  /// The function that sent it: the innermost one outside of libdispatch and Foundation, or one of
  /// Foundation's where these alone were on the stack; and, if more were asked for, the functions
  /// around it.
  public let callers: [TraceCaller]

  /// The quality of service with which it was sent: a task's priority, that of the sender's queue
  /// if the sender waits for the block, and otherwise that of the queue; nil if that has none of
  /// its own, or is not known.
  public let qualityOfService: TracedQuality?

  /// Whether the time until the block began is what the program asked for, by a delay or by what
  /// must end first, such as earlier iterations, rather than the queue's.
  public var isDelayed: Bool { way.isDelayed }

  /// Whether a Swift task is sent.
  package var isTask: Bool { way.isTask }

  /// Whether the sender waits for the block.
  package var isSynchronous: Bool { way.isSynchronous }

  let way: SubmissionWay
}

extension [TraceCaller] {
  /// The functions, the innermost first, up to the program's main function, to libdispatch or to
  /// one without a name; empty if they are not known.
  package var chain: String { chain { _ in "" } }

  /// The functions likewise, each with a text behind its name.
  package func chain(_ suffix: (TraceCaller) -> String) -> String {
    var names: [String] = []
    for caller in prefix(4) {
      guard names.isEmpty || caller.name?.hasPrefix("_dispatch_") == false else { break }
      let name = caller.shortTitle
      names.append(name + suffix(caller))
      if name == "main" || name.hasSuffix("_main") { break }
    }
    return names.joined(separator: " ← ")
  }
}

/// A function that sent a block to a queue.
public final class TraceCaller: Sendable {
  /// The demangled name of a Swift function, the symbol of any other; nil if no image has one.
  public let name: String?

  /// The path of the program or shared library; nil if no image holds the code.
  public let image: String?

  /// The address in the function to which the call returned.
  public let address: UInt

  /// Where the call is in a file; nil if no image holds it.
  package let place: CodePlace?

  private let memo = Locked<String?>(nil)
  private let moduleMemo = Locked<Bool?>(nil)

  init(name: String?, image: String?, address: UInt, place: CodePlace?) {
    self.place = place
    self.name = name
    self.image = image
    self.address = address
  }

  /// Whether the function is written in the module `Swift`, though it may be part of the program.
  var isOfSwift: Bool {
    if let known = moduleMemo.withLock({ $0 }) { return known }
    let found = name.flatMap { SwiftName.module(DemangledText($0)) } == "Swift"
    moduleMemo.withLock { $0 = found }
    return found
  }

  /// The name in a form that is short enough for a line, as that of a `TraceSubject`; nil without a
  /// name.
  public var shortName: String? { name.map { ShortName.make($0, knownIn: memo) } }

  /// The short name, or the address if there is none.
  var shortTitle: String { shortName ?? hexadecimalAddress }

  private var hexadecimalAddress: String { "0x" + String(address, radix: 16) }
}

extension TraceCaller: CustomStringConvertible {
  /// The name, or the address if there is none.
  public var description: String { name ?? hexadecimalAddress }
}
