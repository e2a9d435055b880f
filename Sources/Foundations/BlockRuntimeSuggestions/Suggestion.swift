/// Suggestions for names that are not known.
package enum Suggestion {
  /// Finds the known name that is most similar to an unknown one.
  ///
  /// - Parameters:
  ///   - name: The unknown name.
  ///   - names: The known names.
  /// - Returns: The first of the most similar names; nil if all of them differ from `name` in more
  ///   than one letter, and in more than a third of its letters.
  package static func nearest(to name: String, in names: [String]) -> String? {
    // Comparing long names takes too long; the distance is at least the difference of the lengths.
    guard name.utf8.count <= 80 else { return nil }
    let limit = max(1, name.utf8.count / 3)
    let candidates = names.filter { $0.utf8.count <= 80 && abs($0.count - name.count) <= limit }
      .map { ($0, distance($0, name)) }
    return candidates.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
  }

  /// The least number of letters to insert, delete, replace or swap with the next one.
  private static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
    var rows = [Array(0...second.count)]
    for line in first.indices {
      var row = [line + 1]
      for column in second.indices {
        let replaced = rows[line][column] + (first[line] == second[column] ? 0 : 1)
        var best = min(replaced, rows[line][column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, first[line] == second[column - 1],
          first[line - 1] == second[column]
        {
          best = min(best, rows[line - 1][column - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
