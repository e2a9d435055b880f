internal import BlockABI
private import CSymbolInterposing.CallSites
private import Glibc
private import TypeEncodings

/// Which of all blocks are meant: by their code, their signature, and the queue that they run on.
///
/// Patterns have the shell's `*`, `?` and `[…]`. This library's own blocks are never meant.
public struct BlockFilter: Hashable, Sendable {
  /// The images that the blocks' code lies in; all but libdispatch, if not given.
  public var images = ImageFilter.excluding("libdispatch.so*")

  /// Patterns of the functions that the blocks were compiled to; all, if there are none.
  ///
  /// They are compared with demangled names: `*closure #* in MyServer.*`. Code without a name matches only `*`.
  public var symbols: [String] = []

  /// Patterns of the functions that are left out, even if they are meant.
  public var excludedSymbols: [String] = []

  /// Patterns of the blocks' signatures; all, if there are none.
  ///
  /// They are compared with the type encoding as the compiler wrote it, `v16@?0^v8`, and without frame
  /// offsets, `v@?^v`.
  public var signatures: [String] = []

  /// Patterns of the labels of queues; all, if there are none.
  ///
  /// They are compared at each call with the label of the queue that it runs on; outside of queues that
  /// is empty.
  public var queues: [String] = []

  /// Creates a filter of all blocks but libdispatch's own.
  public init() {}

  /// All blocks but libdispatch's own.
  public static let all = BlockFilter()

  /// Whether blocks of some code and signature are meant.
  func admits(_ code: CodeSymbol?, encoding: String?) -> Bool {
    if let code, !images.admits(code.image.isEmpty ? ImageFilter.program : code.image) {
      return false
    }
    let name = code?.name ?? ""
    guard symbols.isEmpty || symbols.contains(where: { Self.matches(name, $0) }),
      !excludedSymbols.contains(where: { Self.matches(name, $0) })
    else { return false }
    guard !signatures.isEmpty else { return true }
    let encoding = encoding ?? ""
    let short = (try? MethodSignature(parsing: encoding))?.withoutFrameOffsets().description
    return signatures.contains { Self.matches(encoding, $0) || Self.matches(short ?? "", $0) }
  }

  /// Whether the queue is meant that the thread runs; nil if all are.
  var admitsCurrentQueue: (@Sendable () -> Bool)? {
    guard !queues.isEmpty else { return nil }
    return { [queues] in
      // SAFETY: the label is a C string that lives as long as its queue, which runs this.
      let label = unsafe cbr_queue_label().map { unsafe String(cString: $0) } ?? ""
      return queues.contains { Self.matches(label, $0) }
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    // SAFETY: both are C strings for the duration of the call.
    unsafe fnmatch(pattern, text, 0) == 0
  }
}
