public import Synchronization

/// The words that a method reads at each of its Swift calls: they say whether messages of the
/// method run more than its body, such as hooks.
///
/// A class whose ordinary calls are messages has a slot for each of its methods. The method table
/// lists the body of the method, with the slot; the method itself reads the slot:
///
/// ```swift
/// class Weather: MessageReceiver {
///   static let degreesCalls = CallSlot()
///   func degrees(_ city: String) -> Double {
///     if Weather.degreesCalls.isHooked {
///       return Weather.degreesCalls.call(self, city) { degreesBody(city) }
///     }
///     return degreesBody(city)
///   }
///   final func degreesBody(_ city: String) -> Double { 20 }
///   class var methods: MethodTable {
///     MethodTable(Weather.self) {
///       Method("degrees:") { (self: Weather, city: String) in
///         Weather.degreesCalls.keeping(self) { self.degreesBody(city) }
///       }.called { Weather.degreesCalls.set($0) }
///     }
///   }
/// }
/// ```
///
/// The attribute `@Messages(.calls)` of the module `MessageMacros` writes this.
@frozen
public struct CallSlot: ~Copyable, Sendable {
  /// The address of the `CalledMethod` if its calls run more than the body, marked if only those on
  /// some objects do; otherwise 0.
  @usableFromInline let word: Atomic<UInt>

  /// The address of the `CalledMethod`, hooked or not; 0 until messages first use the class.
  @usableFromInline let method: Atomic<UInt>

  /// Creates the slot of a method that is not hooked.
  @inlinable
  @inline(__always)
  public init() {
    word = Atomic(0)
    method = Atomic(0)
  }

  /// Whether calls of the method run something else than its body.
  ///
  /// A call that has found hooks does not run those that are removed meanwhile.
  @inlinable
  @inline(__always)
  public var isHooked: Bool { word.load(ordering: .relaxed) != 0 }

  /// Sets what calls find; for `Method.called(by:)` only.
  ///
  /// - Parameter hooks: What the method table passes.
  public func set(_ hooks: CallHooks) {
    method.store(hooks.method, ordering: .relaxed)
    word.store(hooks.word, ordering: .releasing)
  }

  /// Calls the method with its hooks.
  ///
  /// If the receiver's class inherits the body, the call begins with the hooks of the receiver and
  /// its class; otherwise, as in a call of `super`, with those of the nearest superclass that
  /// inherits it. If a hook throws an error that the method cannot throw, the error is written to
  /// standard error, and the answer, or the error, is the original's, which runs if it did not run
  /// before on this thread.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - arguments: The arguments, as a tuple if there are several.
  ///   - mayThrow: Whether the caller expects an error, asked when there is one; nil if it always
  ///     does. A method that rethrows may throw if one of its arguments has.
  ///   - original: Runs the body.
  /// - Returns: The answer.
  /// - Throws: The error of the body or of a hook, if the method throws such.
  @inlinable
  @inline(__always)
  public func call<Receiver: MessageReceiver, Arguments, Outcome, Failure: Error>(
    _ receiver: Receiver, _ arguments: Arguments, mayThrow: (() -> Bool)? = nil,
    original: () throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    try run(receiver, arguments, Outcome.self, mayThrow, original)
  }

  /// Calls a method whose hooks see its answer as another type than its callers.
  ///
  /// It is like `call(_:_:mayThrow:original:)`; an answer of a hook that is not of the method's own
  /// type is an error of the hook.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - arguments: The arguments, as a tuple if there are several.
  ///   - type: The type of the messages' answer, such as `(any Collection).self` where the method
  ///     returns `some Collection`.
  ///   - mayThrow: Whether the caller expects an error.
  ///   - original: Runs the body.
  /// - Returns: The answer.
  /// - Throws: The error of the body or of a hook, if the method throws such.
  @inlinable
  @inline(never)
  public func call<Receiver: MessageReceiver, Arguments, Answer, Outcome, Failure: Error>(
    _ receiver: Receiver, _ arguments: Arguments, answering type: Answer.Type,
    mayThrow: (() -> Bool)? = nil, original: () throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    try run(receiver, arguments, type, mayThrow, original)
  }

  @inlinable
  @inline(__always)
  func run<Receiver: MessageReceiver, Arguments, Answer, Outcome, Failure: Error>(
    _ receiver: Receiver, _ arguments: Arguments, _ type: Answer.Type, _ mayThrow: (() -> Bool)?,
    _ original: () throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    let word = CallWord(word.load(ordering: .acquiring))
    if word.runsMore(receiver),
      let answer: Outcome = unsafe try word.hooked.answer(
        receiver, receiver._messageIdentity.value, arguments, type, Failure.self,
        TypedImplementation<Arguments, Answer>.address, mayThrow)
    {
      return answer
    }
    return try original()
  }

  /// Calls an async method with its hooks.
  ///
  /// It is like `call(_:_:mayThrow:original:)`. The hooks run in the current task, as with
  /// `send(async:)`; the original runs once, in that task or in one that inherits its values.
  @inlinable
  nonisolated(nonsending)
    public func call<
      Receiver: MessageReceiver, Arguments, Outcome: Sendable, Failure: Error
    >(
      _ receiver: Receiver, _ arguments: Arguments, mayThrow: (() -> Bool)? = nil,
      original: nonisolated(nonsending) () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome
  {
    try await call(
      receiver, arguments, answering: Outcome.self, mayThrow: mayThrow, original: original)
  }

  /// Calls an async method whose hooks see its answer as another type than its callers.
  ///
  /// It is like `call(_:_:answering:mayThrow:original:)`, for async methods.
  @inlinable
  nonisolated(nonsending)
    public func call<
      Receiver: MessageReceiver, Arguments, Answer: Sendable, Outcome: Sendable, Failure: Error
    >(
      _ receiver: Receiver, _ arguments: Arguments, answering type: Answer.Type,
      mayThrow: (() -> Bool)? = nil,
      original: nonisolated(nonsending) () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome
  {
    let word = CallWord(word.load(ordering: .acquiring))
    guard word.runsMore(receiver) else { return try await original() }
    let call = word.hooked
    let isFree = mayThrow == nil && Failure.self == (any Error).self
    let kept = isFree ? nil : KeptAsyncAnswer(call.method, receiver)
    do {
      let answer: AsyncAnswer<Answer> = unsafe try call.send(
        receiver, receiver._messageIdentity.value, arguments,
        TypedImplementation<Arguments, AsyncAnswer<Answer>>.address, keptAt: nil)
      if let kept { return try await call.own(kept.value(of: answer)) }
      return try await call.own(answer.value)
    } catch {
      let error = (error as? MessageError)?.ofMethod ?? error
      if mayThrow?() != false, let own = error as? Failure { throw own }
      MessageError(thrown: error, by: call.selector).reportFromCall()
    }
    let result: Result<Answer, any Error>? = kept?.result()
    if let answer = try result?.answer(orThrow: Failure.self, mayThrow) as? Outcome {
      return answer
    }
    return try await original()
  }

  /// Runs the body of the method, and keeps its answer or error for the call in progress, if any.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - body: Runs the body.
  /// - Returns: The answer.
  /// - Throws: What the body throws.
  @inlinable
  @inline(__always)
  public func keeping<Outcome, Failure: Error>(
    _ receiver: @autoclosure () -> AnyObject, _ body: () throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    unsafe try keeping(body) { unsafe place(receiver(), KeptOutcome<Outcome, Failure>.type) }
  }

  /// Runs the body, and keeps its answer or error at a place.
  ///
  /// ## Safety
  /// The place must be that of a `KeptOutcome` of the body's types.
  @unsafe
  @inlinable
  @inline(__always)
  func keeping<Outcome, Failure: Error>(
    _ body: () throws(Failure) -> Outcome, at place: () -> UnsafeMutableRawPointer?
  ) throws(Failure) -> Outcome {
    // The calls that the body made have ended: the place is that of the call which runs the body.
    do throws(Failure) {
      let answer = try body()
      if let place = unsafe place() {
        // SAFETY: the place is that of a variable of this type, which the call in progress has.
        unsafe place.assumingMemoryBound(to: KeptOutcome<Outcome, Failure>.self).pointee
          .keep(answer)
      }
      return answer
    } catch {
      if unsafe KeptOutcome<Outcome, Failure>.canThrow, let place = unsafe place() {
        unsafe place.assumingMemoryBound(to: KeptOutcome<Outcome, Failure>.self).pointee
          .keep(error)
      }
      throw error
    }
  }

  /// The place where the call in progress keeps its outcome, if it is a call of the method with the
  /// given receiver and type of answer.
  @usableFromInline
  func place(_ receiver: AnyObject, _ type: UInt) -> UnsafeMutableRawPointer? {
    guard let place = unsafe place(receiver) else { return nil }
    // SAFETY: each place begins with a head.
    return unsafe place.assumingMemoryBound(to: KeptHead.self).pointee.type == type ? place : nil
  }

  /// The place where the call in progress keeps its outcome, if it is a call of the method with the
  /// given receiver.
  @usableFromInline
  func place(_ receiver: AnyObject) -> UnsafeMutableRawPointer? {
    let here = unsafe KeptAnswer.here.pointee
    guard unsafe here.called == method.load(ordering: .relaxed) else { return nil }
    // SAFETY: calls have a place, which is that of a variable of theirs, and begins with a head.
    let head = unsafe here.place.unsafelyUnwrapped.assumingMemoryBound(to: KeptHead.self)
    return unsafe head.pointee.receiver == ObjectIdentifier(receiver) ? here.place : nil
  }

  /// Runs the body of an async method, and keeps its answer or error for the call in progress, if
  /// that is one of the current task.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - body: Runs the body.
  /// - Returns: The answer.
  /// - Throws: What the body throws.
  @inlinable
  nonisolated(nonsending)
    public func keeping<Outcome: Sendable, Failure: Error>(
      _ receiver: @autoclosure () -> AnyObject,
      _ body: nonisolated(nonsending) () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome
  {
    let method = method.load(ordering: .relaxed)
    guard let kept = KeptAsyncAnswer.current, kept.isOf(method, receiver()) else {
      return try await body()
    }
    do throws(Failure) {
      let answer = try await body()
      kept.keep(Result<Outcome, any Error>.success(answer))
      return answer
    } catch {
      kept.keep(Result<Outcome, any Error>.failure(error))
      throw error
    }
  }
}
