import RetainCycles

/// The texts of the cycles that a search from an object finds, without the name of the test.
func cycles(from object: AnyObject) -> [String] {
  // SAFETY: only this thread uses the objects.
  let search = unsafe RetainCycle.find(from: object)
  return search.cycles.map { shortened("\($0)") }
}

/// A text in which each closure is named without its number and its function.
func shortened(_ text: String) -> String {
  text.replacing(#/closure #\d+( in closure #\d+)*( in [\w.]+)?/#, with: "closure")
}
