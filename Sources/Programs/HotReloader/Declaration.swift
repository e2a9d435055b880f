#if Macros
/// A declaration of a source file, as far as a running program is concerned.
struct Declaration {
  enum Kind {
    /// A function or a computed property, whose body can be replaced.
    case replaceable
    /// A declaration that cannot change while the program runs, for a reason.
    case fixed(reason: String)
  }

  let kind: Kind

  /// A text that identifies the declaration in its file, and stays if only a body changes.
  let key: String

  /// The declaration's name in messages.
  let name: String

  /// The tokens that are compared: those of the body, or of the whole declaration if it is fixed.
  let text: String

  /// The declaration as a member of a library that replaces it.
  var patch: Patch?

  /// The parts of the generated code.
  struct Patch {
    /// The type that has the declaration, and the enclosing types, the innermost first; empty
    /// outside of types.
    let type: String
    let enclosing: [String]

    /// The head of an extension around the code, such as `extension Outer.Inner`; empty outside of
    /// types.
    let header: String

    /// The directive before the code by which the compiler's words, and debuggers, name its place.
    let directive: String

    /// The code of the replacement, given the number of the library.
    let replacement: @Sendable (Int) -> String

    /// The code of the declaration itself, for a program that does not have it; nil if it cannot be
    /// added.
    let addition: String?
  }
}
#endif
