import BlockRuntime

extension Tour {
  /// Shows the kind, signature and size of every block.
  @Sendable
  static func describeBlocks(_ exhibits: Exhibits, _ log: StepLog) throws {
    for (name, block) in exhibits.all {
      let encoding = block.encoding ?? "no signature"
      log.say("\(name): \(block.kind.rawValue) block, \(encoding), \(block.size) bytes")
    }
    log.check("the Swift closure", exhibits.addBlock.encoding, is: "i20@?0i8d12")
    log.check("the C block on the heap", exhibits.scaling.encoding, is: "i12@?0i8")
    log.check(
      "the C block in a protected page", exhibits.global.kind.rawValue, is: "global")
    log.check(
      "the C block with a structure", exhibits.rect.encoding, is: "{CDemoRect=dddd}24@?0d8d16")
  }

  /// Calls blocks by their signatures alone.
  @Sendable
  static func callBlocks(_ exhibits: Exhibits, _ log: StepLog) throws {
    let sum: Int32 = try exhibits.addBlock.call(3, 4.5)
    log.check("Swift: add(3, 4.5)", sum, is: 7)
    let global: Int32 = try exhibits.global.call(20, 22)
    log.check("C: sum(20, 22)", global, is: 42)
    let scaled: Int32 = try exhibits.scaling.call(7)
    log.check("C: scale(7)", scaled, is: 21)
    do {
      let result: Int32 = try exhibits.scaling.call("seven")
      log.say("\(result)")
      log.check("text in place of a number is refused", false)
    } catch {
      log.say("scale(\"seven\") is refused: \(error.message)")
      log.check("the refusal", error.code.rawValue, is: "typeMismatch")
    }
  }

  /// Hooks a block so that it prints "Hello world" instead of running.
  @Sendable
  static func replaceByHelloWorld(_ exhibits: Exhibits, _ log: StepLog) throws {
    let hook = try exhibits.addBlock.printInstead { log.say($0) }
    defer { hook.remove() }
    var result: Int32 = -1
    let said = log.hearing { result = exhibits.add(3, 4.5) }
    log.check("add(3, 4.5) said", said, is: ["Hello world"])
    log.check("add(3, 4.5) did not run: its result", result, is: 0)
    hook.remove()
    log.check("after removal add(3, 4.5)", exhibits.add(3, 4.5), is: 7)
  }

  /// Hooks a block so that it prints its arguments before it runs.
  @Sendable
  static func printArguments(_ exhibits: Exhibits, _ log: StepLog) throws {
    let hook = try exhibits.addBlock.printArguments { log.say("add gets \($0)") }
    defer { hook.remove() }
    var result: Int32 = -1
    let said = log.hearing { result = exhibits.add(3, 4.5) }
    log.check("add(3, 4.5) said", said, is: ["add gets i32 3, double 4.5"])
    log.check("and ran", result, is: 7)
  }

  /// Changes an argument of a block, and the result for its caller.
  @Sendable
  static func changeArgumentAndResult(_ exhibits: Exhibits, _ log: StepLog) throws {
    let hook = try exhibits.addBlock.hook(onError: { log.check("\($0)", false) }) { call in
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
  }

  /// Removes the inner of two hooks first, then the outer.
  @Sendable
  static func removeInAnyOrder(_ exhibits: Exhibits, _ log: StepLog) throws {
    let block = exhibits.addBlock
    let first = try block.hook(.before, name: "first") { _ in log.say("first") }
    defer { first.remove() }
    let second = try block.hook(.before, name: "second") { _ in log.say("second") }
    defer { second.remove() }
    let both = log.hearing { _ = exhibits.add(1, 1) }
    log.check("the last hook is the outermost", both, is: ["second", "first"])
    log.check("removing the first succeeds", first.remove())
    log.check("removing it again is harmless", !first.remove())
    let one = log.hearing { _ = exhibits.add(1, 1) }
    log.check("left", one, is: ["second"])
    second.remove()
    let none = log.hearing { _ = exhibits.add(1, 1) }
    log.check("after both are removed the hooks are silent", none.isEmpty)
    log.check("the block enters its own code again", exhibits.isRestored(block))
  }
}

extension Exhibits {
  /// Whether a block has no hooks and its original code.
  func isRestored(_ block: Block) -> Bool {
    guard let index = all.firstIndex(where: { $0.block == block }) else { return false }
    // SAFETY: the address is only compared.
    let code = unsafe UInt(bitPattern: block.invokeAddress)
    return block.hooks.isEmpty && code == originalCode[index]
  }
}
