import BlockRuntime
import CommandOptionsAndResults

/// The receivers of the messages of `hook-demo forward`: three sailors, their crew, and a delegate.
struct CrewScene: Scene {
  static let title = "BlockRuntime: messages"
  static let jsonName = "steps"

  let log = SceneLog<String>()
  let ada: CrewMember
  let bo: CrewMember
  let cy: CrewMember

  /// Forwards messages to all sailors.
  let crew: MultiTargetProxy

  /// Answers the messages of a watch with blocks.
  let watch: DynamicDelegate

  init() throws {
    ada = CrewMember("Ada", ropes: 0, log)
    bo = CrewMember("Bo", ropes: 2, log)
    cy = Cook("Cy", ropes: 3, log)
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

  static func name(_ entry: String) -> String { entry }

  static func lines(_ outcomes: [SceneOutcome<Self>], _ style: TextStyle) -> [[String]] {
    [[]]
      + outcomes.map { outcome in
        (outcome.told.isEmpty ? [] : ["  → \(outcome.told.joined(separator: ", "))"])
          + outcome.answer.split(separator: "\n").map { "  = \($0)" }
      }
  }

  static func summary(_ outcomes: [SceneOutcome<Self>]) -> String {
    "\(outcomes.count) steps: each message reached whom it was to reach, in order"
  }

  static func json(_ outcome: SceneOutcome<Self>) -> JSONValue {
    .object([
      ("chapter", .string(outcome.chapter)), ("step", .string(outcome.step.code)),
      ("told", .array(outcome.told.map { .string($0) })), ("answer", .string(outcome.answer)),
    ])
  }
}

/// A target of messages.
class CrewMember: MessageReceiver {
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "not at night" }
  }

  let name: String
  let ropes: Int32
  let log: SceneLog<String>

  init(_ name: String, ropes: Int32, _ log: SceneLog<String>) {
    self.name = name
    self.ropes = ropes
    self.log = log
  }

  /// Notes the name, and returns an answer.
  private func noted<Answer>(_ answer: Answer) -> Answer {
    log.note(name)
    return answer
  }

  class var methods: MethodTable {
    MethodTable(CrewMember.self) {
      Method("alert:") { (member: CrewMember, _: String) in member.log.note(member.name) }
      Method("count") { (member: CrewMember) in member.noted(member.ropes) }
      Method("isReady") { (member: CrewMember) in member.noted(member.ropes > 0) }
      Method("find:") { (member: CrewMember, thing: String) -> String? in
        member.noted(member.ropes > 0 ? "\(member.name)'s \(thing)" : nil)
      }
      Method("climb") { (member: CrewMember) throws -> Void in
        if member.noted(member.ropes) == 2 { throw Refusal() }
      }
    }
  }
}

/// A sailor that answers one more message.
final class Cook: CrewMember {
  override class var methods: MethodTable {
    MethodTable(Cook.self) {
      Method("cook") { (cook: Cook) in
        cook.log.note(cook.name)
        return "soup"
      }
    }
  }
}
