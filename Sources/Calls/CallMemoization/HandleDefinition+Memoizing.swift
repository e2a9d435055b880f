public import BlockHooks
public import Invocations

/// A closure that nobody can write or call: a parameter of this type takes up a trailing closure
/// without a label, so that the compiler refuses it.
public typealias UnlabelledClosure = (Never) -> Never

/// The type of a key that is not given: results are stored by the arguments.
public typealias NoKey = Optional<@Sendable (_ call: inout CallFrame) throws -> Never>

extension HandleDefinition<Memo> {
  /// A hook that stores results by the arguments, or by keys, and answers calls with stored
  /// results.
  ///
  /// ```swift
  /// let memo = try block.install(.memoizing(limits: MemoLimits(count: 100)))
  /// print(memo.handle.hits)
  /// memo.hook.remove()
  /// ```
  ///
  /// The hook is installed on blocks, imported functions and methods; each installation has results
  /// of its own. Calls of a method on different receivers are different: the receiver is compared
  /// by identity and not retained, and its results are removed when it dies. A method that is
  /// called in its receiver's deinit is not memoized. An async method runs once for all callers
  /// that await its answer; an error is not kept, and results age from the call. A C function's
  /// answer from memory leaves `errno` alone.
  ///
  /// Two calls are the same if all declared arguments are: integers by value; floating-point
  /// numbers by bit pattern, so that NaN is found again and -0 is not 0; C strings by content, with
  /// null as a value of its own; structures by their members; unions by their bytes, padding
  /// included; objects by identity, unless they hold a Swift value, for which each call makes a new
  /// object: text by its UTF-8, numbers, dates, URLs and data by value (1 and 1.0 are one number in
  /// an object; 0 and -0.0 are two), lists, sets and dictionaries by their elements, and boxes of
  /// `Any` by the value's type and `==`. Objects are retained as long as the result is. The caller
  /// must take care of objects that change and of strings that are written to. Arguments that hold
  /// blocks or other pointers are refused: give a key. A call with an object that is a block on the
  /// stack is never answered from stored results.
  ///
  /// If inner hooks answer instead of the original, as an interceptor does with its placeholder,
  /// their answers are stored: memoize inside them.
  ///
  /// Results are stored as values: text is copied, objects and blocks are retained, and may be
  /// returned on any thread. The least recently used result is removed first. Finding, storing and
  /// removing a result take amortised constant time.
  ///
  /// If two threads miss the same result, both run the original, and one of the results is stored;
  /// with `sharesMisses` one runs it, and the other waits for its result. Nothing is stored if the
  /// inner hooks set no result, nor if the result was removed after its call had begun, also by
  /// that call itself: by its arguments or its key, with others, by a predicate, or because an
  /// equal call's later result has expired. No lock is held while inner hooks, `cost`, the `==` and
  /// `hash(into:)` of values in objects, or the release of a result run. The sum of `hits` and
  /// `misses` is the number of calls that returned or are in progress.
  ///
  /// - Parameters:
  ///   - limits: The bounds of the stored results.
  ///   - clock: Measures the results' ages.
  ///   - name: A name for descriptions.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`; outer hooks see every call.
  ///   - conditions: Which calls are memoized; all if not given.
  ///   - pressure: Removes the least recently used half of the results when the system is short of
  ///     memory; nil for never.
  ///   - sharesMisses: Whether calls that miss a result which another call is computing wait for
  ///     it. A call within that computation does not wait, but runs the original, and so does a
  ///     call whose wait would never end. If the computation has no result, each waiting call runs
  ///     the original.
  ///   - resultPointersAreStable: Whether the memory to which pointers in the result refer stays
  ///     valid and unchanged while the results are stored. Pointers are refused otherwise.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused: nothing
  ///     would say whether it is `cost` or `key`.
  ///   - cost: Returns the cost of a result; called once for each result that is to be stored. If
  ///     not given, each costs 1; a negative cost counts as 0. With a key, `cost` gets C strings
  ///     among the arguments as pointers, which may be invalid by then: of the arguments only the
  ///     key is read.
  ///   - onError: Receives the errors that `key` throws and, without a key, `notMemoizable` for
  ///     each call with a value that cannot be compared, such as a value that is not `Hashable`, a
  ///     `Decimal` or an error of Foundation. Such a call runs the original, and counts as a miss.
  ///     Writes to standard error if not given.
  ///   - key: Makes the key of a call from its arguments; it must neither proceed nor change them.
  ///     It runs without a lock held, as do the `==` and `hash(into:)` of the key. They alone
  ///     decide which calls are the same: a method's receiver is not compared, unless it is in the
  ///     key, and its death removes nothing. If not given, the arguments are compared.
  /// - Returns: The definition, whose installation throws also `invalidLimit` and `notMemoizable`.
  public static func memoizing<Key: Hashable & Sendable>(
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    name: String? = "memoize",
    priority: Int = 0, when conditions: HookConditions = .always,
    pressure: MemoryPressure? = nil, sharesMisses: Bool = false,
    resultPointersAreStable: Bool = false,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    key: (@Sendable (_ call: inout CallFrame) throws -> Key)? = NoKey.none
  ) -> HandleDefinition {
    memoizing(
      MemoSettings(
        HookDefinition(name: name, priority: priority, when: conditions, onError: onError) { _ in },
        limits: limits, clock: clock, pressure: pressure, sharesMisses: sharesMisses,
        pointersAreStable: resultPointersAreStable, cost: cost),
      coding: nil, key: key)
  }
}
