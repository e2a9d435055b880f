internal import TypeEncodings

// How a type is passed and returned by value differs between processors: see Processors.

extension PassingClass {
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
