private import CLoadedImages.ReadableMemory
internal import TypeEncodings

/// The arguments of a call, as they were when the list was made.
///
/// The indices are those of `argument(_:as:)`: 1 for a block's first parameter, so `arguments[1]`
/// is the value that `argument(1)` reads. A block's own pointer is left out. The description is a
/// text, with the short name of each type.
///
/// Objects and blocks are retained while the list lives; keep the description instead, where a
/// closure parameter may not be `@escaping`. Values that cannot be read, C strings of more than 64
/// KiB and blocks on the stack are `CValue.opaque`.
public struct ArgumentList: RandomAccessCollection, CustomStringConvertible {
  private let values: [CValue]
  private let texts: [String]

  /// The index of the first argument in the list.
  public let startIndex: Int

  /// Reads the slots of some arguments; an argument without a slot is unset.
  ///
  /// ## Safety
  /// `slot` must return valid slots.
  @unsafe
  init(_ indices: Range<Int>, _ slot: (Int) -> ValueSlot?) {
    startIndex = indices.lowerBound
    var (values, texts) = ([CValue](), [String]())
    for index in indices {
      guard let slot = unsafe slot(index) else {
        texts.append("unset")
        values.append(.opaque(OpaqueValue(text: "unset")))
        continue
      }
      let text = unsafe slot.text
      let value = unsafe try? slot.value(distrustsMemory: true)
      values.append(value ?? .opaque(OpaqueValue(text: text)))
      texts.append(text)
    }
    self.values = values
    self.texts = texts
  }

  /// The index behind the last argument.
  public var endIndex: Int { startIndex + values.count }

  /// The value of one argument.
  public subscript(index: Int) -> CValue { values[index - startIndex] }

  /// The text of one argument: the short name of its type, then the value.
  ///
  /// - Parameter index: The argument's index.
  /// - Returns: The text.
  public func text(_ index: Int) -> String { texts[index - startIndex] }

  /// The texts of all arguments, separated by commas.
  public var description: String { texts.joined(separator: ", ") }
}

/// An object that only stands for the function that is called: texts of calls leave it out, with
/// the selector.
package protocol FunctionReceiver: AnyObject {}

extension ValueSlot {
  /// The number of arguments that texts leave out, if the slot has the receiver of a call.
  fileprivate var impliedCount: Int {
    // SAFETY: the slot is valid; whether there is an object, the kernel is asked.
    guard let pointer = unsafe pointer, unsafe cbr_is_readable(pointer) else { return 0 }
    return unsafe object is any FunctionReceiver ? 2 : 0
  }
}

extension Invocation {
  /// The arguments, as they are now; those that have not been set are `CValue.opaque`.
  public var arguments: ArgumentList {
    // SAFETY: the slots are the invocation's own.
    unsafe ArgumentList((isBlockCall ? 1 : 0)..<interface.argumentCount) { index in
      isSet(index) ? unsafe try? memory.argumentSlot(index) : nil
    }
  }

  /// The texts of the arguments; nothing is retained for them.
  package var argumentTexts: [String] {
    // SAFETY: the slots are the invocation's own.
    let implied =
      signature.form == .method && isSet(0)
      ? unsafe (try? memory.argumentSlot(0))?.impliedCount : nil
    let first = isBlockCall ? 1 : implied ?? 0
    return (first..<interface.argumentCount).map { index in
      isSet(index) ? unsafe (try? memory.argumentSlot(index))?.text ?? "?" : "unset"
    }
  }

  /// The result as text, nil while there is none.
  public var resultText: String? {
    // SAFETY: as above.
    hasResult ? unsafe (try? memory.resultSlot())?.text : nil
  }
}

extension CallFrame {
  /// The arguments, as they are now; empty at a block's death.
  ///
  /// - Complexity: All arguments are read and rendered each time.
  public var arguments: ArgumentList {
    // SAFETY: a frame's slots are valid while the frame lives.
    guard unsafe memory.hasValues else { return unsafe ArgumentList(0..<0) { _ in nil } }
    return unsafe ArgumentList(blockArgumentCount..<signature.arguments.count) { index in
      unsafe try? argumentSlot(index)
    }
  }

  /// The texts of the arguments; nothing is retained for them.
  package var argumentTexts: [String] {
    // SAFETY: a frame's slots are valid while the frame lives.
    guard unsafe memory.hasValues else { return [] }
    let implied = signature.form == .method ? unsafe (try? argumentSlot(0))?.impliedCount : nil
    let first = max(blockArgumentCount, implied ?? 0)
    let texts = (first..<signature.arguments.count).compactMap { index in
      unsafe (try? argumentSlot(index))?.text
    }
    return interface.isVariadic ? texts + variadicTexts : texts
  }

  /// The result as text, nil while there is none.
  public var resultText: String? {
    // SAFETY: as above.
    guard hasResult, let slot = unsafe try? memory.resultSlot() else { return nil }
    return unsafe slot.text
  }
}
