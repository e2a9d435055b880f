/// The steps of `hook-demo hook`: hooks in depth, on the blocks of the tour.
enum HookDemonstration {
  static var steps: [TourStep] {
    decidedLater + ofSeveral + [
      TourStep(
        "memoize", "Results are kept by their arguments, the least recently used go",
        code: "let memo = try block.install(.memoizing(limits: MemoLimits(count: 2)))", keepResults)
    ] + written + [.restored]
  }
}
