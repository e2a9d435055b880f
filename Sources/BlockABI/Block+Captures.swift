private import CBlockABI.BlockAttachment

extension Block {
  /// A run of captured words or bytes of one kind, in the order they lie in the block.
  public struct CaptureRun: Hashable, Sendable {
    /// What the run's captures are.
    public enum Kind: String, Hashable, Sendable {
      /// Bytes that are no object.
      case bytes
      /// Words that are no object.
      case words
      /// Strong references.
      case strong
      /// `__block` variables.
      case byref
      /// Weak references.
      case weak
      /// Unretained references.
      case unretained
    }

    /// What the captures are.
    public let kind: Kind

    /// How many bytes (of `bytes`) or words (of all other kinds) the run has.
    public let count: Int

    /// Creates a run.
    public init(kind: Kind, count: Int) {
      self.kind = kind
      self.count = count
    }
  }

  /// What the block captures, where its compiler wrote an extended layout; nil elsewhere.
  ///
  /// clang writes one for Objective-C only. The corresponding function is `_Block_extended_layout`;
  /// the format is described with it in `Block_private.h`.
  public var captureLayout: [CaptureRun]? {
    guard flags.contains(.hasExtendedLayout) else { return nil }
    // SAFETY: the reference keeps the block alive.
    let layout = unsafe cbr_block_layout(reference.pointer)
    guard let layout = unsafe layout else { return nil }
    let inlineLimit: UInt = 0x1000
    let bits = UInt(bitPattern: layout)
    return bits < inlineLimit ? Block.inlineCaptures(bits) : unsafe Block.listedCaptures(layout)
  }

  /// Small layouts are a number: strong, byref and weak counts in four bits each.
  private static func inlineCaptures(_ bits: UInt) -> [CaptureRun] {
    let kinds: [CaptureRun.Kind] = [.strong, .byref, .weak]
    return zip(kinds, [8, 4, 0]).compactMap { kind, shift in
      let count = Int(bits >> shift & 0xF)
      return count == 0 ? nil : CaptureRun(kind: kind, count: count)
    }
  }

  /// Larger ones are bytes: a kind in the high four bits, the count less one in the low; 0 ends.
  private static func listedCaptures(_ layout: UnsafePointer<CChar>) -> [CaptureRun] {
    let kinds: [CaptureRun.Kind?] = [nil, .bytes, .words, .strong, .byref, .weak, .unretained]
    var runs: [CaptureRun] = []
    var index = 0
    // SAFETY: the list ends with a byte whose kind is 0; an unknown kind ends it too.
    while true {
      let byte = unsafe UInt8(bitPattern: layout[index])
      let code = Int(byte >> 4)
      guard code < kinds.count, let kind = kinds[code] else { return runs }
      runs.append(CaptureRun(kind: kind, count: Int(byte & 0xF) + 1))
      index += 1
    }
  }
}
