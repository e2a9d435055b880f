internal import TypeEncodings

// SAFETY, for the whole file: a frame's slots are valid while the frame lives.

/// A call's arguments as text, each rendered by its type, without the hidden ones.
///
/// The text is made when the list is; it stays valid after the call.
public struct ArgumentList: RandomAccessCollection, Sendable, CustomStringConvertible {
  private let texts: [String]

  init(_ texts: [String]) { self.texts = texts }

  /// 0: the first argument's place in the list.
  public var startIndex: Int { texts.startIndex }

  /// The number of arguments.
  public var endIndex: Int { texts.endIndex }

  /// The text of one argument; the first own argument is 0.
  public subscript(index: Int) -> String { texts[index] }

  /// All arguments, separated by commas.
  public var description: String { texts.joined(separator: ", ") }
}

extension CallFrame {
  /// The arguments as text, as they are now; empty at a block's death.
  ///
  /// - Complexity: All arguments are rendered each time.
  public var arguments: ArgumentList {
    unsafe ArgumentList(
      signature.arguments.indices.dropFirst(values.hiddenArgumentCount).compactMap { index in
        guard let slot = unsafe try? values.argumentSlot(index) else { return nil }
        return unsafe slot.text
      })
  }

  /// The result as text, nil while there is none.
  public var resultText: String? {
    guard hasResult, let slot = unsafe try? values.resultSlot() else { return nil }
    return unsafe slot.text
  }
}
