import BlockRuntime

/// A receiver of messages, which notes its name.
class CrewMember: MessageReceiver {
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "not at night" }
  }

  let name: String
  let ropes: Int32
  let log: Scene.Log

  init(_ name: String, ropes: Int32, _ log: Scene.Log) {
    (self.name, self.ropes, self.log) = (name, ropes, log)
  }

  /// Notes the name, and returns an answer.
  fileprivate func noted<Answer>(_ answer: Answer) -> Answer {
    log.note(name)
    return answer
  }

  class var methods: MethodTable {
    MethodTable(CrewMember.self) {
      Method("alert:") { (member: CrewMember, _: String) in member.noted(()) }
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
    MethodTable(Cook.self) { Method("cook") { (cook: Cook) in cook.noted("soup") } }
  }
}
