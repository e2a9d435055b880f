#if Everything
import Foundation

/// A JSON Schema of the words that `Docs/*.schema.json` use.
struct JSONSchema {
  private let root: [String: Any]

  struct Unknown: Error { let word: String }

  init(_ data: Data) throws {
    root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// What a document has that the schema does not allow, each with its place.
  func faults(of document: Any) throws -> [String] { try faults(document, root, "") }

  private func faults(_ value: Any, _ schema: [String: Any], _ place: String) throws -> [String] {
    var faults: [String] = []
    for (word, rule) in schema {
      switch word {
      case "$schema", "$defs", "title", "description", "properties": break
      case "$ref":
        let name = (rule as? String)?.split(separator: "/").last.map(String.init) ?? ""
        guard let definition = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
          throw Unknown(word: name)
        }
        faults += try self.faults(value, definition, place)
      case "enum":
        let values = rule as? [NSObject] ?? []
        if !values.contains(where: { $0.isEqual(value) }) { faults.append("\(place) is \(value)") }
      case "type":
        let types = rule as? [String] ?? [rule as? String ?? ""]
        if !types.contains(Self.type(of: value)), !types.contains("any") {
          faults.append("\(place) is of type \(Self.type(of: value))")
        }
      case "required":
        // Values of other types are none of this rule's business.
        guard let members = value as? [String: Any] else { break }
        for name in rule as? [String] ?? [] where members[name] == nil {
          faults.append("\(place)/\(name) is missing")
        }
      case "additionalProperties":
        let known = schema["properties"] as? [String: Any] ?? [:]
        for name in (value as? [String: Any] ?? [:]).keys where known[name] == nil {
          faults.append("\(place)/\(name) is not described")
        }
      case "items":
        for (index, element) in (value as? [Any] ?? []).enumerated() {
          faults += try self.faults(element, rule as? [String: Any] ?? [:], "\(place)/\(index)")
        }
      default: throw Unknown(word: word)
      }
    }
    for (name, rule) in schema["properties"] as? [String: Any] ?? [:] {
      guard let member = (value as? [String: Any])?[name] else { continue }
      faults += try self.faults(member, rule as? [String: Any] ?? [:], "\(place)/\(name)")
    }
    return faults
  }

  private static func type(of value: Any) -> String {
    switch value {
    case is NSNull: "null"
    case is String: "string"
    case is [Any]: "array"
    case is [String: Any]: "object"
    // Foundation's own numbers are booleans only if they were `true` and `false`.
    case let number as NSNumber
    where number === NSNumber(value: true) || number === NSNumber(value: false):
      "boolean"
    case let number as NSNumber where number.doubleValue.rounded() == number.doubleValue: "integer"
    default: "number"
    }
  }
}
#endif
