private import CBlockABI.BlockAttachment

extension Block {
  /// A run of captured words or bytes of one kind, in the order of the block's memory.
  public struct CaptureRun: Hashable, Sendable {
    /// The kind of a run's captures.
    public enum Kind: String, Hashable, Sendable {
      /// Bytes that hold no reference.
      case bytes
      /// Words that hold no reference.
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

    /// The kind of the captures.
    public let kind: Kind

    /// How many bytes (of `bytes`) or words (of all other kinds) the run has.
    public let count: Int

    /// Creates a run.
    public init(kind: Kind, count: Int) {
      self.kind = kind
      self.count = count
    }
  }

  /// The layout of the block's captures if its compiler wrote an extended layout; nil otherwise.
  ///
  /// clang writes such a layout for Objective-C only. The corresponding function is
  /// `_Block_extended_layout`; `Block_private.h` describes the format.
  public var captureLayout: [CaptureRun]? {
    guard flags.contains(.hasExtendedLayout) else { return nil }
    // SAFETY: the reference keeps the block alive.
    let layout = unsafe cbr_block_layout(reference.pointer)
    guard let layout = unsafe layout else { return nil }
    let inlineLimit: UInt = 0x1000
    let bits = UInt(bitPattern: layout)
    return bits < inlineLimit ? Block.inlineCaptures(bits) : unsafe Block.listedCaptures(layout)
  }

  /// The function that releases what the block captures, nil if there is nothing to release; its
  /// name, which the compiler makes, says what the captures are.
  package var disposeHelper: UnsafeRawPointer? {
    // SAFETY: the reference keeps the block alive.
    unsafe cbr_block_dispose_helper(reference.pointer)
  }

  /// Decodes a small layout: a number that has the counts of strong, byref and weak captures, in
  /// four bits each.
  private static func inlineCaptures(_ bits: UInt) -> [CaptureRun] {
    let kinds: [CaptureRun.Kind] = [.strong, .byref, .weak]
    return zip(kinds, [8, 4, 0]).compactMap { kind, shift in
      let count = Int(bits >> shift & 0xF)
      return count == 0 ? nil : CaptureRun(kind: kind, count: count)
    }
  }

  /// Decodes a larger layout: a list of bytes, each with a kind in its high four bits and the count
  /// less one in its low four; a zero byte ends the list.
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
