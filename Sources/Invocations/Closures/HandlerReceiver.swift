internal import BlockABI
private import Glibc

// SAFETY, for the whole file: the addresses are valid for the duration of a call.

/// Receives calls for a Swift handler.
final class HandlerReceiver: CallReceiver, @unchecked Sendable {
  // SAFETY: everything but `closure` is immutable, and `closure` is set before the code is known.
  typealias Handler = @Sendable (inout CallFrame) throws -> Void

  private let interface: CallInterface
  private let hiddenArgumentCount: Int
  private let handler: Handler
  private let onError: @Sendable (any Error) -> Void
  private(set) var closure: ExecutableClosure?

  init(
    _ interface: CallInterface, hiddenArgumentCount: Int,
    onError: @escaping @Sendable (any Error) -> Void,
    _ handler: @escaping Handler
  ) {
    self.interface = interface
    self.hiddenArgumentCount = hiddenArgumentCount
    self.onError = onError
    self.handler = handler
  }

  /// Makes the code that enters the receiver.
  func makeCode() throws(InvocationError) -> UnsafeRawPointer {
    let closure = try ExecutableClosure(interface, receiver: self)
    self.closure = closure
    return unsafe closure.code
  }

  @unsafe
  func receive(
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) -> AnyObject? {
    // A handler may give up the last reference to its block: the call keeps one.
    let block =
      hiddenArgumentCount == 0
      ? nil : unsafe arguments[0].map { unsafe $0.load(as: UnsafeRawPointer.self) }
    return unsafe BlockReference.retaining(block) {
      var frame = unsafe CallFrame(
        interface, arguments: arguments, result: result, hiddenArgumentCount: hiddenArgumentCount)
      do {
        try handler(&frame)
      } catch {
        onError(error)
      }
      return frame.finish()
    }
  }
}

/// Writes an error that a handler threw to standard error: its C caller cannot receive it.
public func reportHandlerError(_ error: any Error) {
  let line = "BlockRuntime: a handler threw: \(error)\n"
  var bytes = Array(line.utf8)[...]
  while !bytes.isEmpty {
    // SAFETY: the buffer is as long as `write` is told.
    let count = unsafe bytes.withUnsafeBytes {
      unsafe write(STDERR_FILENO, $0.baseAddress, $0.count)
    }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}
