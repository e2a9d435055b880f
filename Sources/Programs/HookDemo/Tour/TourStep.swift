import BlockRuntime

/// A step of `hook-demo tour` or `hook-demo hook`: its texts, and what it does with the exhibits.
struct TourStep: Sendable {
  /// A short name, for options and JSON.
  let name: String

  /// The title, for text output.
  let title: String

  /// The idea as a line of Swift.
  let code: String

  private let act: @Sendable (Exhibits, StepLog) throws -> Void

  init(
    _ name: String, _ title: String, code: String,
    _ act: @escaping @Sendable (Exhibits, StepLog) throws -> Void
  ) {
    (self.name, self.title, self.code, self.act) = (name, title, code, act)
  }

  /// Takes the step, and returns its messages and checks; an error is a failed check.
  func take(_ exhibits: Exhibits) -> StepLog {
    let log = StepLog()
    do {
      try act(exhibits, log)
    } catch {
      log.check("\(error)", false)
    }
    return log
  }

  /// The steps of the tour, in order.
  static var tour: [TourStep] { ofSwiftBlocks + ofCBlocks + ofQueuedBlocks + [restored] }

  /// The last step: every block has its own code and no hooks.
  static let restored = TourStep(
    "restored", "Everything is as it was", code: "block.hooks.isEmpty"
  ) { exhibits, log in
    for (name, block) in exhibits.all {
      log.check("\(name): its own code, no hooks", exhibits.isRestored(block))
    }
    log.check(
      "the global block's page is as it was", Exhibits.isWritable(exhibits.global),
      is: exhibits.isGlobalWritable)
    log.check("add(3, 4.5)", exhibits.add(3, 4.5), is: 7)
  }
}
