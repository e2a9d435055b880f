/// The value of a constant expression, with the integer type by whose rules C computes with it.
///
/// Specification: ISO C11, 6.4.4.1 and 6.3.1.8, with an `int` of 32 bits and a `long` of 64.
struct CConstant: Equatable {
  let value: Int128
  let isUnsigned: Bool

  /// Whether the type is a `long`; otherwise it is an `int`.
  let isLong: Bool

  /// Creates a constant as it is written: of the first type that its value fits.
  ///
  /// - Parameters:
  ///   - value: The value, which fits 64 bits.
  ///   - isUnsigned: Whether only unsigned types are considered.
  ///   - isLong: Whether only a `long` is considered.
  ///   - mayBeUnsigned: Whether unsigned types are considered, too, as for hexadecimal constants.
  init(
    literal value: Int128, isUnsigned: Bool = false, isLong: Bool = false,
    mayBeUnsigned: Bool = false
  ) {
    self.value = value
    let fitsInt = Int128(Int32.min)...Int128(Int32.max) ~= value
    let fitsUnsigned = Int128(0)...Int128(UInt32.max) ~= value
    if !isLong, isUnsigned ? fitsUnsigned : fitsInt || mayBeUnsigned && fitsUnsigned {
      self.isLong = false
      self.isUnsigned = isUnsigned || !fitsInt
    } else {
      self.isLong = true
      self.isUnsigned = isUnsigned || value > Int128(Int64.max)
    }
  }

  /// Creates the value of an operation, reduced to its type if that is unsigned.
  ///
  /// - Returns: nil if the type is signed and does not hold the value.
  init?(_ value: Int128, isUnsigned: Bool, isLong: Bool) {
    let reduced = Self.reduced(value, isUnsigned: isUnsigned, bits: isLong ? 64 : 32)
    guard isUnsigned || reduced == value else { return nil }
    (self.value, self.isUnsigned, self.isLong) = (reduced, isUnsigned, isLong)
  }

  /// Creates a truth value, which is an `int`.
  init(_ truth: Bool) { self.init(literal: truth ? 1 : 0) }

  /// The constant converted to an integer type, and promoted.
  func converted(to type: PrimitiveType, size: Int) -> CConstant {
    let isUnsigned = [.bool, .uint8, .uint16, .uint32, .uint64].contains(type)
    let value =
      type == .bool
      ? value == 0 ? 0 : 1 : Self.reduced(value, isUnsigned: isUnsigned, bits: min(size, 8) * 8)
    return CConstant(literal: value, isUnsigned: isUnsigned && size >= 4, isLong: size >= 8)
  }

  private static func reduced(_ value: Int128, isUnsigned: Bool, bits: Int) -> Int128 {
    let low = value & ((Int128(1) << bits) - 1)
    return !isUnsigned && low >> (bits - 1) & 1 == 1 ? low - (Int128(1) << bits) : low
  }

  /// The value of a unary operation; nil if it has no value.
  static func value(_ mark: String, _ operand: CConstant) -> CConstant? {
    let result: Int128
    switch mark {
    case "-": result = -operand.value
    case "~": result = ~operand.value
    case "!": return CConstant(operand.value == 0)
    default: result = operand.value
    }
    return CConstant(result, isUnsigned: operand.isUnsigned, isLong: operand.isLong)
  }

  /// The value of a binary operation; nil if it has no value.
  static func value(_ left: CConstant, _ mark: String, _ right: CConstant) -> CConstant? {
    // The operands have the wider type, which is unsigned if an operand of that width is.
    let isLong = left.isLong || right.isLong
    let isUnsigned =
      left.isUnsigned && left.isLong == isLong || right.isUnsigned && right.isLong == isLong
    let bits = isLong ? 64 : 32
    let (a, b) = (
      reduced(left.value, isUnsigned: isUnsigned, bits: bits),
      reduced(right.value, isUnsigned: isUnsigned, bits: bits)
    )
    func constant(_ value: Int128?) -> CConstant? {
      value.flatMap { CConstant($0, isUnsigned: isUnsigned, isLong: isLong) }
    }
    switch mark {
    case "||": return CConstant(left.value != 0 || right.value != 0)
    case "&&": return CConstant(left.value != 0 && right.value != 0)
    case "==": return CConstant(a == b)
    case "!=": return CConstant(a != b)
    case "<": return CConstant(a < b)
    case ">": return CConstant(a > b)
    case "<=": return CConstant(a <= b)
    case ">=": return CConstant(a >= b)
    case "<<", ">>":
      guard (0..<(left.isLong ? 64 : 32)).contains(right.value) else { return nil }
      let shifted = mark == "<<" ? left.value << right.value : left.value >> right.value
      // A bit may be shifted into the sign, as compilers have it.
      let value = reduced(
        shifted, isUnsigned: left.isUnsigned, bits: left.isLong ? 64 : 32)
      return CConstant(value, isUnsigned: left.isUnsigned, isLong: left.isLong)
    case "|": return constant(a | b)
    case "^": return constant(a ^ b)
    case "&": return constant(a & b)
    case "+": return constant(a + b)
    case "-": return constant(a - b)
    case "*":
      let (product, overflow) = a.multipliedReportingOverflow(by: b)
      // Only the low bits of an unsigned product count.
      return constant(overflow && !isUnsigned ? nil : product)
    case "/": return constant(b == 0 ? nil : a / b)
    case "%": return constant(b == 0 ? nil : a % b)
    default: return nil
    }
  }
}
