/// A type of C, as the oracles write it into the source that clang compiles.
indirect enum CType {
  case scalar(CScalar)
  case record(CRecord)
  case array(CType, counts: [Int])

  /// The type in front of a declared name; an array's counts come behind it.
  var spelling: String {
    switch self {
    case .scalar(let scalar): scalar.spelling
    case .record(let record): record.spelling
    case .array(let element, _): element.spelling
    }
  }

  /// A declaration of a name.
  func declaration(of name: String) -> String {
    guard case .array(_, let counts) = self else { return "\(spelling) \(name)" }
    return "\(spelling) \(name)" + counts.map { "[\($0)]" }.joined()
  }

  /// Whether a parameter of the type has the type itself: an array is passed as a pointer.
  var isPassedByValue: Bool {
    if case .array = self { return false }
    return true
  }
}

/// A type without members.
struct CScalar {
  /// What its random values are made from and which of its bytes count.
  enum Values {
    case integer
    case wideInteger
    case truth
    /// A number of random sign and size that is never a signalling one.
    case floatingPoint
    case complex(part: String)
    case vector(count: Int, element: String)
    /// A pointer to one of the texts that the library holds; only the text counts.
    case text
    case pointer
    /// A pointer that only null can stand for.
    case null
  }

  let name: String
  let values: Values
  var isAtomic = false

  /// The type as written, with `_Atomic` if it is atomic.
  var spelling: String { isAtomic ? "_Atomic(\(name))" : name }
}

/// A structure or union.
struct CRecord {
  let isUnion: Bool

  /// The tag; nil if the record is written where it is used.
  let tag: String?

  var members: [CMember] = []

  /// The one member of a union that holds a value.
  var activeMember = 0

  var keyword: String { isUnion ? "union" : "struct" }

  /// The type as a member's declaration writes it.
  var spelling: String {
    if let tag { return "\(keyword) \(tag)" }
    return "\(keyword) { \(body)}"
  }

  /// The definition of a record with a tag.
  var definition: String { "\(keyword) \(tag ?? "") { \(body)};" }

  private var body: String {
    members.map { $0.declaration + "; " }.joined()
  }

  /// The members that hold values: all of a structure, one of a union.
  var activeMembers: [CMember] {
    guard isUnion else { return members }
    return members.indices.contains(activeMember) ? [members[activeMember]] : []
  }
}

/// One member of a record.
enum CMember {
  case field(String, CType)
  /// Without a name it holds no value.
  case bits(String?, CScalar, width: Int)
  /// C11's anonymous record, whose members belong to the record around it.
  case anonymous(CRecord)

  var declaration: String {
    switch self {
    case .field(let name, let type): type.declaration(of: name)
    case .bits(let name, let base, let width): "\(base.name) \(name ?? ""): \(width)"
    case .anonymous(let record): record.spelling
    }
  }
}
