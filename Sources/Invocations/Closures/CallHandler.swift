private import Glibc

// SAFETY, for the whole file: a receiver keeps its state, and hands over the frame of a call.

/// A Swift closure that receives calls.
final class CallHandler: Sendable {
  typealias Handler = @Sendable (inout CallFrame) throws -> Void

  private let handler: Handler
  private let onError: @Sendable (any Error) -> Void

  init(onError: @escaping @Sendable (any Error) -> Void, _ handler: @escaping Handler) {
    self.onError = onError
    self.handler = handler
  }

  private func run(_ frame: inout CallFrame) {
    do {
      try handler(&frame)
    } catch {
      onError(error)
    }
  }

  /// Makes code that enters the handler.
  ///
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  static func makeEntry(
    _ interface: CallInterface, hiddenArgumentCount: Int,
    onError: @escaping @Sendable (any Error) -> Void, _ handler: @escaping Handler
  ) throws(InvocationError) -> CallEntry {
    let receiver = unsafe CallReceiver(
      interface, hiddenArgumentCount: hiddenArgumentCount,
      state: CallHandler(onError: onError, handler)
    ) { state, frame, _ in
      unsafe Unmanaged<CallHandler>.fromOpaque(state)._withUnsafeGuaranteedRef {
        unsafe $0.run(&frame.assumingMemoryBound(to: CallFrame.self).pointee)
      }
    }
    return unsafe try CallEntry(interface, receiver: receiver, .ownCode)
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
