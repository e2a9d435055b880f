/// The steps of `hook-demo hook`: hooks in depth, on the blocks of the tour.
enum HookDemonstration {
  static let steps: [TourStep] = [
    TourStep(
      name: "intercept", title: "A call waits for a decision, made later on another thread",
      code: "try block.intercept(returning: -1) { call in queue.async { try call.proceed() } }",
      body: interceptCalls),
    TourStep(
      name: "removal", title: "Hooks come and go while eight threads call",
      code: "hook.removeAndWait()", body: removeUnderLoad),
    TourStep(
      name: "conditions", title: "A hook runs once, sometimes, or when its arguments ask for it",
      code: "try block.hook(.before, when: .times(2).every(3)) { … }", body: setConditions),
    TourStep(
      name: "groups", title: "Hooks are installed all or none, suspended and resumed",
      code: "let group = try HookGroup([(first, hook), (second, hook)])", body: installGroups),
    TourStep(
      name: "typed", title: "A closure of the block's own type wraps it, without a frame",
      code: "try block.wrap { (original: @escaping Add) -> Add in { original($0, $1) * 10 } }",
      body: wrapBlocks),
    TourStep(
      name: "memoize", title: "Results are kept by their arguments, the least recently used go",
      code: "let memo = try block.memoize(limits: MemoLimits(count: 2))", body: keepResults),
    TourStep(
      name: "trace", title: "Calls become records: who, when, how long, with what",
      code: "try block.trace(with: Tracer(TraceBuffer()))", body: traceCalls),
    TourStep(
      name: "record", title: "Calls are written to a file, made again and compared",
      code: "try Recording(path: file).replay(on: block)", body: recordCalls),
    TourStep(
      name: "restored", title: "Everything is as it was", code: "block.hooks.isEmpty",
      body: Tour.checkThatAllIsRestored),
  ]
}
