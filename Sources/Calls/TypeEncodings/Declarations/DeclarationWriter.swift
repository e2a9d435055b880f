/// Writes types as C declares them: the inverse of `DeclarationParser`.
private struct DeclarationWriter {
  /// The records with tags whose members were written, each before its first use.
  private var definitions: [String] = []
  private var defined: [String: [FieldEncoding]] = [:]

  /// The names of the vectors that were defined.
  private var vectors: Set<String> = []

  /// The attribute for the vectors that need AVX or AVX-512; empty if there are none.
  private var abi = ""

  /// The text with the definitions of its records before it.
  func text(_ declaration: String) -> String {
    (definitions + [abi + declaration]).joined(separator: "; ")
  }

  /// A declaration of a type around a declarator; nil if C has no name for the type.
  mutating func declaration(
    of encoding: TypeEncoding, _ declarator: String = "", isConstant: Bool = false
  ) -> String? {
    let isConstant = isConstant || encoding.qualifiers.contains(.const)
    guard !encoding.qualifiers.contains(.atomic) else {
      let plain = declaration(of: TypeEncoding(encoding.type), isConstant: isConstant)
      return plain.map { Self.joined("_Atomic(\($0))", declarator) }
    }
    let name: String
    switch encoding.type {
    // The qualifier before a pointer is that of what the last of several pointers points to.
    case .pointer(let pointee): return pointer(to: pointee, declarator, isConstant: isConstant)
    case .array(let count, let element):
      // Of constant pointers the pointers are constant, not what they point to.
      let isOfPointers = isConstant && element.isWrittenWithStar
      let elements = isOfPointers ? "const \(declarator)[\(count)]" : "\(declarator)[\(count)]"
      return declaration(of: element, elements, isConstant: isConstant && !isOfPointers)
    case .block(let signature):
      guard var signature else { return "void (^\(declarator))()" }
      if signature.form == .block { signature.arguments.removeFirst() }
      return function(signature, "(^\(declarator))")
    case .primitive(.cString):
      return Self.joined(isConstant ? "const char" : "char", "*\(declarator)")
    case .primitive(let primitive):
      guard let known = primitive.nameInC else { return nil }
      name = known
    case .complex(let part):
      guard let known = part.nameInC else { return nil }
      name = "_Complex \(known)"
    case .vector(let count, let element):
      guard let known = vector(count, of: element, isAVX: encoding.qualifiers.contains(.avx))
      else { return nil }
      name = known
    case .object: name = "id"
    case .structure(let record):
      guard let known = self.record(record, "struct") else { return nil }
      name = known
    case .union(let record):
      guard let known = self.record(record, "union") else { return nil }
      name = known
    case .bitField, .unknown, .vanished: return nil
    }
    return Self.joined(isConstant ? "const \(name)" : name, declarator)
  }

  private mutating func pointer(
    to pointee: TypeEncoding, _ declarator: String, isConstant: Bool
  ) -> String? {
    switch pointee.type {
    // A pointer to a function, of which an encoding says no more.
    case .unknown: "void (*\(declarator))()"
    // C has no array of records whose members are not known, not even behind a pointer.
    case .array where isIncomplete(pointee):
      isConstant ? "const void *\(declarator)" : "void *\(declarator)"
    case .array: declaration(of: pointee, "(*\(declarator))", isConstant: isConstant)
    default: declaration(of: pointee, "*\(declarator)", isConstant: isConstant)
    }
  }

  private func isIncomplete(_ encoding: TypeEncoding) -> Bool {
    switch encoding.type {
    case .array(_, let element): isIncomplete(element)
    case .structure(let record): record.fields == nil && defined["struct \(record.tag)"] == nil
    case .union(let record): record.fields == nil && defined["union \(record.tag)"] == nil
    default: false
    }
  }

  /// A declaration of a function around its declarator.
  mutating func function(_ signature: MethodSignature, _ declarator: String) -> String? {
    var parameters: [String] = []
    for argument in signature.arguments {
      guard let parameter = declaration(of: argument.encoding) else { return nil }
      parameters.append(parameter)
    }
    let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
    return declaration(of: signature.result, "\(declarator)(\(list))")
  }

  /// How the names of vectors begin, if not with the names of their elements.
  private static let vectorNames: [PrimitiveType: String] = [
    .int8: "schar", .uint8: "uchar", .uint16: "ushort", .uint32: "uint", .unsignedLong32: "uint",
    .uint64: "ulong",
  ]

  /// The name of a vector, such as `float4`, which is defined before.
  private mutating func vector(
    _ count: Int, of element: PrimitiveType, isAVX: Bool
  ) -> String? {
    guard let base = element.nameInC,
      let size = try? TypeEncoding(.vector(count: count, element: element)).layout().size
    else { return nil }
    let name = "\(Self.vectorNames[element] ?? base)\(count)"
    if isAVX, size == 64 || abi.isEmpty {
      abi = "__attribute__((abi(\"\(size == 64 ? "avx512" : "avx")\"))) "
    }
    if vectors.insert(name).inserted {
      // gcc knows only sizes, which are powers of two.
      let attribute = count == 3 ? "ext_vector_type(3)" : "vector_size(\(size))"
      definitions.append("typedef \(base) \(name) __attribute__((\(attribute)))")
    }
    return name
  }

  /// The name of a record with its tag, or its members if it has none.
  private mutating func record(_ record: RecordEncoding, _ keyword: String) -> String? {
    guard let tag = record.name else {
      return record.fields.flatMap { members($0) }.map { "\(keyword) { \($0)}" }
    }
    guard tag.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isLetterOfC }) else { return nil }
    let name = "\(keyword) \(tag)"
    guard let fields = record.fields else { return name }
    if let known = defined[name] { return known == fields ? name : nil }
    guard let members = members(fields) else { return nil }
    defined[name] = fields
    definitions.append("\(name) { \(members)}")
    return name
  }

  /// Members with their names, or numbers in place of them.
  private mutating func members(_ fields: [FieldEncoding]) -> String? {
    var text = ""
    for (index, field) in fields.enumerated() {
      let name = field.name ?? "m\(index)"
      if case .bitField(let bits) = field.encoding.type {
        guard let base = bits.placement?.base.nameInC else { return nil }
        text += bits.width == 0 ? "\(base) : 0; " : "\(base) \(name) : \(bits.width); "
      } else {
        guard let member = declaration(of: field.encoding, name) else { return nil }
        text += "\(member); "
      }
    }
    return text
  }

  /// A type's name and a declarator, which may be empty.
  private static func joined(_ name: String, _ declarator: String) -> String {
    declarator.isEmpty ? name : "\(name) \(declarator)"
  }
}

extension TypeEncoding {
  /// The type as C declares it, with the records of the type before it: the inverse of
  /// `init(declaration:types:)`.
  ///
  /// - Parameter name: The name that is declared; nil for the type alone.
  /// - Returns: The text; nil if C has no name for the type, or for a type that it is made of.
  public func declaration(of name: String? = nil) -> String? {
    var writer = DeclarationWriter()
    return writer.declaration(of: self, name ?? "").map(writer.text)
  }
}

extension MethodSignature {
  /// The function or block as C declares it: the inverse of `init(declaration:types:)`.
  ///
  /// A method is the function that implements it, with its receiver and selector.
  ///
  /// - Parameter name: The function's or block's name; nil for the type alone.
  /// - Returns: The text; nil if C has no name for one of the types.
  public func declaration(of name: String? = nil) -> String? {
    var writer = DeclarationWriter()
    let name = name ?? ""
    return switch form {
    case .block: writer.declaration(of: TypeEncoding(.block(self)), name).map(writer.text)
    case .method, .function: writer.function(self, name).map(writer.text)
    }
  }
}

extension TypeEncoding {
  /// Whether the declarator of the type has a star or a caret.
  fileprivate var isWrittenWithStar: Bool {
    switch type {
    case .pointer, .block, .primitive(.cString): true
    default: false
    }
  }
}

extension PrimitiveType {
  /// The name of the type in C; nil if there is none that is certain.
  fileprivate var nameInC: String? {
    switch self {
    case .void: "void"
    case .bool: "_Bool"
    case .int8: "signed char"
    case .uint8: "unsigned char"
    case .int16: "short"
    case .uint16: "unsigned short"
    case .int32, .long32: "int"
    case .uint32, .unsignedLong32: "unsigned"
    case .int64: "long"
    case .uint64: "unsigned long"
    case .int128: "__int128"
    case .uint128: "unsigned __int128"
    case .float: "float"
    case .double: "double"
    case .longDouble: "long double"
    case .cString: "char *"
    case .classObject: "Class"
    case .selector: "SEL"
    case .blank: nil
    }
  }
}

extension Character {
  /// Whether an identifier of C may contain the character.
  fileprivate var isLetterOfC: Bool { isASCII && (isLetter || isNumber || self == "_") }
}
