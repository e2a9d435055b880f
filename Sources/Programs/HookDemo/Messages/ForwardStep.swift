import BlockRuntime

/// A step of `hook-demo forward`.
struct ForwardStep {
  /// The heading of the step's chapter.
  let chapter: String

  /// The step as program text.
  let code: String

  /// The expected receivers of the message, in order.
  let told: [String]

  /// The expected answer.
  let answer: String

  /// Sends the message.
  let send: (ForwardScene) throws(MessageError) -> String

  init(
    _ chapter: String, _ code: String, told: [String] = [], answer: String = "",
    _ send: @escaping (ForwardScene) throws(MessageError) -> String
  ) {
    self.chapter = chapter
    self.code = code
    self.told = told
    self.answer = answer
    self.send = send
  }
}

extension ForwardStep {
  /// All steps, in order.
  static var all: [ForwardStep] { targets + delegate + hooks }

  private static let targetsChapter = "Several targets: crew is a proxy of Ada, Bo and Cy"

  private static var targets: [ForwardStep] {
    let chapter = targetsChapter
    return [
      ForwardStep(
        chapter, #"crew.send("alert:", "land")"#, told: ["Ada", "Bo", "Cy"]
      ) { scene throws(MessageError) in
        try scene.crew.send("alert:", "land")
        return ""
      },
      ForwardStep(
        chapter, #"crew.send("cook") // only Cy responds"#, told: ["Cy"], answer: "soup"
      ) { scene throws(MessageError) in try scene.crew.send("cook", returning: String.self) },
      ForwardStep(
        chapter, #"crew.send("count") // the first responder answers"#, told: ["Ada"], answer: "0"
      ) { scene throws(MessageError) in
        "\(try scene.crew.send("count", returning: Int32.self))"
      },
      policy(".reduce(+)", "count", .reduce { (a: Int32, b: Int32) in a + b }, "5") {
        scene throws(MessageError) in "\(try scene.crew.send("count", returning: Int32.self))"
      },
      policy(".allOf", "isReady", .allOf, "false") { scene throws(MessageError) in
        "\(try scene.crew.send("isReady", returning: Bool.self))"
      },
      policy(".firstNonNil", "find:", .firstNonNil, "Bo's rope", told: ["Ada", "Bo"]) {
        scene throws(MessageError) in
        try scene.crew.send("find:", "rope", returning: String?.self) ?? "nil"
      },
      ForwardStep(
        chapter, #"crew.send("climb") // Bo throws, the others climb"#,
        told: ["Ada", "Bo", "error: not at night", "Cy"]
      ) { scene throws(MessageError) in
        try scene.crew.send("climb")
        return ""
      },
      ForwardStep(
        chapter, #"crew.remove(bo); crew.send("alert:", "sail")"#, told: ["Ada", "Cy"]
      ) { scene throws(MessageError) in
        scene.crew.remove(scene.bo)
        try scene.crew.send("alert:", "sail")
        return ""
      },
      ForwardStep(
        chapter, #"crew.send("dance")"#, answer: "unrecognizedSelector"
      ) { scene in
        refusal { () throws(MessageError) in try scene.crew.send("dance") }.code.rawValue
      },
    ]
  }

  private static func policy(
    _ name: String, _ selector: Selector, _ policy: ResultPolicy, _ answer: String,
    told: [String] = ["Ada", "Bo", "Cy"],
    _ send: @escaping (ForwardScene) throws(MessageError) -> String
  ) -> ForwardStep {
    ForwardStep(
      targetsChapter, "crew.setPolicy(\(name), for: \"\(selector)\"), and sent", told: told,
      answer: answer
    ) { scene throws(MessageError) in
      scene.crew.setPolicy(policy, for: selector)
      return try send(scene)
    }
  }

  /// The error of a message that must be refused.
  private static func refusal(_ body: () throws(MessageError) -> Void) -> MessageError {
    do {
      try body()
    } catch {
      return error
    }
    return MessageError(.noResult, "nothing was refused")
  }

  private static var delegate: [ForwardStep] {
    let chapter = "A delegate made of blocks, for the protocol Watch"
    return [
      ForwardStep(
        chapter, #"watch.implement("watch:didSee:", with: a block of (AnyObject, Int64))"#,
        answer: "`watch:didSee:`: argument 3: block takes q (Int64), protocol gives i (Int32)"
      ) { scene in
        let block: @convention(block) (AnyObject, Int64) -> Void = { _, _ in }
        return refusal { () throws(MessageError) in
          try scene.watch.implement("watch:didSee:", with: block)
        }.message
      },
      ForwardStep(
        chapter, #"watch.implement("watch:didSee:", with: a block of (AnyObject, Int32))"#
      ) { scene throws(MessageError) in
        let log = scene.log
        let block: @convention(block) (AnyObject, Int32) -> Void = { _, count in
          log.note("the block: \(count) ships")
        }
        try scene.watch.implement("watch:didSee:", with: block)
        return ""
      },
      ForwardStep(
        chapter, #"watch.send("watch:didSee:", ada, 3)"#, told: ["the block: 3 ships"]
      ) { scene throws(MessageError) in
        try scene.watch.send("watch:didSee:", scene.ada, 3)
        return ""
      },
      ForwardStep(
        chapter, "watch.missingRequiredMethods", answer: "isAwake"
      ) { scene in
        scene.watch.missingRequiredMethods.map(\.selector.name).joined(separator: ", ")
      },
      ForwardStep(
        chapter, #"watch.responds(to: "sing")"#, answer: "false"
      ) { scene in "\(scene.watch.responds(to: "sing"))" },
    ]
  }

  private static var hooks: [ForwardStep] {
    let chapter = "Hooked methods"
    let hook: HookDefinition.Handler = { call in
      try call.setResult(call.result(as: Int32.self) * 10)
    }
    return [
      ForwardStep(
        chapter, #"Sailor.hook("count", .after) { result * 10 }; cy.send("count")"#,
        told: ["Cy"], answer: "30"
      ) { scene throws(MessageError) in
        try ForwardSailor.hook("count", .after, name: "class", hook)
        return "\(try scene.cy.send("count", returning: Int32.self))"
      },
      ForwardStep(
        chapter, #"cy.hook("count", .after) { result * 10 }; cy.send("count")"#, told: ["Cy"],
        answer: "300"
      ) { scene throws(MessageError) in
        try scene.cy.hook("count", .after, name: "instance", hook)
        return "\(try scene.cy.send("count", returning: Int32.self))"
      },
      ForwardStep(
        chapter, #"bo.send("count")"#, told: ["Bo"], answer: "20"
      ) { scene throws(MessageError) in
        "\(try scene.bo.send("count", returning: Int32.self))"
      },
      ForwardStep(
        chapter, #"all hooks removed; cy.send("count")"#, told: ["Cy"], answer: "3"
      ) { scene throws(MessageError) in
        for hook in ForwardSailor.hooks(of: "count") + scene.cy.hooks(of: "count") {
          hook.remove()
        }
        return "\(try scene.cy.send("count", returning: Int32.self))"
      },
    ]
  }
}
