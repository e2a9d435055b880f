import CommandConventions
import Invocations
import TypeEncodings

// SAFETY, for the whole file: every slot's address is valid for its layout while the slot is used:
// whoever made the slot vouched for it.

extension ValueWriter {
  /// Writes an array inside a record or buffer: as many elements as it has.
  mutating func writeArray(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    guard case .array(let values) = value, case .array(let count, _) = unsafe slot.encoding.type
    else { throw unsafe Self.mismatch(value, "a list for \(slot.encoding)", at: place) }
    unsafe try Self.check(values.count, isElementCountOf: slot.encoding, count, at: place)
    let elements = unsafe try Self.parts(at: place) { () throws(InvocationError) in
      unsafe try slot.elements()
    }
    // Empty elements have no memory to be written to.
    for index in unsafe elements.indices {
      unsafe try write(values[index], to: elements[index], at: "\(place), element \(index)")
    }
  }

  /// Writes a structure: a list with one element for each member of non-zero width, or an object.
  mutating func writeStructure(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    let members = unsafe try Self.parts(at: place) { () throws(InvocationError) in
      unsafe try slot.members()
    }
    let values: [JSONValue]
    switch value {
    case .array(let list): values = list
    case .object(let named): values = unsafe try Self.values(named, of: slot, at: place)
    default:
      throw unsafe Self.mismatch(
        value, "a list of the members of \(slot.encoding), or an object by their names,", at: place)
    }
    guard unsafe values.count == members.count else {
      throw unsafe Failure(
        code: "typeMismatch",
        message: "\(place): \(slot.encoding) has \(members.count) members, "
          + "\(values.count) are given")
    }
    for index in values.indices {
      unsafe try write(values[index], to: members[index], at: "\(place), member \(index)")
    }
  }

  /// The values of an object, in the order of the structure's members.
  private static func values(
    _ named: [JSONValue.Member], of slot: ValueSlot, at place: String
  ) throws(Failure) -> [JSONValue] {
    let names = unsafe ValueReader.memberNames(of: slot.encoding)
    var values: [JSONValue] = []
    for (index, name) in names.enumerated() {
      guard let name, names.filter({ $0 == name }).count == 1 else {
        throw unsafe Failure(
          code: "typeMismatch",
          message: "\(place): member \(index) of \(slot.encoding) has no name of its own; "
            + "give a list")
      }
      guard let member = named.first(where: { $0.name == name }) else {
        throw Failure(
          code: "typeMismatch", message: "\(place): the member \"\(name)\" is missing")
      }
      values.append(member.value)
    }
    if let unknown = named.first(where: { !names.contains($0.name) }) {
      throw unsafe Failure(
        code: "typeMismatch",
        message: "\(place): \(slot.encoding) has no member \"\(unknown.name)\"")
    }
    return values
  }

  /// Writes a union, `{"member": index, "value": v}`; the rest of its bytes are zero.
  mutating func writeUnion(
    _ value: JSONValue, to slot: ValueSlot, at place: String
  ) throws(Failure) {
    guard case .object(let given) = value, given.count == 2,
      let member = given.first(where: { $0.name == "member" })?.value,
      let content = given.first(where: { $0.name == "value" })?.value
    else {
      throw Self.mismatch(value, #"a union {"member": index, "value": v}"#, at: place)
    }
    let members = unsafe try Self.parts(at: place) { () throws(InvocationError) in
      unsafe try slot.members()
    }
    let index = try Self.integer(member, Int.self, at: "\(place), the union's member")
    guard unsafe members.indices.contains(index) else {
      throw unsafe Self.outOfRange(
        member, "\(slot.encoding) has \(members.count) members, counted from 0", at: place)
    }
    unsafe slot.address.initializeMemory(as: UInt8.self, repeating: 0, count: slot.layout.size)
    unsafe try write(content, to: members[index], at: "\(place), member \(index)")
  }

  private mutating func write(
    _ value: JSONValue, to member: ValueSlot.Member, at place: String
  ) throws(Failure) {
    switch unsafe member {
    case .slot(let slot): unsafe try write(value, to: slot, at: place)
    case .bits(let bits):
      let integer =
        unsafe bits.base == .bool
        ? (try Self.bool(value, at: place) ? 1 : 0)
        : try Self.integer(value, Int128.self, at: place)
      guard unsafe bits.set(integer) else {
        throw unsafe Self.outOfRange(value, "the bit-field has \(bits.width) bits", at: place)
      }
    }
  }

  /// Looks into a value, with the library's refusal as a failure.
  static func parts<Parts>(
    at place: String, _ body: () throws(InvocationError) -> Parts
  ) throws(Failure) -> Parts {
    do throws(InvocationError) {
      return try body()
    } catch {
      throw Failure(code: error.code.rawValue, message: "\(place): \(error.message)")
    }
  }
}
