import CommandConventions
import Invocations
import TypeEncodings

extension ValueWriter {
  /// A value of a small type that is passed as `int` or `double`.
  ///
  /// It must be a value of the small type, and is rounded as one.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoding: The small type.
  ///   - place: The argument, for messages.
  /// - Returns: The C value.
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  mutating func promoted(
    _ value: JSONValue, from encoding: TypeEncoding, at place: String
  ) throws(Failure) -> BoxedValue {
    switch try boxed(value, as: encoding, at: place) {
    case .float(let number): .double(Double(number))
    case .bool(let flag): .integer(flag ? 1 : 0)
    case let other: other
    }
  }
}
