/// Determines what the encoding of bit-fields does not say: their declared types, and whether they
/// have names.
///
/// All layouts that the encoding allows are computed. Those that a call rules out by the size of
/// its frame or by its struct-return flag are left out, and the others must be passed alike. A
/// declared type is `__int128` only if the width demands it.
enum BitFieldBases {
  /// In records with more members than this no bit-fields are settled.
  static let maximumMemberCount = 256

  /// With more bit-fields without declared type than this, nothing is settled.
  private static let maximumCount = 64

  /// With more of them than this in all arguments together, if each argument had as many, nothing
  /// is settled.
  private static let maximumTotal = 1024

  /// With more layouts than this, nothing is settled.
  private static let maximumLayoutCount = 256

  /// The layout of a type in a call.
  ///
  /// - Parameters:
  ///   - encoding: The type.
  ///   - isExact: Whether all layouts must be the same, and not only be passed alike.
  ///   - isPossible: Whether the type can have a size, as far as the call tells.
  ///   - code: The error code if no layout has a possible size, given the largest size of all.
  /// - Returns: The smallest layout; all layouts take as many words of eight bytes. Bit-fields
  ///   without declared type have no layout in it, and fields that the layouts place differently
  ///   are not settled.
  /// - Throws: `ambiguousLayout` if the layouts are passed differently, and the given code.
  static func layout(
    of encoding: TypeEncoding, isExact: Bool, where isPossible: (Int) -> Bool,
    otherwise code: (Int) -> ErrorCode
  ) throws(LayoutRefusal) -> TypeLayout {
    guard encoding.holds({ $0.kind == .bitField }) else {
      return try LayoutCalculation.layout(of: encoding)
    }
    let count = encoding.countOfBitFieldsWithoutType
    guard count <= maximumCount else { throw tooMany(count, 1) }
    let all = try layouts(of: encoding)
    let fitting = all.filter { isPossible($0.size) }
    guard var result = fitting.min(by: { $0.size < $1.size }) else {
      if count == 0 { return all[0] }
      throw LayoutRefusal(
        code: code(all.map(\.size).max() ?? 0),
        message: "no choice of declared types gives the bit-fields of \(encoding) the size that "
          + "the record has in the call; pass it by pointer")
    }
    let isExact = isExact || encoding.holds(\.isFloatingPoint)
    for other in fitting {
      guard passing(other, of: encoding, isExact) == passing(result, of: encoding, isExact) else {
        throw ambiguity(encoding, result, other)
      }
      // A copy of the smallest layout must hold all members of the others.
      guard other.end(in: encoding) <= result.size * 8 else {
        throw ambiguity(encoding, result, other)
      }
      result.unsettle(by: other)
    }
    return result
  }

  /// Throws if the search for declared types would take seconds because the signature is too long.
  static func checkSearch(
    in encoding: TypeEncoding, argumentCount: Int
  ) throws(LayoutRefusal) {
    let count = encoding.countOfBitFieldsWithoutType
    guard count > maximumCount || count * argumentCount > maximumTotal else { return }
    throw tooMany(count, argumentCount)
  }

  private static func tooMany(_ count: Int, _ argumentCount: Int) -> LayoutRefusal {
    LayoutRefusal(
      code: .ambiguousLayout,
      message: "\(count) bit-fields do not say their declared types, in one of "
        + "\(argumentCount.of("argument")); at most \(maximumCount) are tried, in all arguments "
        + "\(maximumTotal): write them as b<offset><type><width>")
  }

  // MARK: - All layouts

  /// The different layouts of a type; for a record, first the layout with names for all bit-fields.
  private static func layouts(of encoding: TypeEncoding) throws(LayoutRefusal) -> [TypeLayout] {
    guard encoding.holds({ $0.kind == .bitField }), !encoding.qualifiers.contains(.atomic) else {
      return [try LayoutCalculation.layout(of: encoding)]
    }
    switch encoding.type {
    case .array(_, let element):
      // An element is read by its own encoding, which has to settle it.
      let all = try layouts(of: element)
      guard all.count == 1 else { throw ambiguity(element, all[0], all[1]) }
      return [try LayoutCalculation.layout(of: encoding)]
    case .structure(let record): return try layouts(of: record, isUnion: false)
    case .union(let record): return try layouts(of: record, isUnion: true)
    default: return [try LayoutCalculation.layout(of: encoding)]
    }
  }

  private static func layouts(
    of record: RecordEncoding, isUnion: Bool
  ) throws(LayoutRefusal) -> [TypeLayout] {
    let fields = record.fields ?? []
    guard fields.count <= maximumMemberCount else {
      throw LayoutRefusal(
        code: .ambiguousLayout,
        message: "bit-fields are settled only in records of at most \(maximumMemberCount) members; "
          + "pass it by pointer")
    }
    // All bit-fields have names, only those of smaller types, or none.
    let known = Set(fields.compactMap { $0.encoding.alignmentOfBitField }).sorted()
    var begun = ([.max] + known.dropLast() + [0]).map {
      RecordLayout(isUnion: isUnion, largestNamed: $0)
    }
    for field in fields {
      begun = try extended(begun, by: field.encoding, isNamed: record.tellsName(of: field))
    }
    var layouts: [TypeLayout] = []
    for layout in begun {
      let layout = try layout.finished()
      if !layouts.contains(layout) { layouts.append(layout) }
    }
    return layouts
  }

  /// The beginnings of records with one more member, in all the ways in which it can be placed.
  private static func extended(
    _ begun: [RecordLayout], by encoding: TypeEncoding, isNamed: Bool?
  ) throws(LayoutRefusal) -> [RecordLayout] {
    var seen: Set<RecordLayout> = []
    var longer: [RecordLayout] = []
    var refusal: LayoutRefusal?
    func add(ways: Int, _ place: (inout RecordLayout) throws(LayoutRefusal) -> Void) {
      for var record in begun {
        do throws(LayoutRefusal) {
          try place(&record)
          if ways == 1 || seen.insert(record).inserted { longer.append(record) }
        } catch { refusal = refusal ?? error }
      }
    }
    if case .bitField(let bits) = encoding.type {
      if bits.placement != nil {
        add(ways: 1) { (record) throws(LayoutRefusal) in
          try LayoutCalculation.place(bits, isNamed: isNamed, in: &record)
        }
      } else {
        let sizes = bits.width > 64 ? [16] : [1, 2, 4, 8]
        for size in sizes {
          add(ways: sizes.count) { (record) throws(LayoutRefusal) in
            try record.append(
              bitsOf: TypeLayout(size: size, alignment: size), width: bits.width,
              isNamed: isNamed)
          }
        }
      }
    } else {
      let inner = try layouts(of: encoding)
      for layout in inner {
        add(ways: inner.count) { (record) throws(LayoutRefusal) in try record.append(layout) }
      }
    }
    guard !longer.isEmpty else { throw refusal ?? RecordLayout.overflow }
    guard longer.count <= maximumLayoutCount else {
      throw LayoutRefusal(
        code: .ambiguousLayout,
        message:
          "the bit-fields can be placed in more than \(maximumLayoutCount) ways; write them as "
          + "b<offset><type><width>")
    }
    return longer
  }

  // MARK: - Comparison

  /// The words that a record takes and those in which its members are: they decide how it is
  /// passed.
  ///
  /// Specification: System V ABI, AMD64 supplement, 3.2.3; AAPCS64, 6.8.2.
  private static func passing(
    _ layout: TypeLayout, of encoding: TypeEncoding, _ isExact: Bool
  ) -> [Int] {
    let head = [(layout.size + 7) / 8, max(layout.alignment, 8)]
    if isExact { return head + [layout.size] + layout.places }
    return layout.size > 16 ? head : head + words(of: encoding, layout, at: 0)
  }

  /// The first and the last word of each part that is passed.
  private static func words(
    of encoding: TypeEncoding, _ layout: TypeLayout, at offset: Int
  ) -> [Int] {
    guard let record = encoding.record else { return [offset / 8, (offset + layout.size - 1) / 8] }
    return zip(record.fields ?? [], layout.fields).flatMap { field, place -> [Int] in
      if let bit = place.bitOffset, case .bitField(let bits) = field.encoding.type {
        let first = 8 * offset + bit
        return [first / 64, (first + max(bits.width, 1) - 1) / 64]
      }
      return place.layout.map { words(of: field.encoding, $0, at: offset + place.offset) } ?? []
    }
  }

  private static func ambiguity(
    _ encoding: TypeEncoding, _ one: TypeLayout, _ other: TypeLayout
  ) -> LayoutRefusal {
    LayoutRefusal(
      code: .ambiguousLayout,
      message:
        "the bit-fields of \(encoding) say neither their declared types nor whether they have "
        + "names: it has \(one.summary), or \(other.summary), which are passed differently; give its "
        + "declaration in C, write b<offset><type><width>, or pass a pointer")
  }
}

extension TypeLayout {
  /// The places of the members, and of their members.
  fileprivate var places: [Int] {
    fields.flatMap { field -> [Int] in
      [field.bitOffset ?? field.offset] + (field.layout.map { [$0.size] + $0.places } ?? [])
    }
  }

  /// The bit behind the last member of a record; 0 for other types.
  fileprivate func end(in encoding: TypeEncoding) -> Int {
    zip(encoding.record?.fields ?? [], fields).reduce(0) { end, member in
      if let bit = member.1.bitOffset, case .bitField(let bits) = member.0.encoding.type {
        return max(end, bit + bits.width)
      }
      return max(end, 8 * (member.1.offset + (member.1.layout?.size ?? 0)))
    }
  }

  fileprivate var summary: String {
    let places = fields.map { $0.bitOffset.map { "bit \($0)" } ?? "byte \($0.offset)" }
    return
      "\(size.of("byte")) aligned to \(alignment) with members at \(places.joined(separator: ", "))"
  }

  /// Marks the fields that another layout places differently.
  fileprivate mutating func unsettle(by other: TypeLayout) {
    for index in fields.indices where index < other.fields.count {
      let theirs = other.fields[index]
      if fields[index].offset != theirs.offset || fields[index].bitOffset != theirs.bitOffset {
        fields[index].isSettled = false
      }
      if let layout = theirs.layout { fields[index].layout?.unsettle(by: layout) }
    }
  }
}

extension TypeEncoding {
  fileprivate var countOfBitFieldsWithoutType: Int {
    switch type {
    case .bitField(let bits): bits.placement == nil ? 1 : 0
    case .array(_, let element): element.countOfBitFieldsWithoutType
    case .structure(let record), .union(let record):
      (record.fields ?? []).reduce(0) { $0 + $1.encoding.countOfBitFieldsWithoutType }
    default: 0
    }
  }

  /// The alignment of a bit-field's declared type; nil if that is not known, and for other types.
  fileprivate var alignmentOfBitField: Int? {
    guard case .bitField(let bits) = type, let base = bits.placement?.base else { return nil }
    return try? LayoutCalculation.layout(of: TypeEncoding(.primitive(base))).alignment
  }

  fileprivate var isFloatingPoint: Bool {
    switch type {
    case .complex, .vector, .primitive(.float), .primitive(.double), .primitive(.longDouble): true
    default: false
    }
  }
}
