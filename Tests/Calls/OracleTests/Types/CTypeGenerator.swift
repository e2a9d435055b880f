import TestSupport

/// Makes random C types: the same ones from the same seed.
struct CTypeGenerator {
  private var random: SeededGenerator
  private var nameCount = 0

  /// About how many bytes a record may take.
  private let sizeLimit: Int

  /// How many scalars in a hundred are vectors.
  private let vectorPercent: Int

  /// The records with tags, in the order in which C must see them.
  private(set) var definitions: [CRecord] = []

  /// Begins at a seed.
  ///
  /// - Parameters:
  ///   - seed: The source of all choices.
  ///   - sizeLimit: About how many bytes a record may take.
  ///   - vectorPercent: How many scalars in a hundred are vectors, of which clang writes no encoding.
  init(seed: UInt64, sizeLimit: Int, vectorPercent: Int = 0) {
    self.vectorPercent = vectorPercent
    random = SeededGenerator(seed: seed)
    self.sizeLimit = sizeLimit
  }

  /// The next type.
  mutating func next() -> CType {
    switch number(below: 100) {
    case ..<20: return .scalar(scalar())
    case ..<25:
      return array(of: chance(50) ? .scalar(scalar()) : .record(record(depth: 2)), limit: 64)
    default: return .record(record(depth: 3))
    }
  }

  private mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &random)
  }

  private mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[number(below: choices.count)]
  }

  private mutating func newName(_ prefix: String) -> String {
    nameCount += 1
    return "\(prefix)\(nameCount)"
  }
}

extension CTypeGenerator {
  private mutating func scalar() -> CScalar {
    if vectorPercent > 0, chance(vectorPercent) { return pick(CScalar.vectors) }
    var scalar =
      switch number(below: 100) {
      case ..<38: pick(CScalar.integers)
      case ..<43: pick(CScalar.wideIntegers)
      case ..<48: CScalar.bool
      case ..<68: pick(CScalar.floatingPoint)
      case ..<76: pick(CScalar.complexes)
      case ..<77: pick(CScalar.complexIntegers)
      case ..<83: pick(CScalar.enumerations)
      case ..<88: pick(CScalar.texts)
      case ..<99: pick(CScalar.pointers)
      default: pick(CScalar.references)
      }
    switch scalar.values {
    case .text, .null: break
    default: scalar.isAtomic = chance(4)
    }
    return scalar
  }

  private mutating func array(of element: CType, limit: Int) -> CType {
    if case .array = element { return element }
    let room = max(1, limit / max(roughSize(element), 1))
    if chance(3) { return .array(element, counts: [0]) }
    guard chance(20), room >= 4 else {
      return .array(element, counts: [1 + number(below: min(room, 12))])
    }
    return .array(element, counts: [2, 1 + number(below: min(room / 2, 5))])
  }

  /// A record, with or without tag; now and then one that was made before.
  private mutating func record(depth: Int) -> CRecord {
    if depth < 3, !definitions.isEmpty, chance(30) {
      let known = pick(definitions)
      if roughSize(.record(known)) <= sizeLimit / 2 { return known }
    }
    let hasTag = chance(80)
    let prefix = chance(50) ? "S" : "record_"
    var record = CRecord(isUnion: chance(18), tag: hasTag ? newName(prefix) : nil)
    fill(&record, depth: depth)
    if hasTag { definitions.append(record) }
    return record
  }

  private mutating func fill(_ record: inout CRecord, depth: Int) {
    if chance(1) { return }
    // Records that travel in registers are as frequent as larger ones.
    var room = chance(50) ? 1 + number(below: 16) : 1 + number(below: sizeLimit / (4 - depth))
    let isUniform = chance(20) ? scalar() : nil
    let isOfBits = chance(15)
    repeat {
      let member: CMember
      if isOfBits && chance(85) || chance(12) {
        member = bitField(in: record)
      } else if let isUniform {
        member = .field(newName("m"), .scalar(isUniform))
      } else {
        member = self.member(depth: depth, room: room)
      }
      record.members.append(member)
      if !record.isUnion || chance(60) { room -= max(2, roughSize(member)) }
    } while room > 0 && record.members.count < 16
    let named = record.members.indices.filter { index in
      if case .bits(nil, _, _) = record.members[index] { false } else { true }
    }
    record.activeMember = named.isEmpty ? 0 : pick(named)
  }

  private mutating func member(depth: Int, room: Int) -> CMember {
    let choice = number(below: 100)
    if depth > 0, choice < 18 { return .field(newName("m"), .record(record(depth: depth - 1))) }
    if depth > 0, choice < 24 {
      var record = CRecord(isUnion: chance(40), tag: nil)
      fill(&record, depth: depth - 1)
      return .anonymous(record)
    }
    if choice < 40 {
      let element: CType =
        depth > 0 && chance(35) ? .record(record(depth: depth - 1)) : .scalar(scalar())
      return .field(newName("m"), array(of: element, limit: max(room, 8)))
    }
    return .field(newName("m"), .scalar(scalar()))
  }

  private mutating func bitField(in record: CRecord) -> CMember {
    let (base, limit) = pick(CScalar.bitFieldBases)
    if chance(10), !record.members.isEmpty { return .bits(nil, base, width: 0) }
    // Full widths and narrow ones are more frequent than chance makes them.
    let width =
      switch number(below: 10) {
      case 0: limit
      case 1...4: 1 + number(below: min(limit, 8))
      default: 1 + number(below: limit)
      }
    // C demands a member with a name.
    let isNamed = record.members.contains { member in
      if case .bits(nil, _, _) = member { false } else { true }
    }
    return .bits(chance(25) && isNamed ? nil : newName("b"), base, width: width)
  }
}

/// An estimate of a type's size that keeps records small; only clang knows the size.
private func roughSize(_ type: CType) -> Int {
  switch type {
  case .scalar(let scalar):
    switch scalar.values {
    case .wideInteger: 16
    case .truth: 1
    case .floatingPoint: scalar.name == "long double" ? 16 : scalar.name == "float" ? 4 : 8
    case .complex(let part): part == "long double" ? 32 : part == "double" ? 16 : 8
    case .integer: scalar.name.contains("char") ? 1 : scalar.name.contains("short") ? 2 : 6
    case .text, .pointer, .null: 8
    case .vector: 16
    }
  case .record(let record):
    record.isUnion
      ? record.members.map(roughSize).max() ?? 0 : record.members.map(roughSize).reduce(0, +)
  case .array(let element, let counts): roughSize(element) * counts.reduce(1, *)
  }
}

private func roughSize(_ member: CMember) -> Int {
  switch member {
  case .field(_, let type): roughSize(type)
  case .bits(_, _, let width): (width + 7) / 8
  case .anonymous(let record): roughSize(.record(record))
  }
}
