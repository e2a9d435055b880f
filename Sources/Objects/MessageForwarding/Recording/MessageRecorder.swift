public import Invocations
internal import ObjectLifetimes
public import TypeEncodings

/// A stand-in for a receiver, which makes an invocation of the message that is sent to it.
///
/// ```swift
/// let invocation = try page.record { try $0.send("didLoad:", 3) }
/// try invocation.send(to: otherPage)
/// ```
///
/// It accepts exactly one message, which is checked against the receiver's signature. The answer to
/// the sender is zero, without meaning. If the type has no zero, as a structure that holds a
/// reference, the send throws `recorded`, with which the closure of `record` may end.
///
/// The corresponding features are GNUstep's `NS_MESSAGE` and the object that BlocksKit's
/// `+[NSInvocation bk_invocationWithTarget:block:]` passes to its block.
public final class MessageRecorder: MessageReceiver {
  private enum State {
    case empty
    case recorded(Invocation)
    case failed(MessageError)
  }

  private let target: any MessageReceiver
  private var state = State.empty

  init(_ target: any MessageReceiver) { self.target = target }

  /// No methods: the recorder records all messages.
  public static var methods: MethodTable { MethodTable(MessageRecorder.self) }

  /// Whether the receiver that the recorder stands for responds to a message.
  public func responds(to selector: Selector) -> Bool { target.responds(to: selector) }

  /// The signature that the receiver has for a message.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    (try? target.makeInvocation(of: selector))?.signature
  }

  /// Records a message.
  ///
  /// - Parameter message: The message.
  /// - Returns: Zero.
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`;
  ///   `notOneMessage` for a second message; `recorded` if the message was recorded and the type
  ///   has no zero.
  public func forward<Arguments, Outcome>(
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    try record(message.selector) { () throws(MessageError) in
      guard let signature = try target.makeInvocation(of: message.selector)?.signature else {
        throw MethodLookup.unrecognized(message.selector, target)
      }
      return try message.makeInvocation(signature: signature, to: target)
    }
    do throws(MessageError) { return try ZeroValue.of(Outcome.self) } catch {
      throw MessageError(
        .recorded,
        "\(message.selector) is recorded, and \(Outcome.self) has no zero for an answer: let this "
          + "error end the closure of `record`", selector: message.selector)
    }
  }

  /// Records a message that is an invocation.
  ///
  /// - Parameter invocation: The message, which is copied.
  /// - Throws: `notOneMessage` for a second message.
  public func forwardInvocation(_ invocation: Invocation) throws {
    try record(invocation.selector) { () throws(MessageError) in
      let copy = invocation.copied()
      do throws(InvocationError) { try copy.storeArgument(0, target as AnyObject) } catch {
        throw MessageError(error, invocation.selector)
      }
      return copy
    }
  }

  /// Records an invocation; after an error the recording has failed.
  ///
  /// - Throws: The error of `make`; `notOneMessage`.
  private func record(
    _ selector: Selector?, _ make: () throws(MessageError) -> Invocation
  ) throws(MessageError) {
    do throws(MessageError) {
      guard case .empty = state else {
        throw MessageError(
          .notOneMessage,
          "\(selector?.name ?? "a message") was sent to a recorder that has a message already: "
            + "record each on its own", selector: selector)
      }
      let invocation = try make()
      invocation.retainArguments()
      state = .recorded(invocation)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Returns the recorded invocation, and refuses later messages.
  func finish() throws(MessageError) -> Invocation {
    defer { state = .failed(MessageError(.notOneMessage, "the recording is over")) }
    switch state {
    case .empty:
      throw MessageError(
        .notOneMessage, "no message was sent to the recorder: send it the one to be recorded")
    case .recorded(let invocation): return invocation
    case .failed(let error): throw error
    }
  }
}

extension MessageReceiver {
  /// Makes an invocation of a message that is sent to a stand-in, not to the receiver.
  ///
  /// The invocation retains the receiver and the arguments, and copies of C strings. It can be sent
  /// any number of times, to the receiver or to others.
  ///
  /// - Parameter body: Sends exactly one message to the recorder that it is called with.
  /// - Returns: The message.
  /// - Throws: `notOneMessage`; the error of a message that was refused, also if `body` catches it;
  ///   `thrown` with another error of `body`; `deadReceiver` in the receiver's `deinit`.
  public func record(
    _ body: (MessageRecorder) throws -> Void
  ) throws(MessageError) -> Invocation {
    // The invocation could outlive the receiver's deinit, and refer to a freed object.
    guard WeakReference(self as AnyObject).object != nil else {
      throw MessageError(.deadReceiver, "a message to an object that dies cannot be recorded")
    }
    let recorder = MessageRecorder(self)
    do { try body(recorder) } catch {
      let refusal = error as? MessageError
      if refusal?.code == .recorded { return try recorder.finish() }
      if let refusal { throw refusal }
      throw MessageError(.thrown, "the recording threw \(error)", underlying: error)
    }
    return try recorder.finish()
  }
}
