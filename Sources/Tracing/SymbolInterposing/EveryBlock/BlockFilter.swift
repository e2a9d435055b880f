package import BlockABI
private import Glibc
private import TypeEncodings

/// Selects blocks by their code, their signature, and the queue on which they run.
///
/// Patterns are those of the shell (`*`, `?`, `[…]`). This library's own blocks are never selected.
public struct BlockFilter: Hashable, Sendable {
  /// The images that hold the blocks' code; by default all but libdispatch.
  public var images = ImageFilter.excluding("libdispatch.so*")

  /// Patterns of the functions that the blocks were compiled to; all functions if empty.
  ///
  /// They are compared with demangled names: `*closure #* in MyServer.*`. Code without a name
  /// matches only `*`.
  public var symbols: [String] = []

  /// Patterns of functions that are left out even if `symbols` selects them.
  public var excludedSymbols: [String] = []

  /// Patterns of the blocks' signatures; all signatures if empty.
  ///
  /// They are compared with the type encoding as the compiler wrote it, `v16@?0^v8`, and without
  /// frame offsets, `v@?^v`.
  public var signatures: [String] = []

  /// Patterns of the labels of queues; all queues if empty.
  ///
  /// At each call they are compared with the label of the queue that the thread runs; the label is
  /// empty outside of queues.
  public var queues: [String] = []

  /// Creates a filter that selects all blocks but libdispatch's own.
  public init() {}

  /// All blocks but libdispatch's own.
  public static let all = BlockFilter()

  /// Whether blocks with some code and signature are selected.
  ///
  /// - Parameters:
  ///   - code: The function that holds the address; nil if no image does.
  ///   - address: The address of the code; it is not dereferenced.
  ///   - encoding: The signature; nil for blocks without one.
  /// - Returns: True if they are selected.
  package func admits(
    _ code: CodeSymbol?, at address: UnsafeRawPointer?, encoding: String?
  ) -> Bool {
    if let image = unsafe address.flatMap({ unsafe ImageFilter.library(of: $0) }),
      !images.admits(image.isEmpty ? ImageFilter.program : image)
    {
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

  /// Whether a queue is selected, to which a block is sent; nil stands for one that is not known.
  package func admits(queue: UnsafeRawPointer?) -> Bool {
    guard !queues.isEmpty else { return true }
    // SAFETY: there is a queue at the address.
    let label = unsafe queue.map { unsafe QueueLabel.of($0) } ?? ""
    return queues.contains { Self.matches(label, $0) }
  }

  /// Tells whether the queue that the thread runs is selected; nil if all queues are.
  var admitsCurrentQueue: (@Sendable () -> Bool)? {
    guard !queues.isEmpty else { return nil }
    return { [queues] in
      // SAFETY: there is no address.
      let label = unsafe QueueLabel.of(nil)
      return queues.contains { Self.matches(label, $0) }
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    // SAFETY: both strings are null-terminated for the duration of the call.
    unsafe fnmatch(pattern, text, 0) == 0
  }
}
