#if !arch(x86_64) && !arch(arm64)
internal import CBlockRuntimeFFI
internal import TypeEncodings

// A processor without an implementation has calls of numbers and pointers through libffi.

/// How a type is passed and returned by value: unknown for all but numbers and pointers.
enum PassingClass: Hashable {
  case scalar

  var isReturnedInMemory: Bool { false }

  init(_ encoding: TypeEncoding, _ layout: TypeLayout) throws(InvocationError) {
    throw InvocationError(
      .unsupportedType,
      "\(encoding) is passed by value on x86-64 and AArch64 only; pass a pointer instead")
  }
}

extension PlanCompiler {
  init(_ result: ResultPlace, vectorBytes: Int) { self.init() }

  static func vectorBytes(_ encoding: TypeEncoding, _ layout: TypeLayout) -> Int { 0 }

  mutating func add(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool { false }
}

extension ResultPlace {
  init?(_ encoding: TypeEncoding, _ layout: TypeLayout?) throws(InvocationError) { return nil }
}

extension PlainCall {
  @_transparent
  @usableFromInline
  func callAsFunction(_ code: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer) {
    unsafe wide(memory, code, floats)
  }
}

extension ScalarCall {
  @inlinable static var registerBytes: Int { 16 }
  @inlinable static var argumentWords: Int { 1 }
}

extension ForeignTypes {
  mutating func record(
    argument encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type>? {
    _ = try PassingClass(encoding, layout)
    return nil
  }

  mutating func record(
    result encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> UnsafeMutablePointer<ffi_type> {
    _ = try PassingClass(encoding, layout)
    return unsafe cffi_type_void()
  }
}

/// The widest floating-point type that Swift has; signatures with `long double` are refused.
public typealias LongDouble = Double

package enum LongDoubleFormat {
  static var isKnown: Bool { false }
  static var isAlwaysExact: Bool { true }

  package static var byteCount: Int { 8 }

  @unsafe
  package static func load(_ address: UnsafeRawPointer) -> (value: LongDouble, isExact: Bool) {
    (unsafe address.loadUnaligned(as: LongDouble.self), true)
  }

  @unsafe
  package static func store(_ value: LongDouble, at address: UnsafeMutableRawPointer) {
    unsafe address.storeBytes(of: value, as: LongDouble.self)
  }
}

struct ArgumentRegisters {
  init(returnsThroughMemory: Bool) {}

  mutating func take(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> ForeignArgumentForm { .whole }
}
#endif
