internal import BlockABI

/// A Swift closure that receives calls.
@usableFromInline
package final class CallHandler: Sendable {
  @usableFromInline package typealias Body = @Sendable (inout CallFrame) throws -> Void

  @usableFromInline package let body: Body
  private let onError: @Sendable (any Error) -> Void

  /// The mark that disables the handler, and by which its running calls are found; nil for a
  /// handler that is not removed on its own, such as that of a function pointer or of a whole
  /// chain.
  package let mark: HandlerMark?

  package init(
    mark: HandlerMark? = nil, onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping Body
  ) {
    self.body = body
    self.onError = onError
    self.mark = mark
  }

  /// The code and the captures of the closure, which live as long as this object.
  var bodyWords: (UnsafeRawPointer, UnsafeRawPointer?) {
    struct Words { let body: Body }
    // SAFETY: a closure in a field is two words, its code and its captures; a closure in a generic
    // parameter would be wrapped in a thunk.
    return unsafe withUnsafeBytes(of: Words(body: body)) { bytes in
      unsafe bytes.load(as: (UnsafeRawPointer, UnsafeRawPointer?).self)
    }
  }

  /// Passes an error of the handler to `onError`.
  @usableFromInline
  @inline(never)
  package func receive(_ error: any Error) { onError(error) }

  /// Runs the handler; an error goes to `onError`.
  ///
  /// - Returns: False if the handler threw before it proceeded.
  @inlinable
  @inline(__always)
  package func run(_ frame: inout CallFrame) -> Bool {
    do {
      try body(&frame)
      return true
    } catch {
      receive(error)
      return frame.proceedCount > 0
    }
  }
}

extension CallHandler {
  /// Makes code that enters a handler.
  ///
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  static func makeEntry(
    _ interface: CallInterface, hiddenArgumentCount: Int,
    onError: @escaping @Sendable (any Error) -> Void, _ body: @escaping Body
  ) throws(InvocationError) -> CallEntry {
    var retainingBody = body
    if hiddenArgumentCount > 0 {
      // A handler may release the last reference to its block, so the call retains the block.
      // SAFETY: argument 0 is the block that is called, which is alive when its code is entered.
      retainingBody = { frame in
        let block = unsafe frame.block
        let outcome = unsafe BlockReference.retaining(block) {
          Result { () throws in try body(&frame) }
        }
        try outcome.get()
      }
    }
    return try CallEntry(
      interface,
      receiver: CallReceiver(
        interface, hiddenArgumentCount: hiddenArgumentCount,
        first: CallHandler(onError: onError, retainingBody)),
      .ownCode)
  }
}
