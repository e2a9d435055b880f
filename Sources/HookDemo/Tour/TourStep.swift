/// One step of the tour: what it shows, and the function that does it.
struct TourStep {
  /// A short name, for scripts.
  let name: String

  /// What the step shows, for people.
  let title: String

  /// The idea as a line of Swift.
  let code: String

  /// Does it, and checks it.
  let body: @Sendable (Exhibits, StepLog) throws -> Void

  /// Runs the step; an error is a failed check.
  func run(_ exhibits: Exhibits) -> TourOutcome {
    let log = StepLog()
    do {
      try body(exhibits, log)
    } catch {
      log.check("\(error)", false)
    }
    return TourOutcome(step: self, log: log)
  }
}

/// A step that was run.
struct TourOutcome {
  /// The step.
  let step: TourStep

  /// What it said and checked.
  let log: StepLog

  /// Whether it behaved.
  var isOK: Bool { log.isOK }
}
