/// A type that a declaration in C describes.
struct DeclaredType {
  /// A type without its qualifiers.
  indirect enum Shape {
    case primitive(PrimitiveType)
    case complex(PrimitiveType)
    /// An object, `id`.
    case object
    case pointer(DeclaredType)
    /// A block, by its function's type.
    case block(DeclaredFunction)
    /// An array; its count is nil if the declaration has none.
    case array(count: Int?, DeclaredType)
    case function(DeclaredFunction)
    case record(DeclaredRecord)
    /// A Swift type.
    case encoded(TypeEncoding)
  }

  let shape: Shape
  var isConstant = false
  var isAtomic = false

  /// How many types the type is made of, one inside the other.
  let depth: Int

  init(_ shape: Shape) {
    self.shape = shape
    depth =
      switch shape {
      case .primitive, .complex, .object, .encoded: 1
      case .record(let record): record.depth + 1
      case .pointer(let inner), .array(_, let inner): inner.depth + 1
      case .block(let function), .function(let function): function.depth + 1
      }
  }

  /// The type of a parameter that is declared with this type: arrays and functions are pointers.
  var asParameter: DeclaredType {
    switch shape {
    case .array(_, let element): DeclaredType(.pointer(element))
    case .function: DeclaredType(.pointer(self))
    default: self
    }
  }

  var isVoid: Bool {
    if case .primitive(.void) = shape { true } else { false }
  }

  /// The size, alignment and members; a record keeps its own.
  func layout() throws(LayoutRefusal) -> TypeLayout {
    switch shape {
    case .record(let record):
      guard let layout = record.layout else {
        throw LayoutRefusal(
          code: .noLayout, message: "\(record) is not complete; declare its members before")
      }
      guard !isAtomic else {
        throw LayoutRefusal(
          code: .noLayout, message: "an atomic record's encoding hides its padding; use a pointer")
      }
      return layout
    case .array(let count?, let element):
      var layout = try element.layout()
      let (size, overflow) = layout.size.multipliedReportingOverflow(by: count)
      guard !overflow, size <= RecordLayout.maximumSize else { throw RecordLayout.overflow }
      layout = TypeLayout(size: size, alignment: layout.alignment)
      return layout
    case .array(nil, _):
      throw LayoutRefusal(code: .noLayout, message: "an array without its count has no size")
    case .object, .pointer, .block: return TypeLayout(size: 8, alignment: 8)
    case .function: return try layout(of: .unknown)
    case .primitive(let primitive): return try layout(of: .primitive(primitive))
    case .complex(let part): return try layout(of: .complex(part))
    case .encoded(let encoding): return try layout(of: encoding.type)
    }
  }

  private func layout(of type: EncodedType) throws(LayoutRefusal) -> TypeLayout {
    try LayoutCalculation.layout(of: TypeEncoding(qualifiers: isAtomic ? [.atomic] : [], type))
  }
}

/// A function's result and parameters.
struct DeclaredFunction {
  let result: DeclaredType
  let parameters: [DeclaredType]

  /// Whether more arguments may follow those of the parameters.
  let isVariadic: Bool

  var depth: Int { parameters.reduce(result.depth) { max($0, $1.depth) } }
}

/// A structure or union; a reference, because its members may point to it.
///
/// A record that points to itself is a cycle of references, which the parser that made the record
/// breaks when it has ended.
final class DeclaredRecord {
  /// One member.
  struct Member {
    /// The name; nil for an anonymous record or a bit-field without a name.
    let name: String?
    let type: DeclaredType

    /// A bit-field's place; nil for other members.
    let bits: BitFieldEncoding?

    /// The layout; an array without count has no elements, as a flexible member.
    func layout() throws(LayoutRefusal) -> TypeLayout {
      guard case .array(nil, let element) = type.shape else { return try type.layout() }
      return TypeLayout(size: 0, alignment: try element.layout().alignment)
    }
  }

  let isUnion: Bool
  let tag: String?

  /// The members and their layout; nil before they are declared.
  private(set) var members: [Member]?
  private(set) var layout: TypeLayout?

  /// How many types its members are made of, one inside the other.
  private(set) var depth = 0

  init(isUnion: Bool, tag: String?) {
    self.isUnion = isUnion
    self.tag = tag
  }

  /// Stores the members of a record that had none.
  func complete(_ members: [Member], _ layout: TypeLayout) {
    self.members = members
    self.layout = layout
    depth = members.reduce(0) { max($0, $1.type.depth) }
  }

  /// Forgets the members.
  func end() { members = nil }
}

extension DeclaredRecord: CustomStringConvertible {
  /// The record as C names it.
  var description: String {
    let kind = isUnion ? "union" : "struct"
    return tag.map { "\(kind) \($0)" } ?? "the \(kind) without a name"
  }
}
