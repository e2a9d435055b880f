import BlockRuntime

/// The receivers of the messages of `hook-demo forward`: three sailors, their crew, and a delegate.
struct ForwardScene {
  let log = ForwardLog()
  let ada: ForwardSailor
  let bo: ForwardSailor
  let cy: ForwardSailor

  /// Forwards messages to all sailors.
  let crew: MultiTargetProxy

  /// Answers the messages of a watch with blocks.
  let watch: DynamicDelegate

  init() throws(MessageError) {
    ada = ForwardSailor("Ada", ropes: 0, log)
    bo = ForwardSailor("Bo", ropes: 2, log)
    cy = ForwardCook("Cy", ropes: 3, log)
    let log = log
    crew = MultiTargetProxy(weak: [ada, bo, cy]) { _, _, error in
      log.note("error: \(error.underlyingError.map { "\($0)" } ?? error.message)")
    }
    watch = DynamicDelegate(
      try MessageProtocol(
        "Watch",
        [
          .required("watch:didSee:", signature: "v@:@i"),
          .required("isAwake", signature: "B@:"),
          .optional("sing", signature: "v@:"),
        ]))
  }
}

/// The names of the receivers of a message, in order.
final class ForwardLog: @unchecked Sendable {
  // SAFETY: the demonstration sends all messages on one thread.
  private var names: [String] = []

  func note(_ name: String) { names.append(name) }

  /// Returns the names so far, and clears the log.
  func take() -> [String] {
    defer { names = [] }
    return names
  }
}

/// A target of messages.
class ForwardSailor: MessageReceiver {
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "not at night" }
  }

  let name: String
  let ropes: Int32
  let log: ForwardLog

  init(_ name: String, ropes: Int32, _ log: ForwardLog) {
    self.name = name
    self.ropes = ropes
    self.log = log
  }

  func alert(_ text: String) { log.note(name) }

  func count() -> Int32 {
    log.note(name)
    return ropes
  }

  func isReady() -> Bool {
    log.note(name)
    return ropes > 0
  }

  func find(_ thing: String) -> String? {
    log.note(name)
    return ropes > 0 ? "\(name)'s \(thing)" : nil
  }

  func climb() throws {
    log.note(name)
    if ropes == 2 { throw Refusal() }
  }

  class var methods: MethodTable {
    MethodTable(ForwardSailor.self) {
      Method("alert:", ForwardSailor.alert)
      Method("count", ForwardSailor.count)
      Method("isReady", ForwardSailor.isReady)
      Method("find:", ForwardSailor.find)
      Method("climb", ForwardSailor.climb)
    }
  }
}

/// A sailor that answers one more message.
final class ForwardCook: ForwardSailor {
  func cook() -> String {
    log.note(name)
    return "soup"
  }

  override class var methods: MethodTable {
    MethodTable(ForwardCook.self) { Method("cook", ForwardCook.cook) }
  }
}
