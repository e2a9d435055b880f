import CommandOptionsAndResults
import TypeEncodings

extension TypeDescription {
  /// The type as a JSON object, with the members in the documented order.
  var json: JSONValue { .object(members) }

  /// The members of the type's JSON object.
  var members: [JSONValue.Member] {
    [
      ("encoding", .string(encoding.description)), ("kind", .string(encoding.kind.rawValue)),
      ("name", .optional(recordName)),
    ] + bitFieldOffset + extentMembers
  }

  /// The member that a bit-field has before its size: the offset of its first byte.
  private var bitFieldOffset: [JSONValue.Member] {
    guard case .bits(let offset, _) = contents else { return [] }
    return [("offset", .optional(offset.map { $0 / 8 }))]
  }

  /// The size, the alignment and the members that follow them.
  private var extentMembers: [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      ("size", .optional(extent?.size)), ("alignment", .optional(extent?.alignment)),
    ]
    switch contents {
    case .nothing: break
    case .fields(let fields): members.append(("fields", .array(fields.map(\.json))))
    case .elements(let count, let element):
      members.append(("count", .integer(count)))
      members.append(("element", element.json))
    case .pointee(let pointee): members.append(("pointee", pointee?.json ?? .null))
    case .bits(let offset, let width):
      members.append(("bitOffset", .optional(offset)))
      members.append(("bitWidth", .integer(width)))
    }
    if let note { members.append(("note", .string(note))) }
    return members
  }
}

extension TypeDescription.Field {
  /// The member as a JSON object; its name is the field's, not that of a record in the field.
  var json: JSONValue {
    .object(
      [
        ("name", .optional(name)), ("encoding", .string(type.encoding.description)),
        ("kind", .string(type.encoding.kind.rawValue)), ("offset", .optional(offset)),
      ] + type.extentMembers)
  }
}
