public import Invocations

/// How a caller writes and reads what a recording otherwise only describes: pointers, objects,
/// blocks, and unions that may hold them.
public struct RecordingCodec: Sendable {
  /// Makes bytes of a value, nil to have it described.
  ///
  /// The index is that of the argument, hidden ones counted, nil for the result; members of records
  /// come one by one with the index of the whole. Null pointers never come.
  public typealias Encode = @Sendable (_ index: Int?, _ value: CValue) -> [UInt8]?

  /// Makes a value of bytes, nil if that is not possible: then the call is skipped.
  ///
  /// What a pointer among the values points to must live until the replay ends; objects and blocks
  /// are retained for the call.
  public typealias Decode = @Sendable (_ index: Int?, _ bytes: [UInt8]) -> CValue?

  let encode: Encode
  let decode: Decode

  /// Creates a codec.
  ///
  /// - Parameters:
  ///   - encode: Runs in every recorded call, on its thread and under no lock, and in a replay for
  ///     results that were encoded, to compare them.
  ///   - decode: Runs in a replay, on its thread.
  public init(encode: @escaping Encode, decode: @escaping Decode) {
    self.encode = encode
    self.decode = decode
  }
}
