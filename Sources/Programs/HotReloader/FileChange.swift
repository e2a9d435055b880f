#if Macros
/// What has changed in a source file.
struct FileChange {
  /// The declarations that are compiled into the next library: all that differ from the program
  /// that was built.
  var replaced: [Declaration] = []
  var added: [Declaration] = []

  /// For each declaration that cannot be replaced, a text with the reason.
  var refusals: [String] = []

  /// Whether the next library would change nothing.
  var isEmpty: Bool { replaced.isEmpty && added.isEmpty && refusals.isEmpty }

  /// Compares a file with the one that the program was built of.
  ///
  /// - Parameters:
  ///   - built: The declarations of the file that the program was built of.
  ///   - current: The file's declarations now.
  ///   - loaded: The texts of the declarations that libraries have replaced so far, by their keys:
  ///     a body that is again as it was built is replaced once more.
  init(from built: [Declaration], to current: [Declaration], loaded: [String: String]) {
    let before = Dictionary(built.map { ($0.key, $0) }) { first, _ in first }
    let after = Dictionary(current.map { ($0.key, $0) }) { first, _ in first }
    for declaration in current {
      let original = before[declaration.key]
      switch declaration.kind {
      case .fixed(let reason):
        if original?.text != declaration.text {
          refusals.append(
            "\(declaration.name) \(original == nil ? "is new" : "has changed"): \(reason)")
        }
      case .replaceable where original == nil:
        if declaration.patch?.addition == nil {
          refusals.append(
            "\(declaration.name) is new: an override has no place in the class's table")
        } else {
          added.append(declaration)
        }
      case .replaceable:
        if original?.text != declaration.text || loaded[declaration.key] != nil {
          replaced.append(declaration)
        }
      }
    }
    for declaration in built where after[declaration.key] == nil {
      if case .fixed(let reason) = declaration.kind {
        refusals.append("\(declaration.name) is gone: \(reason)")
      }
    }
  }

  /// The names of the declarations that differ from the last library, for messages.
  func names(since loaded: [String: String], _ built: [Declaration]) -> [String] {
    let built = Dictionary(built.map { ($0.key, $0.text) }) { first, _ in first }
    func differs(_ declaration: Declaration) -> Bool {
      (loaded[declaration.key] ?? built[declaration.key]) != declaration.text
    }
    return replaced.filter(differs).map(\.name)
      + added.filter(differs).map { loaded[$0.key] == nil ? "\($0.name) (new)" : $0.name }
  }
}
#endif
