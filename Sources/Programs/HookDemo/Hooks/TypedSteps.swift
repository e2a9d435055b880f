import BlockRuntime

extension HookDemonstration {
  private typealias Add = @convention(block) @Sendable (Int32, Double) -> Int32

  /// Wraps and replaces a block by blocks of the same type.
  @Sendable
  static func wrapBlocks(_ exhibits: Exhibits, _ log: StepLog) throws {
    let wrapping = try exhibits.addBlock.wrap { (original: @escaping Add) -> Add in
      { number, fraction in original(number + 1, fraction) * 10 }
    }
    defer { wrapping.remove() }
    log.check("add(3, 4.5), wrapped", exhibits.add(3, 4.5), is: 80)
    let product: Add = { number, fraction in number * Int32(fraction) }
    let replacing = try exhibits.addBlock.replace(with: product, priority: -1)
    defer { replacing.remove() }
    log.check("with a product below the wrapper", exhibits.add(3, 4.5), is: 160)
    replacing.remove()
    wrapping.remove()
    log.check("after removal", exhibits.add(3, 4.5), is: 7)
    let wrong: @convention(block) (Int32, Int64) -> Int32 = { number, _ in number }
    do {
      try exhibits.addBlock.replace(with: wrong)
      log.check("another type is refused", false)
    } catch {
      log.say("refused: \(error.message)")
      log.check("another type", error.code.rawValue, is: "typeMismatch")
    }
  }
}
