internal import LoadedClasses

/// A type as the compiler wrote it down: a mangled name, in which references to descriptors stand
/// for names.
///
/// Specification: `docs/ABI/Mangling.rst` of Swift.
struct MangledName {
  // SAFETY: such a name is a constant of an image, and ends with a zero byte.
  private let start: RuntimeAddress

  private var length: Int

  /// The characters, each reference as the one byte that gives its kind.
  private(set) var text: [UInt8] = []

  private static let limit = 1 << 14

  /// Reads a name; nil if there is none.
  init?(at start: RuntimeAddress) {
    self.start = start
    length = 0
    while length < Self.limit {
      let byte = start.load(UInt8.self, at: length)
      if byte == 0 { return }
      text.append(byte)
      // A reference of four bytes, relative to them, or of eight.
      length += byte > 0x1F ? 1 : byte < 0x18 ? 5 : 9
    }
    return nil
  }

  func hasEnding(_ ending: String) -> Bool {
    text.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  private func contains(_ part: String) -> Bool {
    text.indices.contains { text[$0...].starts(with: part.utf8) }
  }

  /// Whether a generic parameter may be part of the name.
  var mayNameParameters: Bool { contains("x") || contains("q") }

  /// The name without an ending, which must be there.
  private func without(_ ending: String) -> MangledName {
    var name = self
    name.length -= ending.utf8.count
    name.text.removeLast(ending.utf8.count)
    return name
  }

  /// The name of the type that a variable refers to, and the ownership.
  var withoutOwnership: (MangledName, HeldReference.Ownership) {
    if hasEnding("Xw") { return (without("Xw"), .weak) }
    if hasEnding("Xo") { return (without("Xo"), .unowned) }
    return hasEnding("Xu") ? (without("Xu"), .unmanaged) : (self, .strong)
  }

  /// The name without the mark of an Optional, if it has one.
  var withoutOptional: MangledName { hasEnding("Sg") ? without("Sg") : self }

  /// The type, for the generic arguments of a context; nil if it is not known.
  ///
  /// ## Safety
  /// The arguments must be those of the context.
  @unsafe
  func type(in context: RuntimeAddress?, _ arguments: UnsafeRawPointer?) -> TypeMetadata? {
    // The runtime crashes when it makes a type of a block's, or expands a pack that it is not
    // given.
    guard !contains("XB"), !contains("Qp") else { return nil }
    let bytes = unsafe start.pointer.assumingMemoryBound(to: UInt8.self)
    let type = unsafe _getTypeByMangledNameInContext(
      bytes, UInt(length), genericContext: context?.pointer, genericArguments: arguments)
    guard let type else { return nil }
    // Of a type without copies the compiler records a function that returns the empty tuple.
    let functionReference: UInt8 = 9
    return text.first == functionReference && type == Void.self ? nil : TypeMetadata(type)
  }

  /// The type for generic parameters that are given by their names.
  func type(with parameters: [[UInt8]: RuntimeAddress]) -> TypeMetadata? {
    let known = ["x", "q_", "q0_", "q1_"].prefix { parameters[Array($0.utf8)] != nil }
    let arguments = known.compactMap { parameters[Array($0.utf8)] }
    guard !arguments.isEmpty, arguments.count == parameters.count else {
      return unsafe type(in: nil, nil)
    }
    // SAFETY: an address of metadata is a word, as generic arguments are.
    return unsafe arguments.withUnsafeBytes { buffer in
      unsafe type(in: Self.contexts[arguments.count - 1].descriptor, buffer.baseAddress)
    }
  }

  // Contexts with as many generic parameters, for names that are read outside of their own.
  private enum One<A> {}
  private enum Two<A, B> {}
  private enum Three<A, B, C> {}
  private enum Four<A, B, C, D> {}
  private static let contexts = [
    TypeMetadata(One<Void>.self), TypeMetadata(Two<Void, Void>.self),
    TypeMetadata(Three<Void, Void, Void>.self), TypeMetadata(Four<Void, Void, Void, Void>.self),
  ]

  // MARK: - Types without metadata

  /// Whether the type is that of a block.
  var isBlock: Bool { hasEnding("XB") }

  /// Whether the type is the box of a variable.
  var isBox: Bool { hasEnding("Xx") || hasEnding("XX") || hasEnding("Xb") }

  /// How a function is stored: the letters behind the `I` of a lowered function type, from its
  /// callee's convention on; nil for other types.
  var functionLetters: ArraySlice<UInt8>? {
    guard hasEnding("_") else { return nil }
    let marker = Array("Ie".utf8)
    guard let start = text.indices.dropLast().last(where: { text[$0...].starts(with: marker) })
    else { return nil }
    return text[(start + 2)...].drop { Array("Adlfr".utf8).contains($0) }
  }

  /// Whether the type is a generic class whose arguments are not known.
  var isClass: Bool {
    guard let first = text.first, first == 1 || first == 2, hasEnding("G") else { return false }
    guard let referent = start.target(at: 1) else { return false }
    let descriptor = first == 1 ? referent : referent.address(at: 0)
    let classKind: UInt32 = 16
    return descriptor.map { $0.load(UInt32.self, at: 0) & 0x1F == classKind } ?? false
  }
}
