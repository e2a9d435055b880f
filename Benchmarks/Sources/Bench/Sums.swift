import CBaselines

/// The arguments of every call, and the sums that the calls' results must have.
enum Sums {
  /// The second argument of every call of `cbl_add` or a block like it.
  static let second = CBL_SECOND_ARGUMENT

  /// The sum of the first arguments of `count` calls of `cbl_add`.
  static func first(_ count: Int) -> Int {
    let full = count / 1024
    let rest = count % 1024
    return full * (1023 * 1024 / 2) + rest * (rest - 1) / 2
  }

  /// The sum of `count` results of `cbl_add`.
  static func add(_ count: Int) -> Int { first(count) + count * Int(second) }

  /// The sum of both members of `count` results of `cbl_shift`.
  static func shift(_ count: Int) -> Int {
    let full = count / 64
    let rest = count % 64
    let unchanged = Int(CBL_PAIR_X) + Int(CBL_PAIR_Y) + Int(UInt8(ascii: "a"))
    return full * (63 * 64 / 2) + rest * (rest - 1) / 2 + count * unchanged
  }

  /// One for each operation.
  static func count(_ count: Int) -> Int { count }
}

/// The first argument of call number `index` of `cbl_add`.
@inline(__always)
func firstArgument(_ index: Int) -> Int32 { cbl_first_argument(Int64(index)) }
