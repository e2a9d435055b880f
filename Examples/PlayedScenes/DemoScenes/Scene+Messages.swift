import BlockRuntime

extension Scene {
  /// Messages to several targets, to a delegate made of blocks, and to hooked methods.
  package static func messages() throws -> Scene {
    let log = Log()
    let sailors = [
      CrewMember("Ada", ropes: 0, log), CrewMember("Bo", ropes: 2, log), Cook("Cy", ropes: 3, log),
    ]
    return Scene(
      "BlockRuntime: messages",
      [
        "Several targets: crew is a proxy of Ada, Bo and Cy": severalTargets(sailors, log),
        "A delegate made of blocks, for the protocol Watch": try blocksAsDelegate(sailors[0], log),
        "Hooked methods": hookedMethods(bo: sailors[1], cy: sailors[2]),
      ], log)
  }

  private static func severalTargets(_ sailors: [CrewMember], _ log: Log) -> [Step] {
    let all = sailors.map(\.name)
    let crew = MultiTargetProxy(weak: sailors) { _, _, error in
      log.note("error: \(error.underlyingError.map { "\($0)" } ?? error.message)")
    }
    return [
      Step(#"crew.send("alert:", "land")"#, told: all) { try crew.send("alert:", "land") },
      Step(#"crew.send("cook") // only Cy responds"#, told: ["Cy"], answer: "soup") {
        try crew.send("cook", returning: String.self)
      },
      Step(#"crew.send("count") // the first responder answers"#, told: ["Ada"], answer: "0") {
        try crew.send("count", returning: Int32.self)
      },
      Step(#"crew.setPolicy(.reduce(+), for: "count"), and sent"#, told: all, answer: "5") {
        crew.setPolicy(.reduce { (a: Int32, b: Int32) in a + b }, for: "count")
        return try crew.send("count", returning: Int32.self)
      },
      Step(#"crew.setPolicy(.allOf, for: "isReady"), and sent"#, told: all, answer: "false") {
        crew.setPolicy(.allOf, for: "isReady")
        return try crew.send("isReady", returning: Bool.self)
      },
      Step(
        #"crew.setPolicy(.firstNonNil, for: "find:"), and sent"#, told: ["Ada", "Bo"],
        answer: "Bo's rope"
      ) {
        crew.setPolicy(.firstNonNil, for: "find:")
        return try crew.send("find:", "rope", returning: String?.self) ?? "nil"
      },
      Step(
        #"crew.send("climb") // Bo throws, the others climb"#,
        told: ["Ada", "Bo", "error: not at night", "Cy"]
      ) { try crew.send("climb") },
      Step(#"crew.remove(bo); crew.send("alert:", "sail")"#, told: ["Ada", "Cy"]) {
        crew.remove(sailors[1])
        try crew.send("alert:", "sail")
      },
      Step(#"crew.send("dance")"#, answer: "unrecognizedSelector") { try crew.send("dance") },
    ]
  }

  private static func blocksAsDelegate(_ ada: CrewMember, _ log: Log) throws -> [Step] {
    let watch = DynamicDelegate(
      try MessageProtocol(
        "Watch",
        [
          .required("watch:didSee:", signature: "v@:@i"),
          .required("isAwake", signature: "B@:"),
          .optional("sing", signature: "v@:"),
        ]))
    return [
      Step(
        #"watch.implement("watch:didSee:", with: a block of (AnyObject, Int64))"#,
        answer: "`watch:didSee:`: argument 3: block takes q (Int64), protocol gives i (Int32)"
      ) {
        let block: @convention(block) (AnyObject, Int64) -> Void = { _, _ in }
        do throws(MessageError) {
          try watch.implement("watch:didSee:", with: block)
          return ""
        } catch {
          return error.message
        }
      },
      Step(#"watch.implement("watch:didSee:", with: a block of (AnyObject, Int32))"#) {
        let block: @convention(block) (AnyObject, Int32) -> Void = { _, count in
          log.note("the block: \(count) ships")
        }
        try watch.implement("watch:didSee:", with: block)
      },
      Step(#"watch.send("watch:didSee:", ada, 3)"#, told: ["the block: 3 ships"]) {
        try watch.send("watch:didSee:", ada, 3)
      },
      Step("watch.missingRequiredMethods", answer: "isAwake") {
        watch.missingRequiredMethods.map(\.selector.name).joined(separator: ", ")
      },
      Step(#"watch.responds(to: "sing")"#, answer: "false") { watch.responds(to: "sing") },
    ]
  }

  private static func hookedMethods(bo: CrewMember, cy: CrewMember) -> [Step] {
    let tenfold: HookDefinition.Handler = { call in
      try call.setResult(call.result(as: Int32.self) * 10)
    }
    return [
      Step(
        #"Sailor.target("count").hook(.after) { result * 10 }; cy.send("count")"#, told: ["Cy"],
        answer: "30"
      ) {
        try CrewMember.target("count").hook(.after, name: "class", tenfold)
        return try cy.send("count", returning: Int32.self)
      },
      Step(
        #"cy.target("count").hook(.after) { result * 10 }; cy.send("count")"#, told: ["Cy"],
        answer: "300"
      ) {
        try cy.target("count").hook(.after, name: "instance", tenfold)
        return try cy.send("count", returning: Int32.self)
      },
      Step(#"bo.send("count")"#, told: ["Bo"], answer: "20") {
        try bo.send("count", returning: Int32.self)
      },
      Step(#"all hooks removed; cy.send("count")"#, told: ["Cy"], answer: "3") {
        for hook in CrewMember.target("count").hooks + cy.target("count").hooks { hook.remove() }
        return try cy.send("count", returning: Int32.self)
      },
    ]
  }
}
