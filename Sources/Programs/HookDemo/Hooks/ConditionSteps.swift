import BlockRuntime

extension HookDemonstration {
  /// Installs hooks that do not run in every call.
  @Sendable
  static func setConditions(_ exhibits: Exhibits, _ log: StepLog) throws {
    let rows: [(HookConditions, expected: [Int32])] = [
      (.once, [0]), (.times(3), [0, 1, 2]), (.every(4), [0, 4, 8]),
      (.where { try $0.argument(1, as: Int32.self) > 7 }, [8, 9]),
      (.every(3).times(2), [0, 3]),
    ]
    for (conditions, expected) in rows {
      let heard = log.hearing {
        do {
          let hook = try exhibits.addBlock.hook(.before, when: conditions) { call in
            log.say("\(try call.argument(1, as: Int32.self))")
          }
          defer { hook.remove() }
          for number in 0..<Int32(10) { _ = exhibits.add(number, 0) }
        } catch {
          log.check("\(error)", false)
        }
      }
      log.check("\(conditions): of the calls 0 to 9", heard, is: expected.map { "\($0)" })
    }
    let threads = HookThreads()
    let hook = try exhibits.addBlock.hook(.before, when: .on(threads)) { _ in log.say("seen") }
    defer { hook.remove() }
    let heard = log.hearing {
      threads.ignoringCurrentThread { _ = exhibits.add(1, 1) }
      _ = exhibits.add(2, 2)
    }
    log.check("a thread that is ignored is not seen", heard, is: ["seen"])
  }

  /// Installs, suspends and removes several hooks together.
  @Sendable
  static func installGroups(_ exhibits: Exhibits, _ log: StepLog) throws {
    let negating = HookDefinition(.after, name: "negate") { call in
      try call.setResult(-call.result(as: Int32.self))
    }
    let group = try HookGroup([(exhibits.addBlock, negating), (exhibits.global, negating)])
    defer { group.remove() }
    func results() -> [Int32] {
      [exhibits.add(3, 4.5), Exhibits.callSum(exhibits.global, 20, 22)]
    }
    log.check("both blocks are hooked", results(), is: [-7, -42])
    for hook in exhibits.addBlock.hooks(named: "negate") { log.say("\(hook)") }
    group.suspend()
    log.check("suspended", results(), is: [7, 42])
    try group.resume()
    log.check("resumed", results(), is: [-7, -42])
    group.remove()
    let refused = HookDefinition(name: "refused", when: .times(0)) { _ in }
    do {
      _ = try HookGroup([(exhibits.addBlock, negating), (exhibits.global, refused)])
      log.check("a group with a hook that cannot be installed is refused", false)
    } catch {
      log.say("refused: \(error)")
      log.check("and nothing of it is installed", results(), is: [7, 42])
    }
  }
}
