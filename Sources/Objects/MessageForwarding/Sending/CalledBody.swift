public import Synchronization

/// The body of a method whose ordinary calls are messages, with the `CallSlot` that the calls read:
/// a static constant, which is in the program's data.
///
/// ```swift
/// class Weather: MessageReceiver {
///   static let ofDegrees = CalledBody<String, Double, Never>("degrees:") { Weather.sentDegrees }
///   static func sentDegrees(_ weather: Weather, _ city: String, _ keeps: Bool) -> Double {
///     let answer = weather.degreesBody(city)
///     ofDegrees.keep(answer, of: weather, if: keeps)
///     return answer
///   }
///   func degrees(_ city: String) -> Double {
///     if Weather.ofDegrees.isHooked { return CalledBody.call(city, Weather.ofDegrees, self) }
///     return degreesBody(city)
///   }
///   final func degreesBody(_ city: String) -> Double { 20 }
///   class var methods: MethodTable {
///     MethodTable(Weather.self, bodies: { unsafe Weather.ofDegrees.list(in: &$0) })
///   }
/// }
/// ```
///
/// The functions that call and list bodies belong to the types: they are made once for all methods
/// of the same types. A body with several arguments, or with none, takes one tuple.
///
/// The attribute `@Messages(.calls)` of the module `MessageMacros` writes this.
@frozen
public struct CalledBody<Arguments, Outcome, Failure: Error>: ~Copyable, Sendable {
  @usableFromInline let slot: CallSlot
  @usableFromInline let body: @Sendable (AnyObject, Arguments) throws(Failure) -> Outcome

  /// The body as messages run it.
  @usableFromInline let keepingBody: @Sendable (AnyObject, Arguments) throws -> Outcome

  /// The name of the messages.
  @usableFromInline let selector: StaticString

  /// Whether messages run the body on the main actor only.
  @usableFromInline let isOfMainActor: Bool

  // SAFETY, for both initialisers: the receivers of calls and messages are instances of the class
  // that declares the method.

  /// Creates the slot of a method that is not hooked.
  ///
  /// - Parameters:
  ///   - selector: The name of the messages.
  ///   - function: Returns the function that runs the body, with `keep(_:of:if:)` or
  ///     `keeping(_:if:_:)`.
  @inlinable
  @inline(__always)
  public init<Receiver: AnyObject>(
    _ selector: StaticString,
    _ function:
      @escaping @Sendable () -> (Receiver, Arguments, Bool) throws(Failure) -> Outcome
  ) {
    self.init(selector, isOfMainActor: false, function)
  }

  /// Creates the slot of a method of the main actor that is not hooked.
  ///
  /// - Parameters:
  ///   - selector: The name of the messages.
  ///   - function: Returns the function that runs the body, with `keep(_:of:if:)` or
  ///     `keeping(_:if:_:)`.
  @inlinable
  @inline(__always)
  public init<Receiver: AnyObject>(
    _ selector: StaticString,
    _ function:
      @escaping @Sendable () ->
      @MainActor (Receiver, Arguments, Bool) throws(Failure) ->
      Outcome
  ) {
    // Calls begin on the main actor, and messages are refused elsewhere.
    self.init(selector, isOfMainActor: true, function)
  }

  @inlinable
  @inline(__always)
  init<Receiver: AnyObject>(
    _ selector: StaticString, isOfMainActor: Bool,
    _ function:
      @escaping @Sendable () -> (Receiver, Arguments, Bool) throws(Failure) -> Outcome
  ) {
    slot = CallSlot()
    self.selector = selector
    body = { receiver, arguments throws(Failure) in
      try function()(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments, false)
    }
    keepingBody = { receiver, arguments in
      try function()(unsafe unsafeDowncast(receiver, to: Receiver.self), arguments, true)
    }
    self.isOfMainActor = isOfMainActor
  }

  /// Whether calls of the method run something else than its body; as `CallSlot.isHooked`.
  @inlinable
  @inline(__always)
  public var isHooked: Bool { slot.isHooked }

  /// Calls a method that throws nothing, with its hooks: see `CallSlot.call`.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, as a tuple if there are several.
  ///   - called: The method's body.
  ///   - receiver: The receiver, an instance of the method's class.
  /// - Returns: The answer.
  @inlinable
  @inline(never)
  public static func call(
    _ arguments: Arguments, _ called: borrowing CalledBody, _ receiver: AnyObject
  ) -> Outcome where Failure == Never {
    let word = CallWord(called.slot.word.load(ordering: .acquiring))
    return word.isOfObjects
      ? runOfObject(arguments, called, receiver) : runHooks(arguments, called, receiver, word)
  }

  // `call` ends with a jump to one of these functions, so that it need save no registers.

  @inlinable
  @inline(never)
  static func runOfObject(
    _ arguments: Arguments, _ called: borrowing CalledBody, _ receiver: AnyObject
  ) -> Outcome where Failure == Never {
    CallWord.mayHaveHooks(ObjectIdentifier(receiver))
      ? runHooks(
        arguments, called, receiver, CallWord(called.slot.word.load(ordering: .acquiring)))
      : called.body(receiver, arguments)
  }

  @inlinable
  @inline(never)
  static func runHooks(
    _ arguments: Arguments, _ called: borrowing CalledBody, _ receiver: AnyObject, _ word: CallWord
  ) -> Outcome where Failure == Never { called.run(receiver, arguments, word) }

  /// Calls a method that throws, with its hooks: see `CallSlot.call`.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, as a tuple if there are several.
  ///   - called: The method's body.
  ///   - receiver: The receiver, an instance of the method's class.
  /// - Returns: The answer.
  /// - Throws: What the body and the hooks throw.
  @inlinable
  @inline(never)
  public static func callThrowing(
    _ arguments: Arguments, _ called: borrowing CalledBody, _ receiver: AnyObject
  ) throws(Failure) -> Outcome {
    let word = CallWord(called.slot.word.load(ordering: .acquiring))
    return word.runsMore(receiver)
      ? try called.run(receiver, arguments, word) : try called.body(receiver, arguments)
  }

  /// Keeps the answer of a body that cannot throw for the call in progress: see `CallSlot.keeping`.
  ///
  /// - Parameters:
  ///   - answer: The answer of the body.
  ///   - receiver: The receiver.
  ///   - keeps: The last argument of the function that runs the body.
  @inlinable
  @inline(__always)
  public func keep(
    _ answer: Outcome, of receiver: AnyObject, if keeps: Bool
  ) where Failure == Never {
    // SAFETY: all calls that ask the slot have the types of this body.
    guard keeps, let place = unsafe slot.place(receiver) else { return }
    unsafe place.assumingMemoryBound(to: KeptOutcome<Outcome, Failure>.self).pointee.keep(answer)
  }

  /// Runs the body, and keeps its answer or error for the call in progress: see `CallSlot.keeping`.
  ///
  /// - Parameters:
  ///   - receiver: The receiver.
  ///   - keeps: The last argument of the function.
  ///   - body: Runs the body.
  /// - Returns: The answer.
  /// - Throws: What the body throws.
  @inlinable
  @inline(__always)
  public func keeping(
    _ receiver: AnyObject, if keeps: Bool, _ body: () throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    if !keeps { return try body() }
    // SAFETY: all calls that ask the slot have the types of this body.
    return unsafe try slot.keeping(body) { unsafe slot.place(receiver) }
  }

  @inlinable
  @inline(__always)
  func run(
    _ receiver: AnyObject, _ arguments: Arguments, _ word: CallWord
  ) throws(Failure) -> Outcome {
    // SAFETY: a Swift object begins with the address of its class; the table's entry is made of
    // this body, so it has its types.
    let call = word.hooked
    if call.method != 0,
      let answer: Outcome = unsafe try call.answer(
        receiver, unsafeBitCast(receiver, to: UnsafePointer<UInt>.self).pointee, arguments,
        Outcome.self, Failure.self, call.types, nil)
    {
      return answer
    }
    return try body(receiver, arguments)
  }

  /// Lists the method for the class's table.
  ///
  /// Its code is made for each list of types, for it is so short that calls of a shared function
  /// would take more.
  ///
  /// - Parameter bodies: The list.
  ///
  /// ## Safety
  /// This value must be a static constant, for the method has its address.
  @unsafe
  @inlinable
  @inline(never)
  public func list(in bodies: inout CalledBodies) {
    // SAFETY: the caller vouches for the address, which is that of no copy: there are none.
    let address = unsafe withUnsafePointer(to: self) { unsafe UnsafeRawPointer($0) }
    unsafe bodies.add(TypedImplementation<Arguments, Outcome>.self, address)
  }
}
