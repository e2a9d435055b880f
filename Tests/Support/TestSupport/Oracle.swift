internal import CTestSupport

/// A type with the properties that clang gives it.
public struct OracleType: Sendable {
  /// The type's name in C.
  public let name: String
  /// The value of `@encode`.
  public let encoding: String
  /// The value of `sizeof`.
  public let size: Int
  /// The value of `_Alignof`.
  public let alignment: Int
  /// The value of `offsetof` for each member, nil for bit-fields; empty for types other than
  /// records.
  public let offsets: [Int?]

  /// All types of the oracle.
  public static var all: [OracleType] {
    var count = 0
    // SAFETY: the table is constant and has `count` rows, whose strings are constant too.
    let rows = unsafe UnsafeBufferPointer(start: ctest_types(&count), count: count)
    return unsafe rows.map { row in
      var offsets: [Int?] = []
      var position = 0
      while unsafe row.offsets[position] != CTEST_END {
        let offset = unsafe row.offsets[position]
        offsets.append(offset == CTEST_BIT_FIELD ? nil : offset)
        position += 1
      }
      return unsafe OracleType(
        name: String(cString: row.name), encoding: String(cString: row.encoding), size: row.size,
        alignment: row.alignment, offsets: offsets)
    }
  }
}

/// A block that clang compiled, with the signature that the runtime reads from it.
public struct OracleBlock: Sendable {
  /// The block's text.
  public let name: String
  /// Its signature.
  public let signature: String
  /// Whether its flags say that the result is returned through a hidden pointer; nil where clang
  /// sets no such flag.
  public let usesStructReturn: Bool?
  /// The size of the result, 0 for void, and of each of its own arguments.
  public let sizes: [Int]
  /// The code of the error with which calls are refused; nil if they are possible.
  public let refusal: String?

  /// The blocks compiled as C.
  public static var compiledAsC: [OracleBlock] {
    var count = 0
    // SAFETY: as for the types.
    return unsafe UnsafeBufferPointer(start: ctest_c_blocks(&count), count: count).map {
      unsafe OracleBlock($0)
    }
  }

  /// The blocks compiled as Objective-C.
  public static var compiledAsObjectiveC: [OracleBlock] {
    var count = 0
    // SAFETY: as for the types.
    return unsafe UnsafeBufferPointer(start: ctest_objc_blocks(&count), count: count).map {
      unsafe OracleBlock($0)
    }
  }

  @unsafe
  private init(_ row: ctest_block) {
    // SAFETY: the row is from a constant table; `sizes` has at least `count` elements.
    var row = unsafe row
    unsafe name = String(cString: row.name)
    unsafe signature = String(cString: row.signature)
    #if arch(x86_64)
    unsafe usesStructReturn = row.uses_struct_return
    #else
    usesStructReturn = nil
    #endif
    let count = unsafe row.count
    unsafe sizes = withUnsafeBytes(of: &row.sizes) { bytes in
      unsafe Array(bytes.bindMemory(to: Int.self).prefix(count))
    }
    unsafe refusal = row.refusal.map { unsafe String(cString: $0) }
  }
}

/// The major version of the toolchain's clang.
public var clangVersion: Int { Int(ctest_clang_version()) }

/// The signature that the runtime reads from a block, given by its address.
///
/// ## Safety
/// There must be a block at the address.
@unsafe
public func runtimeSignature(ofBlockAt address: UnsafeRawPointer) -> String? {
  // SAFETY: the caller vouches for the block; the signature is a C string.
  unsafe ctest_block_signature(address).map { unsafe String(cString: $0) }
}
