public import Invocations
internal import ObjectLifetimes
public import TypeEncodings

/// Takes the place of a receiver, and makes an invocation of the message that it gets.
///
/// ```swift
/// let invocation = try page.record { try $0.send("didLoad:", 3) }
/// try invocation.send(to: otherPage)
/// ```
///
/// It takes exactly one message, checked against the receiver's signature of it. The answer to the
/// sender means nothing: it is zero. Where there is no zero of the type, as of a structure that holds a
/// reference, the send throws `recorded`, which ends the closure of `record` as it should.
///
/// The corresponding types are GNUstep's `NS_MESSAGE` and what `+[NSInvocation bk_invocationWithTarget:block:]`
/// of BlocksKit passes to its block.
public final class MessageRecorder: MessageReceiver {
  private enum State {
    case empty
    case recorded(Invocation)
    case failed(MessageError)
  }

  private let target: any MessageReceiver
  private var state = State.empty

  init(_ target: any MessageReceiver) { self.target = target }

  /// The recorder has no methods: it records all messages.
  public static var methods: MethodTable { MethodTable(MessageRecorder.self) }

  /// What the receiver meant answers.
  public func responds(to selector: Selector) -> Bool { target.responds(to: selector) }

  /// The signature that the receiver meant has for a message.
  public func methodSignature(for selector: Selector) -> MethodSignature? {
    (try? target.makeInvocation(of: selector))?.signature
  }

  /// Records a message.
  ///
  /// - Parameter message: The message.
  /// - Returns: Zero.
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`;
  ///   `notOneMessage` for the second; `recorded` if it was, and there is no zero of the type.
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
        "\(message.selector) is recorded; no \(Outcome.self) stands for its answer: let this error end "
          + "the closure of `record`", selector: message.selector)
    }
  }

  /// Records a message that is an invocation already.
  ///
  /// - Parameter invocation: The message; its arguments are copied.
  /// - Throws: `notOneMessage` for the second.
  public func forwardInvocation(_ invocation: Invocation) throws {
    try record(invocation.selector) { () throws(MessageError) in
      let copy = invocation.copied()
      do throws(InvocationError) { try copy.storeArgument(0, target as AnyObject) } catch {
        throw MessageError(error, invocation.selector)
      }
      return copy
    }
  }

  /// - Throws: What `make` throws; `notOneMessage`. The recording has then failed for good.
  private func record(
    _ selector: Selector?, _ make: () throws(MessageError) -> Invocation
  ) throws(MessageError) {
    do throws(MessageError) {
      guard case .empty = state else {
        throw MessageError(
          .notOneMessage,
          "\(selector?.name ?? "a message") was sent to a recorder that has had its message: record "
            + "each on its own", selector: selector)
      }
      let invocation = try make()
      invocation.retainArguments()
      state = .recorded(invocation)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// What was recorded; later messages are refused.
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
  /// Makes an invocation of a message that is sent to a stand-in: the receiver does not get it.
  ///
  /// The invocation keeps the receiver and the arguments, copies of C strings included. It can be sent
  /// any number of times, to the receiver or to others.
  ///
  /// - Parameter body: Sends exactly one message to the recorder that it gets.
  /// - Returns: The message.
  /// - Throws: `notOneMessage`; why the message was refused, also if `body` does not pass that on;
  ///   `thrown` with what `body` throws; `deadReceiver` in the receiver's deinit.
  public func record(
    _ body: (MessageRecorder) throws -> Void
  ) throws(MessageError) -> Invocation {
    // An invocation that outlives its receiver's deinit would keep what is gone.
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
