#if Macros
/// A declaration of a source file, as far as a running program is concerned.
struct Declaration {
  enum Kind {
    /// A function or a computed property, whose body can be replaced.
    case replaceable
    /// What cannot change while the program runs, and why.
    case fixed(reason: String)
  }

  let kind: Kind

  /// Identifies the declaration in its file; unchanged where only a body changes.
  let key: String

  /// What messages call it.
  let name: String

  /// What is compared: the tokens of a body, or those of a whole declaration that is fixed.
  let text: String

  /// The declaration as a member of a library that replaces it.
  var patch: Patch?

  /// The parts of the generated code.
  struct Patch {
    /// The type that has the declaration, and those around it, the innermost first; empty outside of
    /// types.
    let type: String
    let enclosing: [String]

    /// The extension around it, such as `extension Outer.Inner`; empty outside of types.
    let header: String

    /// What stands before it so that the compiler's words, and debuggers, name its place.
    let place: String

    /// The code of the replacement, given the number of the library.
    let replacement: @Sendable (Int) -> String

    /// The code of the declaration itself, where the program does not have it; nil if it cannot be
    /// added.
    let addition: String?
  }
}

/// What has changed in a source file.
struct FileChange {
  /// What is compiled into the next library: all that differs from the program that was built.
  var replaced: [Declaration] = []
  var added: [Declaration] = []

  /// What cannot be replaced, with the reasons.
  var refusals: [String] = []

  /// Whether the next library would change nothing.
  var isEmpty: Bool { replaced.isEmpty && added.isEmpty && refusals.isEmpty }

  /// Compares a file with the one that the program was built of.
  ///
  /// - Parameters:
  ///   - built: The declarations of the file that the program was built of.
  ///   - current: Those of the file now.
  ///   - loaded: The texts of what libraries have replaced so far, by their keys: a body that is
  ///     again as it was built is replaced once more.
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

  /// The names of what differs from the last library, for messages.
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
