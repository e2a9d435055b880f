#if Macros
import SwiftSyntax

/// The names of a requirement's parameters in the functions that are made for it.
///
/// A name is made if none is written, or if the written one could hide what the functions use.
struct ParameterNames {
  /// The names as they are written; nil for a parameter without a name.
  let written: [String?]

  init(_ parameters: [FunctionParameterSyntax]) {
    written = parameters.map { Spelling.variable($0.secondName ?? $0.firstName) }
  }

  subscript(index: Int) -> String {
    if let name = written[index], !Self.isUsed(name) { return name }
    var name = "argument\(index)"
    while written.contains(name) { name += "_" }
    return name
  }

  /// Whether the functions may use a name themselves: their own names begin with an underscore, and
  /// modules and types are capitalised.
  private static func isUsed(_ name: String) -> Bool {
    guard let first = Spelling.bare(name).first else { return true }
    return first == "_" || first.isUppercase || Spelling.bare(name) == "self"
  }
}
#endif
