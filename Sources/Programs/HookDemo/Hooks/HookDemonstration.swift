/// The steps of `hook-demo hook`: hooks in depth, on the blocks of the tour.
enum HookDemonstration {
  static var steps: [TourStep] {
    interceptionSteps + conditionSteps + [memoStep] + recordSteps + [.restored]
  }
}
