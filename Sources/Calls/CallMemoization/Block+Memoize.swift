public import BlockABI
internal import BlockHooks
public import Invocations

/// A closure that no one can write, nor call: a parameter of this type takes up a trailing closure
/// without a label, which is then an error of the compiler.
public typealias UnlabelledClosure = (Never) -> Never

extension Block {
  /// Stores the block's results by its arguments, and answers calls with stored results.
  ///
  /// Two calls are the same if all declared arguments are: integers by value; floating-point
  /// numbers by bit pattern, so that NaN is found again and -0 is not 0; C strings by content, with
  /// null as a value of its own; structures by their members; unions by their bytes, padding
  /// included; objects by identity, unless they hold a Swift value, for which each call makes a new
  /// object: text by its UTF-8, numbers, dates, URLs and data by value (1 and 1.0 are one number in
  /// an object; 0 and -0.0 are two), lists, sets and dictionaries by their elements, and boxes of
  /// `Any` by the value's type and `==`. Objects are retained as long as the result is. The caller must take care of objects
  /// that change and of strings that the block writes to. Arguments that hold blocks or other
  /// pointers are refused: give a key. A call with an object that is a block on the stack is never
  /// answered from stored results.
  ///
  /// If inner hooks answer instead of the original, as an interceptor does with its placeholder,
  /// their answers are stored: memoize inside them.
  ///
  /// Results are stored as values: text is copied, objects and blocks are retained, and may be
  /// returned on any thread. The least recently used result is removed first. Finding, storing and
  /// removing a result take amortised constant time.
  ///
  /// If two threads miss the same result, both run the original, and one of the results is stored.
  /// Nothing is stored if the inner hooks set no result, nor if the result was removed after its
  /// call had begun, also by that call itself: by its arguments or its key, with others, by a
  /// predicate, because an equal call's later result has expired, or with the hook. No lock is held while inner hooks, `cost`,
  /// the `==` and `hash(into:)` of values in objects, or the release of a result run. The sum of
  /// `hits` and `misses` is the number of calls that returned or are in progress.
  ///
  /// - Parameters:
  ///   - limits: The bounds of the stored results.
  ///   - clock: Measures the results' ages.
  ///   - name: A name for descriptions.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`; outer hooks see every call.
  ///   - resultPointersAreStable: Whether the memory to which pointers in the result refer stays
  ///     valid and unchanged while the results are stored. Pointers are refused otherwise.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused: nothing
  ///     would say whether it is `cost` or `key`.
  ///   - cost: Returns the cost of a result; called once for each that is to be stored. If not
  ///     given, each costs 1; a negative cost counts as 0.
  ///   - onError: Receives `notMemoizable` for each call with a value that cannot be compared, such
  ///     as one that is not `Hashable`, a `Decimal` or an error of Foundation. Such a call runs the
  ///     original, and counts as a miss. Writes to standard error if not given.
  /// - Returns: The token that removes the hook and the results. Dropping it does not.
  /// - Throws: `invalidLimit`, `notMemoizable`, and as `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func memoize(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    name: String? = "memoize",
    priority: Int = 0, resultPointersAreStable: Bool = false,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) throws(MemoizationError) -> MemoizingHook {
    let subject = try memoSubject(limits, resultPointersAreStable)
    try subject.requireTellingArguments()
    if let keys = WordKeys(subject) {
      return try install(
        Memo(subject, keys, limits, ClockReading(clock), cost: cost), name, priority, onError)
    }
    return try install(
      Memo(subject, EncodedKeys(subject: subject), limits, ClockReading(clock), cost: cost), name,
      priority,
      onError)
  }

  /// Stores the block's results by keys that the caller makes.
  ///
  /// Otherwise it is as
  /// `memoize(limits:clock:name:priority:resultPointersAreStable:_:cost:onError:)`.
  ///
  /// - Parameters:
  ///   - limits: The bounds of the stored results.
  ///   - clock: Measures the results' ages.
  ///   - name: A name for descriptions.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - resultPointersAreStable: Whether the memory to which pointers in the result refer stays
  ///     valid and unchanged while the results are stored.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused.
  ///   - cost: Returns the cost of a result. C strings among the arguments are pointers for it, which
  ///     may be invalid by then: nothing but the key is read of the arguments.
  ///   - onError: Receives the errors that `key` throws; such a call runs the original, and counts
  ///     as a miss. Writes to standard error if not given.
  ///   - key: Makes the key of a call from its arguments; it must neither proceed nor change them.
  ///     It runs without a lock held, as do the `==` and `hash(into:)` of the key, which alone decide
  ///     what is the same.
  /// - Returns: The token that removes the hook and the results. Dropping it does not.
  /// - Throws: `invalidLimit`, `notMemoizable`, and as `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func memoize<Key: Hashable & Sendable>(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    name: String? = "memoize",
    priority: Int = 0, resultPointersAreStable: Bool = false,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    key: (@Sendable (_ call: inout CallFrame) throws -> Key)? = nil
  ) throws(MemoizationError) -> MemoizingHook {
    // Without a key nothing says of which type it is, so that the other function is called.
    guard let key else { throw MemoizationError(.notMemoizable, "the key is nil; leave it out") }
    let subject = try memoSubject(limits, resultPointersAreStable)
    return try install(
      Memo(subject, CallerKeys(make: key), limits, ClockReading(clock), cost: cost), name, priority,
      onError)
  }
}

extension Block {
  func memoSubject(
    _ limits: MemoLimits, _ pointersAreStable: Bool
  ) throws(MemoizationError) -> MemoSubject {
    try limits.validate()
    let subject: MemoSubject
    do { subject = MemoSubject(try (dispatchedBlock ?? self).callInterface) } catch {
      throw MemoizationError(passing: error)
    }
    try subject.requireKeepableResult(pointersAreStable: pointersAreStable)
    return subject
  }

  func install(
    _ memo: Memo<some MemoKeys>, _ name: String?, _ priority: Int,
    _ onError: @escaping @Sendable (any Error) -> Void
  ) throws(MemoizationError) -> MemoizingHook {
    // Only the hook and its token retain the results, which are released with the block at the
    // latest.
    do throws(HookError) {
      // Before results are in it: a removal from the tier reaches them.
      memo.tier?.attach(memo)
      let hook = try hook([.instead, .death], name: name, priority: priority, onError: onError) {
        call in try memo.run(&call)
      }
      return MemoizingHook(hook, memo)
    } catch {
      throw MemoizationError(passing: error)
    }
  }
}
