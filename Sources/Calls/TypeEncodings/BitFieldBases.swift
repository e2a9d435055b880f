/// Determines what the encoding of bit-fields does not say, by trying it: the declared types of those
/// without one, and whether they have names.
enum BitFieldBases {
  /// With more bit-fields than this the search is refused.
  static let maximumCount = 5

  /// In records with more members than this the search is refused.
  private static let maximumMemberCount = 256

  /// In signatures with more arguments than this the search is refused.
  static let maximumArgumentCount = 256

  private static let sizes = [1, 2, 4, 8, 16]

  /// The number of bit-fields without declared type inside a record.
  static func count(in encoding: TypeEncoding) throws(LayoutRefusal) -> Int {
    var count = 0
    var memberCount = 0
    add(encoding, to: &count, memberCount: &memberCount)
    guard count == 0 || memberCount <= maximumMemberCount else {
      throw LayoutRefusal(
        code: .ambiguousLayout,
        message: "bit-fields without declared type are settled only in records of at most "
          + "\(maximumMemberCount) members; write them as b<offset><type><width>")
    }
    guard count <= maximumCount else {
      throw LayoutRefusal(
        code: .ambiguousLayout,
        message: "\(count) bit-fields do not say their declared types, more than the "
          + "\(maximumCount) that can be tried; write them as b<offset><type><width>")
    }
    return count
  }

  /// Throws if the search for declared types would take seconds because the signature is too long.
  static func checkSearch(
    in encoding: TypeEncoding, argumentCount: Int
  ) throws(LayoutRefusal) {
    guard argumentCount > maximumArgumentCount, try count(in: encoding) > 0 else { return }
    throw LayoutRefusal(
      code: .ambiguousLayout,
      message: "bit-fields without declared type are settled only in signatures of at most "
        + "\(maximumArgumentCount) arguments; write them as b<offset><type><width>")
  }

  private static func add(
    _ encoding: TypeEncoding, to count: inout Int, memberCount: inout Int
  ) {
    switch encoding.type {
    case .array(_, let element): add(element, to: &count, memberCount: &memberCount)
    case .structure(let record), .union(let record):
      memberCount += record.fields?.count ?? 0
      for field in record.fields ?? [] {
        if case .bitField(let bitField) = field.encoding.type, bitField.placement == nil {
          count += 1
        } else {
          add(field.encoding, to: &count, memberCount: &memberCount)
        }
      }
    default: return
    }
  }

  /// The layout on which all choices with a possible size agree.
  ///
  /// - Parameters:
  ///   - encoding: The record.
  ///   - count: The number of bit-fields without declared type.
  ///   - isPossible: Whether the record can have a size, as far as the call tells.
  ///   - code: The error code if no choice has a possible size, given the largest size of all.
  /// - Returns: The layout, without the bit-fields' declared types.
  /// - Throws: `ambiguousLayout` if the choices disagree, and the given code.
  static func layout(
    of encoding: TypeEncoding, count: Int, where isPossible: (Int) -> Bool,
    otherwise code: (Int) -> ErrorCode
  ) throws(LayoutRefusal) -> TypeLayout {
    var first: TypeLayout?
    var found: (layout: TypeLayout, places: [Int])?
    var largestSize: Int?
    var refusal: LayoutRefusal?
    var choice = Array(repeating: 0, count: count)
    repeat {
      for haveNames in [true, false] {
        var calculation = LayoutCalculation(
          assumedBaseSizes: choice.map { sizes[$0] }, bitFieldsHaveNames: haveNames)
        let layout: TypeLayout
        do throws(LayoutRefusal) {
          layout = try calculation.layout(of: encoding)
        } catch {
          refusal = refusal ?? error
          continue
        }
        first = first ?? layout
        largestSize = max(largestSize ?? 0, layout.size)
        if isPossible(layout.size) {
          // An alignment of up to 8 bytes makes no difference to how a value is passed.
          guard
            found.map({
              $0.places == calculation.places && $0.layout.size == layout.size
                && max($0.layout.alignment, 8) == max(layout.alignment, 8)
            }) ?? true
          else { throw ambiguity(encoding, count) }
          found = found ?? (layout, calculation.places)
        }
        if !calculation.hasBitFields { break }
      }
    } while advance(&choice)
    if let found { return found.layout }
    if count == 0, let first { return first }
    guard let largestSize else { throw refusal ?? RecordLayout.overflow }
    throw LayoutRefusal(
      code: code(largestSize),
      message: "no choice of declared types gives the bit-fields of \(encoding) the size that "
        + "the record has in the call; pass it by pointer")
  }

  private static func ambiguity(_ encoding: TypeEncoding, _ count: Int) -> LayoutRefusal {
    LayoutRefusal(
      code: .ambiguousLayout,
      message: count > 0
        ? "the bit-fields of \(encoding) do not say their declared types, which the record's size "
          + "does not settle; write them as b<offset><type><width>"
        : "\(encoding) does not say whether its bit-fields have names, and only such align a "
          + "record; pass a pointer instead, or, if all have names, assume a signature with "
          + "integers in their place")
  }

  /// Advances to the next choice; false after the last one.
  private static func advance(_ choice: inout [Int]) -> Bool {
    for index in choice.indices {
      choice[index] += 1
      if choice[index] < sizes.count { return true }
      choice[index] = 0
    }
    return false
  }
}
