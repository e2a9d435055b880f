import BlockRuntime

extension CrewScene {
  private typealias Step = SceneStep<CrewScene>

  static var chapters: KeyValuePairs<String, [SceneStep<CrewScene>]> {
    [
      "Several targets: crew is a proxy of Ada, Bo and Cy": targets,
      "A delegate made of blocks, for the protocol Watch": delegate,
      "Hooked methods": hooks,
    ]
  }

  private static var targets: [Step] {
    let all = ["Ada", "Bo", "Cy"]
    return [
      Step(#"crew.send("alert:", "land")"#, told: all) { try $0.crew.send("alert:", "land") },
      Step(#"crew.send("cook") // only Cy responds"#, told: ["Cy"], answer: "soup") {
        try $0.crew.send("cook", returning: String.self)
      },
      Step(#"crew.send("count") // the first responder answers"#, told: ["Ada"], answer: "0") {
        try $0.crew.send("count", returning: Int32.self)
      },
      Step(#"crew.setPolicy(.reduce(+), for: "count"), and sent"#, told: all, answer: "5") {
        $0.crew.setPolicy(.reduce { (a: Int32, b: Int32) in a + b }, for: "count")
        return try $0.crew.send("count", returning: Int32.self)
      },
      Step(#"crew.setPolicy(.allOf, for: "isReady"), and sent"#, told: all, answer: "false") {
        $0.crew.setPolicy(.allOf, for: "isReady")
        return try $0.crew.send("isReady", returning: Bool.self)
      },
      Step(
        #"crew.setPolicy(.firstNonNil, for: "find:"), and sent"#, told: ["Ada", "Bo"],
        answer: "Bo's rope"
      ) {
        $0.crew.setPolicy(.firstNonNil, for: "find:")
        return try $0.crew.send("find:", "rope", returning: String?.self) ?? "nil"
      },
      Step(
        #"crew.send("climb") // Bo throws, the others climb"#,
        told: ["Ada", "Bo", "error: not at night", "Cy"]
      ) { try $0.crew.send("climb") },
      Step(#"crew.remove(bo); crew.send("alert:", "sail")"#, told: ["Ada", "Cy"]) {
        $0.crew.remove($0.bo)
        try $0.crew.send("alert:", "sail")
      },
      Step(#"crew.send("dance")"#, refusal: "unrecognizedSelector") {
        try $0.crew.send("dance")
      },
    ]
  }

  private static var delegate: [Step] {
    [
      Step(
        #"watch.implement("watch:didSee:", with: a block of (AnyObject, Int64))"#,
        answer: "`watch:didSee:`: argument 3: block takes q (Int64), protocol gives i (Int32)"
      ) { scene in
        let block: @convention(block) (AnyObject, Int64) -> Void = { _, _ in }
        do throws(MessageError) {
          try scene.watch.implement("watch:didSee:", with: block)
          return ""
        } catch {
          return error.message
        }
      },
      Step(#"watch.implement("watch:didSee:", with: a block of (AnyObject, Int32))"#) {
        let log = $0.log
        let block: @convention(block) (AnyObject, Int32) -> Void = { _, count in
          log.note("the block: \(count) ships")
        }
        try $0.watch.implement("watch:didSee:", with: block)
      },
      Step(#"watch.send("watch:didSee:", ada, 3)"#, told: ["the block: 3 ships"]) {
        try $0.watch.send("watch:didSee:", $0.ada, 3)
      },
      Step("watch.missingRequiredMethods", answer: "isAwake") {
        $0.watch.missingRequiredMethods.map(\.selector.name).joined(separator: ", ")
      },
      Step(#"watch.responds(to: "sing")"#, answer: "false") { $0.watch.responds(to: "sing") },
    ]
  }

  private static var hooks: [Step] {
    let tenfold: HookDefinition.Handler = { call in
      try call.setResult(call.result(as: Int32.self) * 10)
    }
    return [
      Step(
        #"Sailor.target("count").hook(.after) { result * 10 }; cy.send("count")"#, told: ["Cy"],
        answer: "30"
      ) {
        try CrewMember.target("count").hook(.after, name: "class", tenfold)
        return try $0.cy.send("count", returning: Int32.self)
      },
      Step(
        #"cy.target("count").hook(.after) { result * 10 }; cy.send("count")"#, told: ["Cy"],
        answer: "300"
      ) {
        try $0.cy.target("count").hook(.after, name: "instance", tenfold)
        return try $0.cy.send("count", returning: Int32.self)
      },
      Step(#"bo.send("count")"#, told: ["Bo"], answer: "20") {
        try $0.bo.send("count", returning: Int32.self)
      },
      Step(#"all hooks removed; cy.send("count")"#, told: ["Cy"], answer: "3") {
        for hook in CrewMember.target("count").hooks + $0.cy.target("count").hooks { hook.remove() }
        return try $0.cy.send("count", returning: Int32.self)
      },
    ]
  }
}
