/// The steps of the tour, in order.
enum Tour {
  static let steps: [TourStep] = [
    TourStep(
      name: "describe", title: "Every block carries its signature",
      code: "try Block(closure).signature", body: describeBlocks),
    TourStep(
      name: "call", title: "A signature is enough to call a block",
      code: "let sum: Int32 = try block.call(3, 4.5)", body: callBlocks),
    TourStep(
      name: "hello-world", title: "A block prints \"Hello world\" instead of running",
      code: "let hook = try block.printInstead(\"Hello world\")", body: replaceByHelloWorld),
    TourStep(
      name: "print-arguments", title: "A block prints its arguments and then runs",
      code: "let hook = try block.printArguments()", body: printArguments),
    TourStep(
      name: "change-argument-and-result", title: "A hook changes an argument and the result",
      code: "try block.hook { call in try call.setArgument(1, Int32(10)); try call.proceed(); … }",
      body: changeArgumentAndResult),
    TourStep(
      name: "remove", title: "Hooks are removed in any order", code: "hook.remove()",
      body: removeInAnyOrder),
    TourStep(
      name: "global-block", title: "A global C block lies in a protected page, and is hooked there",
      code: "try Block(unsafePointer: cdemo_global_block()).hook(.after) { … }",
      body: hookGlobalBlock),
    TourStep(
      name: "heap-block", title: "A C block on the heap; its hook sees its end",
      code: "try block.hook([.before, .death]) { call in … }", body: hookHeapBlock),
    TourStep(
      name: "struct-result", title: "A result of 32 bytes is returned by the processor's rules",
      code: "try call.setResult(CDemoRect(…))", body: changeStructResult),
    TourStep(
      name: "string-and-nested-block", title: "A C string and a block as arguments",
      code: "let visit: Block = try call.argument(2)", body: printStringAndNestedBlock),
    TourStep(
      name: "dispatch-queue", title: "libdispatch runs the hooked block",
      code: "try Block(work).printInstead(); dispatch_async(queue, work)", body: hookQueuedBlock),
    TourStep(
      name: "dispatch-block-create", title: "A block made by dispatch_block_create",
      code: "try Block(unsafePointer: dispatch_block_create(0, ^{ … })).hook { … }",
      body: hookDispatchBlock),
    TourStep(
      name: "restored", title: "Everything is as it was", code: "block.hooks.isEmpty",
      body: checkThatAllIsRestored),
  ]
}

/// One step of the tour: its texts, and the function that runs it.
struct TourStep {
  /// A short name, for options and JSON.
  let name: String

  /// The title, for text output.
  let title: String

  /// The idea as a line of Swift.
  let code: String

  /// Runs the step and checks its results.
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

  /// Its messages and checks.
  let log: StepLog

  /// Whether it behaved.
  var isOK: Bool { log.isOK }
}
