#if Macros
import SwiftSyntax

/// The names of requirements as messages, as Swift's `@objc` makes them.
enum SelectorName {
  /// The selector of a method.
  ///
  /// `With` joins the first label, unless the label's first word or the method's last word is a
  /// preposition.
  static func of(method base: String, labels: [String?]) -> String {
    guard let first = labels.first else { return base }
    var name = base
    if let label = first {
      let joins = prepositions.contains(firstWord(label)) || prepositions.contains(lastWord(base))
      name += (joins ? "" : "With") + Spelling.capitalised(label)
    }
    return name + ":" + labels.dropFirst().map { ($0 ?? "") + ":" }.joined()
  }

  /// The selector of a method: that of its attribute `@SentAs`, or else the one made of its name.
  static func of(_ function: FunctionDeclSyntax) -> String {
    function.attributes.attribute("SentAs")?.text
      ?? of(method: Spelling.bare(function.name.text), labels: function.labels)
  }

  /// The selector of a property's setter.
  static func of(setter property: String) -> String { "set\(Spelling.capitalised(property)):" }

  private static func firstWord(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst().prefix { !$0.isUppercase && $0 != "_" }
  }

  private static func lastWord(_ name: String) -> String {
    let start = name.lastIndex { $0.isUppercase } ?? name.startIndex
    return name[start...].lowercased()
  }

  private static let prepositions: Set<String> = [
    "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for",
    "from", "given", "in", "including", "inside", "into", "matching", "of", "on", "passing",
    "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
  ]
}
#endif
