import CommandOptionsAndResults
import Invocations
import TypeEncodings

extension ValueWriter {
  /// Converts a vector, or an array inside a record or buffer: a list with as many elements.
  mutating func array(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    guard case .array(let values) = value, let (count, type) = encoding.listedElements
    else { throw Self.mismatch(value, "a list for \(encoding)", at: place) }
    try Self.check(values.count, isElementCountOf: encoding, count, at: place)
    // Zero-sized elements have no memory to write to.
    guard try type.layout(at: place).size > 0 else { return .array([]) }
    var elements: [CValue] = []
    for (index, value) in values.enumerated() {
      elements.append(try cValue(value, as: type, at: "\(place), element \(index)"))
    }
    return .array(elements)
  }

  /// Converts a structure: a list with one element for each member of non-zero width, or an object.
  mutating func structure(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    let members = encoding.valueMembers
    let values: [JSONValue]
    switch value {
    case .array(let list): values = list
    case .object(let named): values = try Self.values(named, of: encoding, at: place)
    default:
      throw Self.mismatch(
        value, "a list of the members of \(encoding), or an object by their names,", at: place)
    }
    guard values.count == members.count else {
      throw Failure(
        code: "typeMismatch",
        message: "\(place): \(encoding) has \(members.count.of("member")), \(values.count.areGiven)"
      )
    }
    var made: [CValue] = []
    for (index, value) in values.enumerated() {
      made.append(try member(value, members[index].encoding, at: "\(place), member \(index)"))
    }
    return .structure(made)
  }

  /// The values of an object, in the order of the structure's members.
  private static func values(
    _ named: [JSONValue.Member], of encoding: TypeEncoding, at place: String
  ) throws(Failure) -> [JSONValue] {
    let names = encoding.valueMembers.map(\.name)
    var values: [JSONValue] = []
    for (index, name) in names.enumerated() {
      guard let name, names.filter({ $0 == name }).count == 1 else {
        throw Failure(
          code: "typeMismatch",
          message: "\(place): member \(index) of \(encoding) has no name of its own; give a list")
      }
      guard let member = named.first(where: { $0.name == name }) else {
        throw Failure(
          code: "typeMismatch", message: "\(place): the member \"\(name)\" is missing")
      }
      values.append(member.value)
    }
    if let unknown = named.first(where: { !names.contains($0.name) }) {
      throw Failure(
        code: "typeMismatch", message: "\(place): \(encoding) has no member \"\(unknown.name)\"")
    }
    return values
  }

  /// Converts a union, `{"member": index, "value": v}`; its other bytes are zero.
  mutating func union(
    _ value: JSONValue, as encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    guard case .object(let given) = value, given.count == 2,
      let chosen = given.first(where: { $0.name == "member" })?.value,
      let content = given.first(where: { $0.name == "value" })?.value
    else {
      throw Self.mismatch(value, #"a union {"member": index, "value": v}"#, at: place)
    }
    let members = encoding.valueMembers
    let index = try Self.integer(chosen, Int.self, at: "\(place), the union's member")
    guard members.indices.contains(index) else {
      throw Self.outOfRange(
        chosen, "\(encoding) has \(members.count.of("member")), counted from 0", at: place)
    }
    return .member(
      index: index,
      value: try member(content, members[index].encoding, at: "\(place), member \(index)"))
  }

  private mutating func member(
    _ value: JSONValue, _ encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    guard case .bitField(let bits) = encoding.type else {
      return try cValue(value, as: encoding, at: place)
    }
    let integer =
      bits.placement?.base == .bool
      ? (try Self.bool(value, at: place) ? 1 : 0) : try Self.integer(value, Int128.self, at: place)
    guard bits.values.contains(integer) else {
      throw Self.outOfRange(value, "the bit-field has \(bits.width.of("bit"))", at: place)
    }
    return .integer(integer)
  }
}

extension TypeEncoding {
  /// The layout of the type, or a failure with the reason why it has none.
  func layout(at place: String) throws(Failure) -> TypeLayout {
    try Failure.catching(at: place) { try layout() }
  }
}
