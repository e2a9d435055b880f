#if arch(x86_64)
internal import TypeEncodings

/// The classes that determine in which register eight bytes of a value are passed.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
enum EightbyteClass: Hashable {
  case none
  case integer
  case sse
  /// The upper half of a vector.
  case sseUp
  case x87
  case x87Up
  case memory

  /// Merges the classes of two fields that share eight bytes.
  func merged(with other: EightbyteClass) -> EightbyteClass {
    if self == other || other == .none { return self }
    if self == .none { return other }
    if self == .memory || other == .memory { return .memory }
    if self == .integer || other == .integer { return .integer }
    let x87: Set<EightbyteClass> = [.x87, .x87Up]
    return x87.contains(self) || x87.contains(other) ? .memory : .sse
  }
}

/// How a type is passed and returned by value.
enum PassingClass: Hashable {
  /// The type is empty, and its values are not passed.
  case ignored
  /// In one or two registers, of these classes, one for each eight bytes.
  case registers([EightbyteClass])
  /// On the stack; a result is returned through a hidden pointer.
  case memory

  /// Whether a result is returned through memory, whose address the caller passes.
  var isReturnedInMemory: Bool { self == .memory }
}

extension PassingClass {
  /// Classifies a type.
  ///
  /// - Throws: `unsupportedType` if the encoding does not determine how the type is passed.
  init(_ encoding: TypeEncoding, _ layout: TypeLayout) throws(InvocationError) {
    if case .complex = encoding.type { try Self.refuseAtomic(encoding) }
    if layout.size == 0 {
      self = .ignored
    } else if encoding.isOneVectorOfAVX {
      self = .registers([.sse] + Array(repeating: .sseUp, count: layout.size / 8 - 1))
    } else if layout.size > Classifier.registerBytes {
      try Self.refuseOtherVectors(in: encoding)
      self = .memory
    } else {
      self = try Classifier.classify(encoding, layout, countsBitFields: true)
      // Compilers ignore bit-fields without a name, or some of them do.
      let other = try Classifier.classify(encoding, layout, countsBitFields: false)
      guard self == other else { throw Self.bitFieldsDecide(encoding) }
    }
  }

  private static func bitFieldsDecide(_ encoding: TypeEncoding) -> InvocationError {
    InvocationError(
      .unsupportedType,
      "\(encoding) does not say whether its bit-fields have names, and only such are passed in "
        + "registers of their own; pass a pointer instead, or, if all have names, assume a "
        + "signature with integers in their place")
  }
}

extension TypeEncoding {
  /// Whether the type is a vector that was declared to be passed in a register of AVX or AVX-512,
  /// or a record or an array of nothing else.
  fileprivate var isOneVectorOfAVX: Bool {
    switch type {
    case .vector: qualifiers == [.avx] && (try? layout().size).map { $0 > 16 } ?? false
    case .array(1, let element): element.isOneVectorOfAVX
    case .structure(let record), .union(let record):
      record.fields?.count == 1 && record.fields?.first?.encoding.isOneVectorOfAVX == true
    default: false
    }
  }
}

/// Collects the classes of a type's fields; each nested record is first classified separately.
private struct Classifier {
  private var classes: [EightbyteClass] = [.none, .none]

  /// Whether bit-fields have names, where they may have none.
  private let countsBitFields: Bool

  private init(countsBitFields: Bool) { self.countsBitFields = countsBitFields }

  static func classify(
    _ encoding: TypeEncoding, _ layout: TypeLayout, countsBitFields: Bool
  ) throws(InvocationError) -> PassingClass {
    var classifier = Classifier(countsBitFields: countsBitFields)
    try classifier.add(encoding, layout, at: 0)
    return classifier.result(size: layout.size)
  }

  /// Larger types are passed in memory, whatever their fields are.
  static let registerBytes = 16

  private func result(size: Int) -> PassingClass {
    if classes.contains(.memory) { return .memory }
    let used = size > 8 ? 2 : 1
    return .registers(Array(classes[..<used]))
  }

  private mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout, at offset: Int
  ) throws(InvocationError) {
    switch encoding.type {
    case .primitive(let type):
      add(type, at: offset)
    case .complex(let type):
      add(type, at: offset)
      add(type, at: offset + layout.size / 2)
    case .vector:
      try PassingClass.refuseOtherVectors(in: encoding)
      merge(.sse, at: offset)
      if layout.size == 16 { merge(.sseUp, at: offset + 8) }
    case .object, .block, .pointer:
      merge(.integer, at: offset)
    case .array(let count, let element):
      try add(array: count, of: element, at: offset)
    case .structure(let record), .union(let record):
      var inner = Classifier(
        countsBitFields: countsBitFields || Self.hasNamedBits(record, layout, at: offset))
      for (field, place) in zip(record.fields ?? [], layout.fields) {
        try PassingClass.refuseAtomic(field.encoding)
        try inner.add(field.encoding, in: place, at: offset, isNamed: record.tellsName(of: field))
      }
      merge(inner)
    case .bitField, .unknown, .vanished:
      throw InvocationError(
        .unsupportedType, "\(encoding) says too little of the type to pass it by value")
    }
  }

  /// Whether a record holds nothing but bit-fields, all in the same eight bytes: C demands that one
  /// member has a name.
  private static func hasNamedBits(
    _ record: RecordEncoding, _ layout: TypeLayout, at offset: Int
  ) -> Bool {
    var halves: Set<Int> = []
    for (field, place) in zip(record.fields ?? [], layout.fields) {
      guard case .bitField(let bits) = field.encoding.type else { return false }
      guard bits.width > 0, let bit = place.bitOffset else { continue }
      halves.formUnion([(offset + bit / 8) / 8, (offset + (bit + bits.width - 1) / 8) / 8])
    }
    return halves.count == 1
  }

  /// Merges the classes of a nested record, after the specification's final step: if only the upper
  /// half of a `long double` kept its class, the record and all that contain it are passed in
  /// memory; if only that of a vector did, it is passed as a number.
  private mutating func merge(_ record: Classifier) {
    var record = record
    if record.classes[1] == .x87Up && record.classes[0] != .x87 {
      record.classes = [.memory, .memory]
    }
    if record.classes[1] == .sseUp && record.classes[0] != .sse { record.classes[1] = .sse }
    for index in classes.indices {
      classes[index] = classes[index].merged(with: record.classes[index])
    }
  }

  private mutating func add(
    _ encoding: TypeEncoding, in place: TypeLayout.Field, at offset: Int, isNamed: Bool?
  ) throws(InvocationError) {
    if case .bitField(let field) = encoding.type {
      guard isNamed ?? countsBitFields, field.width > 0, let bit = place.bitOffset else { return }
      merge(.integer, at: offset + bit / 8)
      merge(.integer, at: offset + (bit + field.width - 1) / 8)
    } else if let layout = place.layout {
      try add(encoding, layout, at: offset + place.offset)
    }
  }

  private mutating func add(
    array count: Int, of element: TypeEncoding, at offset: Int
  ) throws(InvocationError) {
    guard count > 0 else {
      throw InvocationError(
        .unsupportedType,
        "[0\(element)] is a flexible or a zero-length array, which are passed differently; "
          + "pass a pointer to the record instead")
    }
    try PassingClass.refuseAtomic(element)
    let layout = try InvocationError.passing(element.layout())
    guard layout.size > 0 else { return }
    for index in 0..<count {
      try add(element, layout, at: offset + index * layout.size)
    }
  }

  private mutating func add(_ type: PrimitiveType, at offset: Int) {
    switch type {
    case .void: break
    case .float, .double: merge(.sse, at: offset)
    case .longDouble:
      merge(.x87, at: offset)
      merge(.x87Up, at: offset + 8)
    case .int128, .uint128:
      merge(.integer, at: offset)
      merge(.integer, at: offset + 8)
    default: merge(.integer, at: offset)
    }
  }

  private mutating func merge(_ other: EightbyteClass, at offset: Int) {
    let index = offset / 8
    guard index < classes.count else { return }
    classes[index] = classes[index].merged(with: other)
  }
}
#endif
