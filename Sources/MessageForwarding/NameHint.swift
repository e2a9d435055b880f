/// The name that is meant by one that is not known.
enum NameHint {
  /// The nearest of some names, if it is near enough.
  static func nearest(to name: String, in names: [String]) -> String? {
    // Far-off and long names are not worth their time.
    guard name.utf8.count <= 80 else { return nil }
    let limit = max(1, name.utf8.count / 3)
    return names.filter { $0.utf8.count <= 80 }.map { ($0, distance($0, name)) }
      .filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
  }

  /// How many letters must be put in, left out or replaced.
  private static func distance(_ first: String, _ second: String) -> Int {
    let second = Array(second.lowercased())
    var row = Array(0...second.count)
    for (line, letter) in first.lowercased().enumerated() {
      var next = [line + 1]
      for column in second.indices {
        next.append(
          min(
            row[column + 1] + 1, next[column] + 1, row[column] + (letter == second[column] ? 0 : 1))
        )
      }
      row = next
    }
    return row[second.count]
  }
}
