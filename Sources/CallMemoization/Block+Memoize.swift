public import BlockABI
internal import BlockHooks
public import Invocations

extension Block {
  /// Keeps the block's results by its arguments, and answers calls with them.
  ///
  /// Calls are the same if all own arguments are: integers by value; floating-point numbers by bit
  /// pattern, so that NaN is found again and -0 is not 0; C strings by content, null being a value of
  /// its own; structures by their members, unions by their bytes, padding included; objects by
  /// identity, unless they hold a value of Swift's, of which each call makes another one: text by its
  /// UTF-8, numbers, dates, URLs and data by value (1 and 1.0 are one number in an object), lists and
  /// dictionaries by their elements, what stands for `Any` by the value's type and `==`. Objects are
  /// kept as long as the result is. Those that change, and strings that the block writes to, are the
  /// caller's concern. Arguments that hold blocks or other pointers are refused: give a key. A call with
  /// an object that is a block on the stack is never answered.
  ///
  /// Hooks further in that answer in place of the original, such as an interceptor with its
  /// placeholder, have their answers kept: memoise below them.
  ///
  /// Results are kept as values: text is copied, objects and blocks are retained, and may be returned
  /// on any thread. The result least recently used goes first. Finding, keeping and removing one
  /// takes constant time, amortised.
  ///
  /// Two threads that miss the same result both run the original, and one of the results is kept.
  /// Nothing is kept where the hooks below set no result. No lock is held while they, `cost`, the `==`
  /// and `hash(into:)` of values in objects, or a result's end run. `hits` and `misses` together are
  /// the calls that returned or are under way.
  ///
  /// - Parameters:
  ///   - limits: What bounds the results that are kept.
  ///   - clock: Tells the results' ages.
  ///   - name: A name for descriptions.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`; hooks further out see every call.
  ///   - resultPointersAreStable: Whether what pointers in the result point to lives and stays the
  ///     same while the results are kept. Pointers are refused otherwise.
  ///   - cost: Says what a result costs; runs once for each that is to be kept. Each costs 1 if not
  ///     given; less than 0 is 0.
  ///   - onError: Receives `notMemoizable` for each call with a value that cannot be compared, such as
  ///     one that is not `Hashable`, or a `Decimal` or an error of Foundation's. The call runs the
  ///     original, and counts as a miss. Standard error if not given.
  /// - Returns: The token that removes the hook, and the results. Dropping it does not.
  /// - Throws: `invalidLimit`, `notMemoizable`, and as `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func memoize(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    name: String? = "memoize",
    priority: Int = 0, resultPointersAreStable: Bool = false,
    cost: (@Sendable (_ arguments: [BoxedValue], _ result: BoxedValue) -> Int)? = nil,
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

  /// Keeps the block's results by keys that the caller makes.
  ///
  /// All else is as in `memoize(limits:clock:name:priority:resultPointersAreStable:cost:onError:)`.
  ///
  /// - Parameters:
  ///   - limits: What bounds the results that are kept.
  ///   - clock: Tells the results' ages.
  ///   - name: A name for descriptions.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - resultPointersAreStable: Whether what pointers in the result point to lives and stays the
  ///     same while the results are kept.
  ///   - cost: Says what a result costs.
  ///   - onError: Receives what `key` throws; the call then runs the original, and counts as a miss.
  ///     Standard error if not given.
  ///   - key: Makes the key of a call from its arguments; it must not proceed, nor change them. Runs
  ///     under no lock, as do the `==` and `hash(into:)` of what it makes.
  /// - Returns: The token that removes the hook, and the results. Dropping it does not.
  /// - Throws: `invalidLimit`, `notMemoizable`, and as `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func memoize<Key: Hashable & Sendable>(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    name: String? = "memoize",
    priority: Int = 0, resultPointersAreStable: Bool = false,
    cost: (@Sendable (_ arguments: [BoxedValue], _ result: BoxedValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    key: @escaping @Sendable (_ call: inout CallFrame) throws -> Key
  ) throws(MemoizationError) -> MemoizingHook {
    let subject = try memoSubject(limits, resultPointersAreStable)
    return try install(
      Memo(subject, CallerKeys(make: key), limits, ClockReading(clock), cost: cost), name, priority,
      onError)
  }

  private func memoSubject(
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

  private func install(
    _ memo: Memo<some MemoKeys>, _ name: String?, _ priority: Int,
    _ onError: @escaping @Sendable (any Error) -> Void
  ) throws(MemoizationError) -> MemoizingHook {
    // Nobody but the hook and its token keeps the results: they end with the block at the latest.
    do throws(HookError) {
      let hook = try hook([.instead, .death], name: name, priority: priority, onError: onError) {
        call in try memo.run(&call)
      }
      return MemoizingHook(hook, memo)
    } catch {
      throw MemoizationError(passing: error)
    }
  }
}
