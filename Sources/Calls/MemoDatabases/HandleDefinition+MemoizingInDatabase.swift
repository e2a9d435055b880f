#if Database
public import BlockHooks
public import Invocations

extension HandleDefinition<Memo> {
  /// A hook that stores results by the arguments in memory and in a database, and answers calls
  /// with stored results: from memory, where there is one, else from the database.
  ///
  /// The hook is `.memoizing(…)` with a second tier, whose results the next process finds. A call
  /// that is answered from memory does not read the file; a result found in the file goes into
  /// memory with its age. Results are numbers, C strings, records of them, `NSString`, and other
  /// objects with a `coding`. Arguments are of these types, too: text and numbers among objects are
  /// compared by value, and a call with another object is memoized in memory only. The receiver of
  /// a method means something in this process only: give a `key:` for methods.
  ///
  /// Keys are coded, text in UTF-8, whole numbers in digits and others as JSON, and are the same in
  /// both tiers, and for removals, if their bytes are and they are equal: equal text with other
  /// bytes is another key, and -0.0 is not 0. A key that does not equal what its bytes are decoded
  /// to is used in memory only.
  ///
  /// Removing results by the handle removes them in both tiers; removing the hook leaves those in
  /// the database. Neither reaches the memory of other processes, nor that of other hooks with the
  /// same name: give these a limit of age.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The name of the computation. Targets of one name, version, signature and coding
  ///     share their results, in this process and later: they must compute the same.
  ///   - version: The version of the computation; another version finds none of the results.
  ///   - limits: The bounds of the results in memory.
  ///   - clock: Measures the ages of the results in memory.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - sharesMisses: Whether calls wait for a result that another call is computing.
  ///   - coding: How results that are objects are stored: `.text` for a block that returns
  ///     `String`. An object that the signature calls `NSString` needs none.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused.
  ///   - cost: Returns the cost of a result, in both tiers. With a key, C strings among the
  ///     arguments are pointers for `cost`, which may be invalid by then: nothing but the key is
  ///     read of the arguments.
  ///   - onError: Receives the errors that `key` throws and, without a key, `notMemoizable` for
  ///     each call with a value that cannot be compared; such a call runs the original. Writes to
  ///     standard error if not given.
  ///   - key: Makes the key of a call from its arguments; it must neither proceed nor change them.
  ///     It runs without a lock held, as does the coding of the key. If not given, the arguments
  ///     are compared.
  /// - Returns: The definition, whose installation throws also `invalidLimit`, and `notMemoizable`
  ///   for arguments or a result that mean something in this process only.
  public static func memoizing<Key: Codable & Hashable & Sendable>(
    in database: MemoDatabase, named name: String, version: Int = 1,
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    priority: Int = 0, sharesMisses: Bool = false, coding: ResultCoding? = nil,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    key: (@Sendable (_ call: inout CallFrame) throws -> Key)? = NoKey.none
  ) -> HandleDefinition {
    let (keys, isKeyed) = (MemoKeyCoding<Key>(), Key.self != Never.self)
    @Sendable func decoded(_ bytes: [UInt8]) -> AnyHashable? {
      keys.decode(bytes).map { AnyHashable($0) }
    }
    return memoizing(
      MemoSettings(
        HookDefinition(name: name, priority: priority, onError: onError) { _ in },
        limits: limits, clock: clock, sharesMisses: sharesMisses, cost: cost
      ) { signature throws(MemoizationError) in
        let signature = try StorableSignature(signature, coding: coding)
        if !isKeyed { try signature.requireStorableArguments() }
        return StoredResults(
          database, named: name, version: version, signature,
          parts: [isKeyed ? TypeName.lasting(Key.self) : "arguments"],
          decodeKey: isKeyed ? decoded : nil)
      }, coding: keys, key: key)
  }
}
#endif
