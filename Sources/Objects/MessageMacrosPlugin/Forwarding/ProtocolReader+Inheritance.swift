#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads the protocols from which a protocol inherits.
extension ProtocolReader {
  mutating func readInheritance() -> (names: [String], isSendable: Bool) {
    var names: [String] = []
    var isSendable = false
    var isClassBound = false
    // A protocol that cannot be forwarded at all needs no other remedy.
    defer { if !isClassBound && diagnostics.isEmpty { diagnoseValues() } }
    for type in inheritedTypes {
      let name = type.trimmedDescription
      switch name {
      case "AnyObject": isClassBound = true
      case "Sendable", "Swift.Sendable": isSendable = true
      case "Actor", "_Concurrency.Actor", "AnyActor", "DistributedActor":
        report(
          type, "actor",
          "a forwarder is no actor: its targets would be isolated to themselves; isolate the protocol to a global actor, or make it Sendable"
        )
      case _ where type.is(MemberTypeSyntax.self):
        report(
          type, "qualifiedProtocol",
          "a protocol that is declared with @Forwarding is inherited by its plain name; if \(name) is not, declare a protocol of your own with its requirements"
        )
      case _ where Self.standard.contains(name):
        report(
          type, "foreignProtocol",
          "\(name) has no forwarder, because it is not declared with @Forwarding; remove it, or declare a protocol of your own with its requirements"
        )
      default:
        names.append(name)
        isClassBound = true
      }
    }
    return (names, isSendable)
  }

  private mutating func diagnoseValues() {
    report(
      declaration.name, "notClassBound",
      "targets are objects: \(declaration.name.text) must inherit from AnyObject",
      addAnyObject())
  }

  private var inheritedTypes: [TypeSyntax] {
    (declaration.inheritanceClause?.inheritedTypes ?? []).flatMap { element in
      element.type.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [element.type]
    }
  }

  private func addAnyObject() -> FixIt {
    var changed = declaration
    let object = TypeSyntax("AnyObject")
    if var clause = declaration.inheritanceClause {
      let first = InheritedTypeSyntax(
        type: object, trailingComma: .commaToken(trailingTrivia: .space))
      clause.inheritedTypes.insert(first, at: clause.inheritedTypes.startIndex)
      changed.inheritanceClause = clause
    } else {
      changed.name.trailingTrivia = []
      changed.inheritanceClause = InheritanceClauseSyntax(
        colon: .colonToken(trailingTrivia: .space),
        inheritedTypes: [InheritedTypeSyntax(type: object, trailingTrivia: .space)])
    }
    return Remedy.replace("inherit from AnyObject", declaration, by: changed)
  }

  private static let standard: Set<String> = [
    "Equatable", "Hashable", "Comparable", "Identifiable", "Codable", "Encodable", "Decodable",
    "Error", "CustomStringConvertible", "CustomDebugStringConvertible", "Sequence", "Collection",
    "IteratorProtocol", "RawRepresentable", "CaseIterable", "Strideable", "Numeric",
    "LosslessStringConvertible", "TextOutputStream", "MessageReceiver",
  ]
}
#endif
