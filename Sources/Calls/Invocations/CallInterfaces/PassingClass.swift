internal import TypeEncodings

// How a type is passed and returned by value differs between processors: see Processors.

extension PassingClass {
  /// Refuses vectors of a type that compilers pass differently, by themselves or in a record.
  static func refuseOtherVectors(in encoding: TypeEncoding) throws(InvocationError) {
    var refused: (vector: TypeEncoding, size: Int)?
    _ = encoding.holds { part in
      guard part.kind == .vector, refused == nil else { return false }
      let size = (try? part.layout().size) ?? 0
      if size != 8 && size != 16 || part.qualifiers.contains(.atomic) { refused = (part, size) }
      return refused != nil
    }
    guard let (vector, size) = refused else { return }
    try refuseAtomic(vector)
    throw InvocationError(
      .unsupportedType,
      size > 16
        ? "\(vector) is a vector of \(size) bytes, which functions take as their compiler's options say, "
          + "such as -mavx: pass a pointer, or, on x86-64, write __attribute__((abi(\"avx\"))) or "
          + "abi(\"avx512\") before the declaration of one that takes it by itself"
        : "compilers pass \(vector), a vector of \(size) bytes, differently; pass a pointer to it")
  }

  /// Refuses an atomic type.
  ///
  /// Callers use it where compilers disagree: for an argument, a complex result, and a member of a
  /// record that registers may hold.
  static func refuseAtomic(_ encoding: TypeEncoding) throws(InvocationError) {
    guard encoding.qualifiers.contains(.atomic) else { return }
    throw InvocationError(
      .unsupportedType,
      "\(encoding) is atomic: clang counts no registers for atomic arguments and passes small "
        + "records with atomic members in memory, gcc does neither; pass a pointer instead")
  }
}
