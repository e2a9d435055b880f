internal import LoadedClasses

/// Finds the references in a value, by its type: no code of the type runs, and nothing is retained
/// but the elements of the standard library's collections, for a moment.
struct ReferenceReader {
  var found: [FoundReference] = []

  /// The fields of types that were met, without those that hold no references.
  private var fields: [TypeMetadata: [StoredField]?] = [:]

  /// How deep a value may be nested in others.
  private static let depthLimit = 64
  private var depth = 0

  /// How many references are found before the reader stops.
  let limit: Int

  /// How many values may still be read: values that several others contain are read with each.
  private var valuesLeft = 1 << 22

  var isFull: Bool { found.count >= limit || valuesLeft == 0 }

  /// Whether types whose values are only bytes have parts that may refer to memory with references.
  private var hiding: [TypeMetadata: Bool] = [:]

  init(limit: Int) {
    self.limit = limit
    if limit < valuesLeft / 64 { valuesLeft = 64 * max(limit, 1) }
  }

  /// Takes the references that were found, so that the next object can be read.
  mutating func take() -> [FoundReference] {
    exchange(&found, with: [])
  }

  /// Notes that there may be references that cannot be seen.
  mutating func noteUnknown(_ path: String, _ type: TypeMetadata? = nil) {
    found.append(FoundReference(path: path, ownership: .unknown, type: type))
  }

  /// Leaves out the unknown places among what was found from an index on.
  mutating func dropUnknown(from index: Int) {
    found[index...].removeAll { $0.ownership == .unknown }
  }

  /// Notes a strong reference, unless it is null.
  mutating func note(
    _ path: String, _ object: Place?, _ type: TypeMetadata? = nil, code: RuntimeAddress? = nil,
    isBlock: Bool = false
  ) {
    guard let object else { return }
    let node = HeapNode(place: object, isBlock: isBlock)
    found.append(FoundReference(path: path, node: node, type: type, code: code))
  }

  /// Notes a reference that does not hold its object.
  mutating func note(
    _ path: String, _ ownership: HeldReference.Ownership, _ variable: Place, _ type: TypeMetadata?
  ) {
    // Read here, because the variable may be in a copy.
    let object = ownership == .weak ? variable.weakObject : nil
    found.append(FoundReference(path: path, ownership: ownership, weakObject: object, type: type))
  }

  /// Notes the context of a closure that is stored at a place.
  mutating func noteClosure(_ path: String, at place: Place) {
    let code = place.place()?.address
    note(path, place.place(at: 8), code: code)
  }
}

// MARK: - Values

extension ReferenceReader {
  /// Reads a value.
  mutating func read(_ path: String, at place: Place, _ type: TypeMetadata) {
    if type.isTrivial {
      if hidesMemory(type) { noteUnknown(path, type) }
      return
    }
    guard depth < Self.depthLimit, !isFull else { return noteUnknown(path, type) }
    valuesLeft -= 1
    depth += 1
    defer { depth -= 1 }
    switch type.kind {
    case .class: note(path, place.place(), type)
    case .struct: readStructure(path, at: place, type)
    case .enum, .optional: readCase(path, at: place, type)
    case .tuple: readTuple(path, at: place, type)
    case .function: readFunction(path, at: place, type)
    case .existential, .constrainedExistential: readExistential(path, at: place, type)
    case .fixedArray:
      guard let element = type.address.address(at: 16) else { return noteUnknown(path, type) }
      for index in 0..<type.address.load(Int.self, at: 8) where !isFull {
        let element = TypeMetadata(at: element)
        read("\(path)[\(index)]", at: place + index * element.stride, element)
      }
    case .metatype, .existentialMetatype: break
    case .opaque where type.name == "Builtin.NativeObject": note(path, place.place(), type)
    case .opaque where type.name == "Builtin.DefaultActorStorage": break
    default: noteUnknown(path, type)
    }
  }

  private static let textStorage = _typeByName("s13_StringObjectV").map { TypeMetadata($0) }

  private mutating func readStructure(_ path: String, at place: Place, _ type: TypeMetadata) {
    // The storage of a string has only bytes.
    if type == Self.textStorage { return }
    if type.isCopyable, let elements = type.type as? any StoredElements.Type {
      return elements.read(path, at: place, by: &self)
    }
    guard let fields = holdingFields(of: type) else { return noteUnknown(path, type) }
    for field in fields {
      read(field.name.isEmpty ? path : "\(path).\(field.name)", at: place, field)
    }
  }

  /// Reads a stored property of what begins at a place.
  mutating func read(_ path: String, at place: Place, _ field: StoredField) {
    let place = place + field.offset
    switch field.ownership {
    case .strong where field.isBlock: note(path, place.place(), isBlock: true)
    case .strong:
      guard let type = field.type else { return noteUnknown(path) }
      read(path, at: place, type)
    case let ownership: note(path, ownership, place, field.type)
    }
  }

  /// The fields that may hold references; nil if the compiler recorded none.
  ///
  /// The fields of this library's structures have no names: people do not know them.
  mutating func holdingFields(of type: TypeMetadata) -> [StoredField]? {
    if let known = fields[type] { return known }
    var holding = type.fields?.filter { field in
      guard let type = field.type, field.ownership == .strong else { return true }
      return !type.isTrivial || hidesMemory(type)
    }
    if type.kind == .struct, type.isOwn || type.name.hasPrefix("InlineArray<") {
      for index in holding?.indices ?? 0..<0 { holding?[index].name = "" }
    }
    fields[type] = holding
    return holding
  }

  private mutating func readCase(_ path: String, at place: Place, _ type: TypeMetadata) {
    guard let cases = type.fields, let number = type.caseNumber(at: place),
      cases.indices.contains(number)
    else { return noteUnknown(path, type) }
    let found = cases[number]
    guard found.hasType else { return }
    let path = type.kind == .optional ? path : "\(path).\(found.name)"
    // Of some types the runtime does not know the size.
    guard type.size < 1 << 24 else { return noteUnknown(path, type) }
    type.withPayload(at: place, &self) { reader, payload in
      if found.isIndirect {
        reader.note(path, payload.place(), found.type)
      } else {
        reader.read(path, at: payload, found)
      }
    }
  }

  private mutating func readTuple(_ path: String, at place: Place, _ type: TypeMetadata) {
    for index in 0..<type.address.load(Int.self, at: 8) {
      let element = type.address + 24 + 16 * index
      guard let elementType = element.address(at: 0) else { continue }
      read(
        "\(path).\(index)", at: place + Int(element.load(UInt32.self, at: 8)),
        TypeMetadata(at: elementType))
    }
  }

  private mutating func readFunction(_ path: String, at place: Place, _ type: TypeMetadata) {
    let convention = type.address.load(UInt.self, at: 8) >> 16 & 0xFF
    switch convention {
    case 0: noteClosure(path, at: place)
    case 1: note(path, place.place(), type, isBlock: true)
    default: break
    }
  }

  private mutating func readExistential(_ path: String, at place: Place, _ type: TypeMetadata) {
    let holdsObject: Bool
    if type.kind == .existential {
      let flags = type.address.load(UInt32.self, at: 8)
      let isError = flags >> 24 & 0x3F == 1
      holdsObject = isError || flags & 0x8000_0000 == 0
    } else {
      let form = type.address.address(at: 8)?.load(UInt8.self, at: 0)
      guard form == 0 || form == 1 else { return noteUnknown(path, type) }
      holdsObject = form == 1
    }
    if holdsObject { return note(path, place.place(), type) }
    guard let stored = place.place(at: 24).map({ TypeMetadata(at: $0.address) })
    else { return noteUnknown(path, type) }
    if stored.isInline { return read(path, at: place, stored) }
    guard let box = place.place() else { return noteUnknown(path, type) }
    read(path, at: box + Place.aligned(16, to: stored.alignment), stored)
  }
}

extension ReferenceReader {
  /// Whether a trivial value may be all that refers to memory which holds references.
  mutating func hidesMemory(_ type: TypeMetadata) -> Bool {
    guard type.size >= 8 else { return false }
    if let known = hiding[type] { return known }
    let hides = type.isHidingPointer ?? type.parts.contains { hidesMemory($0) }
    hiding[type] = hides
    return hides
  }
}

extension TypeMetadata {
  /// Whether a value is a pointer to memory that it may own, and that may hold references; nil if
  /// it is no pointer.
  fileprivate var isHidingPointer: Bool? {
    if kind == .opaque { return name == "Builtin.RawUnsafeContinuation" }
    guard kind == .struct, isCopyable else { return nil }
    switch type {
    case let pointer as any PointerToValues.Type: return pointer.mayHoldReferences
    case is UnsafeMutableRawPointer.Type, is OpaquePointer.Type: return true
    case is UnsafeRawPointer.Type: return false
    default: return nil
    }
  }

  /// The types of which a value consists.
  fileprivate var parts: [TypeMetadata] {
    guard kind == .tuple else { return (fields ?? []).compactMap(\.type) }
    return (0..<address.load(Int.self, at: 8)).compactMap { index in
      (address + 24 + 16 * index).address(at: 0).map { TypeMetadata(at: $0) }
    }
  }
}

/// A pointer to values of a type.
private protocol PointerToValues {
  /// Whether those values may be references.
  static var mayHoldReferences: Bool { get }
}

extension UnsafeMutablePointer: @unsafe PointerToValues {
  fileprivate static var mayHoldReferences: Bool { !_isPOD(Pointee.self) }
}

extension Unmanaged: @unsafe PointerToValues {
  fileprivate static var mayHoldReferences: Bool { true }
}
