#if Macros
import SwiftSyntax

/// The names and the selectors that a macro gives members, which must differ.
struct MemberNames {
  private let members: String
  private let named: String
  private var names: Set<String> = []
  private var selectors: Set<String> = []

  /// - Parameters:
  ///   - members: The word for the members that have the names, in the plural.
  ///   - named: The word for the things that get the names, in the plural.
  init(_ members: String, _ named: String) { (self.members, self.named) = (members, named) }

  /// Reports a name that another member has.
  mutating func diagnose(_ name: String, _ node: Syntax, in reader: inout some DeclarationReader) {
    let name = Spelling.bare(name)
    guard !names.insert(name).inserted else { return }
    reader.report(
      node, "sameName", "two \(members) have \(named) of the name `\(name)`; name one with @Named",
      Remedy.add(attribute: "@Named(\"<#name#>\")", to: node))
  }

  /// Reports a selector that another member has, or that does not fit its arguments.
  mutating func diagnose(
    selector: String, isOfClass: Bool = false, _ argumentCount: Int, _ node: Syntax,
    in reader: inout some DeclarationReader
  ) {
    if !selectors.insert((isOfClass ? "+" : "") + selector).inserted {
      reader.report(
        node, "sameSelector",
        "two \(members) are sent as `\(selector)`; choose another selector for one with @SentAs",
        Remedy.add(attribute: "@SentAs(\"<#selector#>\")", to: node))
    }
    if selector.count(where: { $0 == ":" }) != argumentCount {
      reader.report(
        node, "selectorColons", "the selector `\(selector)` needs one colon for each argument")
    }
  }
}
#endif
