import BlockRuntime

extension TourStep {
  /// What can be done to any block, shown with a Swift closure.
  static let ofSwiftBlocks = [
    TourStep(
      "describe", "Every block carries its signature", code: "try Block(closure).signature"
    ) { exhibits, log in
      for (name, block) in exhibits.all {
        let encoding = block.encoding ?? "no signature"
        log.say("\(name): \(block.kind.rawValue) block, \(encoding), \(block.size) bytes")
      }
      log.check("the Swift closure", exhibits.addBlock.encoding, is: "i20@?0i8d12")
      log.check("the C block on the heap", exhibits.scaling.encoding, is: "i12@?0i8")
      log.check("the C block in a protected page", exhibits.global.kind.rawValue, is: "global")
      log.check(
        "the C block with a structure", exhibits.rect.encoding, is: "{CDemoRect=dddd}24@?0d8d16")
    },
    TourStep(
      "call", "A signature is enough to call a block",
      code: "let sum: Int32 = try block.call(3, 4.5)"
    ) { exhibits, log in
      log.check("Swift: add(3, 4.5)", try exhibits.addBlock.call(3, 4.5) as Int32, is: 7)
      log.check("C: sum(20, 22)", try exhibits.global.call(20, 22) as Int32, is: 42)
      log.check("C: scale(7)", try exhibits.scaling.call(7) as Int32, is: 21)
      log.check("scale(\"seven\")", isRefusedAs: "typeMismatch") {
        _ = try exhibits.scaling.call("seven") as Int32
      }
    },
    TourStep(
      "hello-world", "A block prints \"Hello world\" instead of running",
      code: "let hook = try block.hook { _ in print(\"Hello world\") }"
    ) { exhibits, log in
      let hook = try exhibits.addBlock.hook { _ in log.say("Hello world") }
      defer { hook.remove() }
      var result: Int32 = -1
      log.check("add(3, 4.5) said", hearing: ["Hello world"]) { result = exhibits.add(3, 4.5) }
      log.check("add(3, 4.5) did not run: its result", result, is: 0)
      hook.remove()
      log.check("after removal add(3, 4.5)", exhibits.add(3, 4.5), is: 7)
    },
    TourStep(
      "print-arguments", "A block prints its arguments and its result",
      code: "let hook = try block.install(.printing())"
    ) { exhibits, log in
      let hook = try exhibits.addBlock.install(.printing { log.say("add: \($0)") })
      defer { hook.remove() }
      var result: Int32 = -1
      log.check("add(3, 4.5) said", hearing: ["add: i32 3, double 4.5", "add: → i32 7"]) {
        result = exhibits.add(3, 4.5)
      }
      log.check("and ran", result, is: 7)
    },
    TourStep(
      "change-argument-and-result", "A hook changes an argument and the result",
      code: "try block.hook { call in try call.setArgument(1, Int32(10)); try call.proceed(); … }"
    ) { exhibits, log in
      let hook = try exhibits.addBlock.hook { call in
        let number: Int32 = try call.argument(1)
        try call.setArgument(1, number * 10)
        log.say("argument 1: \(number) → \(number * 10)")
        try call.proceed()
        let result: Int32 = try call.result()
        try call.setResult(-result)
        log.say("result: \(result) → \(-result)")
      }
      defer { hook.remove() }
      log.check("add(3, 4.5)", exhibits.add(3, 4.5), is: -34)
      log.check("add(0, 1)", exhibits.add(0, 1), is: -1)
    },
    TourStep("remove", "Hooks are removed in any order", code: "hook.remove()") { exhibits, log in
      let block = exhibits.addBlock
      let hooks = try ["first", "second"].map { name in
        try block.hook(.before, name: name) { _ in log.say(name) }
      }
      defer { for hook in hooks { hook.remove() } }
      let call = { _ = exhibits.add(1, 1) }
      log.check("the last hook is the outermost", hearing: ["second", "first"], call)
      log.check("removing the first succeeds", hooks[0].remove())
      log.check("removing it again is harmless", !hooks[0].remove())
      log.check("left", hearing: ["second"], call)
      hooks[1].remove()
      log.check("after both are removed the hooks say", hearing: [], call)
      log.check("the block enters its own code again", exhibits.isRestored(block))
    },
  ]
}
