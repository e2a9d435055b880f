import BlockRuntime

extension HookDemonstration {
  private typealias Add = @convention(block) @Sendable (Int32, Double) -> Int32

  /// Hooks with conditions, in groups, and without frames.
  static let conditionSteps = [
    TourStep(
      "conditions", "A hook runs once, sometimes, or when its arguments ask for it",
      code: "try block.hook(.before, when: .times(2).every(3)) { … }"
    ) { exhibits, log in
      let rows: [(HookConditions, expected: [Int32])] = [
        (.once, [0]), (.times(3), [0, 1, 2]), (.every(4), [0, 4, 8]),
        (.where { try $0.argument(1, as: Int32.self) > 7 }, [8, 9]),
        (.every(3).times(2), [0, 3]),
      ]
      for (conditions, expected) in rows {
        let hook = try exhibits.addBlock.hook(.before, when: conditions) { call in
          log.say("\(try call.argument(1, as: Int32.self))")
        }
        defer { hook.remove() }
        log.check("\(conditions): of the calls 0 to 9", hearing: expected.map { "\($0)" }) {
          for number in 0..<Int32(10) { _ = exhibits.add(number, 0) }
        }
      }
      let threads = HookThreads()
      let hook = try exhibits.addBlock.hook(.before, when: .on(threads)) { _ in log.say("seen") }
      defer { hook.remove() }
      log.check("a thread that is ignored is not seen", hearing: ["seen"]) {
        threads.ignoringCurrentThread { _ = exhibits.add(1, 1) }
        _ = exhibits.add(2, 2)
      }
    },
    TourStep(
      "groups", "Hooks are installed all or none, suspended and resumed",
      code: "let group = try HookGroup([first.with(hook), second.with(hook)])"
    ) { exhibits, log in
      let negating = HookDefinition(.after, name: "negate") { call in
        try call.setResult(-call.result(as: Int32.self))
      }
      let group = try HookGroup([exhibits.addBlock.with(negating), exhibits.global.with(negating)])
      defer { group.remove() }
      func check(_ text: String, _ expected: [Int32]) {
        let results = [exhibits.add(3, 4.5), Exhibits.callSum(exhibits.global, 20, 22)]
        log.check(text, results, is: expected)
      }
      check("both blocks are hooked", [-7, -42])
      for hook in exhibits.addBlock.hooks(named: "negate") { log.say("\(hook)") }
      group.suspend()
      check("suspended", [7, 42])
      try group.resume()
      check("resumed", [-7, -42])
      group.remove()
      let refused = HookDefinition(name: "refused", when: .times(0)) { _ in }
      log.check("a group with a hook of no calls", isRefusedAs: "invalidCondition") {
        _ = try HookGroup([exhibits.addBlock.with(negating), exhibits.global.with(refused)])
      }
      check("and nothing of it is installed", [7, 42])
    },
    TourStep(
      "typed", "A closure of the block's own type wraps it, without a frame",
      code: "try block.wrap { (original: @escaping Add) -> Add in { original($0, $1) * 10 } }"
    ) { exhibits, log in
      let wrapping = try exhibits.addBlock.wrap { (original: @escaping Add) -> Add in
        { number, fraction in original(number + 1, fraction) * 10 }
      }
      defer { wrapping.remove() }
      log.check("add(3, 4.5), wrapped", exhibits.add(3, 4.5), is: 80)
      let product: Add = { number, fraction in number * Int32(fraction) }
      let replacing = try exhibits.addBlock.replace(with: product, priority: -1)
      defer { replacing.remove() }
      log.check("with a product inside of the wrapper", exhibits.add(3, 4.5), is: 160)
      replacing.remove()
      wrapping.remove()
      log.check("after removal", exhibits.add(3, 4.5), is: 7)
      let wrong: @convention(block) (Int32, Int64) -> Int32 = { number, _ in number }
      log.check("another type", isRefusedAs: "typeMismatch") {
        try exhibits.addBlock.replace(with: wrong)
      }
    },
  ]
}
