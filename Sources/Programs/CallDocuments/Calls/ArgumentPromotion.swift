import CommandOptionsAndResults
import Invocations
import TypeEncodings

extension MethodSignature {
  /// The signature with which C passes variadic arguments, after the default argument promotions.
  ///
  /// After the declared arguments `float` becomes `double`, and integers smaller than `int` become
  /// `int`. Specification: C23, 6.5.3.3.
  ///
  /// - Parameter fixedCount: The number of arguments that the function declares.
  /// - Returns: The signature, without frame offsets if any type changed.
  /// - Throws: An error if the frame offsets contradict the types.
  func promoted(behind fixedCount: Int) throws(TypeEncodingError) -> MethodSignature {
    guard arguments.indices.contains(fixedCount) else { return self }
    var promoted = self
    for index in fixedCount..<arguments.count {
      guard let type = arguments[index].encoding.promotion else { continue }
      promoted.arguments[index].encoding = TypeEncoding(.primitive(type))
    }
    guard promoted != self else { return self }
    // The offsets are checked with the original types, since promoted arguments have other offsets.
    try callLayouts()
    return promoted.withoutFrameOffsets()
  }
}

extension ValueWriter {
  /// Converts a value of a small type that is passed as `int` or `double`.
  ///
  /// The value must be in the range of the small type, and is rounded to it.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  mutating func promoted(
    _ value: JSONValue, from encoding: TypeEncoding, at place: String
  ) throws(Failure) -> CValue {
    switch try cValue(value, as: encoding, at: place) {
    case .float(let number): .double(Double(number))
    case .bool(let flag): .integer(flag ? 1 : 0)
    case let other: other
    }
  }
}
