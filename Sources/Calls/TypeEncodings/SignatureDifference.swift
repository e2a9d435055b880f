/// One difference that makes two signatures incompatible.
public struct SignatureDifference: Hashable, Sendable, CustomStringConvertible {
  /// Where two signatures differ.
  public enum Position: Hashable, Sendable {
    /// The result.
    case result
    /// An argument, numbered from 0 with hidden ones included.
    case argument(Int)
    /// The number of arguments.
    case argumentCount
  }

  /// Where the signatures differ.
  public let position: Position

  /// The first signature's type at that position; nil for the number of arguments.
  public let ours: TypeEncoding?

  /// The second signature's type at that position; nil for the number of arguments.
  public let theirs: TypeEncoding?

  /// The difference in words, such as "argument 2: hook takes i (Int32), block gives q (Int64)".
  public let description: String
}

extension MethodSignature {
  /// Finds the positions at which this signature and another are incompatible.
  ///
  /// Frame offsets are ignored, and types are compared by `TypeEncoding.isCompatible(with:)`; an
  /// array as an argument counts as a pointer.
  ///
  /// - Parameters:
  ///   - other: The signature to compare with.
  ///   - ours: The name of this signature's owner in the descriptions.
  ///   - theirs: The name of the other signature's owner.
  /// - Returns: The differences: result, number of arguments, then arguments; empty if the
  ///   signatures are compatible.
  public func differences(
    from other: MethodSignature, ours: String = "hook", theirs: String = "block"
  ) -> [SignatureDifference] {
    var differences: [SignatureDifference] = []
    if !result.isCompatible(with: other.result) {
      differences.append(
        .init(
          position: .result, ours: result, theirs: other.result,
          description: "result: \(ours) returns \(result.described), "
            + "\(theirs) returns \(other.result.described)\(result.hint(beside: other.result))"))
    }
    if arguments.count != other.arguments.count {
      differences.append(
        .init(
          position: .argumentCount, ours: nil, theirs: nil,
          description: "argument count: \(ours) takes \(arguments.count), "
            + "\(theirs) gives \(other.arguments.count)"))
    }
    for (index, pair) in zip(arguments, other.arguments).enumerated() {
      let (own, given) = (pair.0.encoding, pair.1.encoding)
      guard !own.asParameter.isCompatible(with: given.asParameter) else { continue }
      differences.append(
        .init(
          position: .argument(index), ours: own, theirs: given,
          description: "argument \(index): \(ours) takes \(own.described), "
            + "\(theirs) gives \(given.described)\(own.hint(beside: given))"))
    }
    return differences
  }
}

extension TypeEncoding {
  /// The encoding followed by its Swift name.
  fileprivate var described: String {
    let text = description
    return text.isEmpty ? "nothing (\(swiftName))" : "\(text) (\(swiftName))"
  }

  /// Advice that distinguishes two types which Swift imports as one: `size_t` and `long` are its
  /// `Int`.
  fileprivate func hint(beside other: TypeEncoding) -> String {
    Set([kind, other.kind]) == [.int64, .uint64]
      ? ": write UInt for size_t and unsigned long, Int for ssize_t and long" : ""
  }

  /// The name of the type in Swift.
  private var swiftName: String {
    switch type {
    case .structure(let record): record.name.map { "struct \($0)" } ?? "anonymous struct"
    case .union(let record): record.name.map { "union \($0)" } ?? "anonymous union"
    case .vanished: "vanished vector"
    default: kind.swiftName
    }
  }
}

extension TypeEncoding.Kind {
  /// The Swift type that C types of the kind are imported as.
  fileprivate var swiftName: String {
    switch self {
    case .void, .bool, .int8, .int16, .int32, .int64, .int128, .float, .double:
      rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    case .uint8, .uint16, .uint32, .uint64, .uint128: "UInt" + rawValue.dropFirst(4)
    case .longDouble: "Float80"
    case .complexFloat: "complex Float"
    case .complexDouble: "complex Double"
    case .complexLongDouble: "complex Float80"
    case .cString: "C string"
    case .functionPointer: "function pointer"
    case .vector: "SIMD"
    case .bitField: "bit-field"
    case .unknown: "unknown type"
    case .pointer, .object, .class, .selector, .block, .array, .struct, .union: rawValue
    }
  }
}
