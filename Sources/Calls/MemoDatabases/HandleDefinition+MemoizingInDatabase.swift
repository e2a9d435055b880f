#if Database
public import BlockHooks
public import Invocations

extension HandleDefinition<Memo> {
  /// A hook that stores results by the arguments in memory and in a database, and answers calls
  /// with stored results: from memory, where there is one, else from the database.
  ///
  /// It is `.memoizing(…)` with a second tier, which the next process finds again. A call that is
  /// answered from memory does not read the file; a result found in the file goes into memory with
  /// its age. Results are numbers, C strings, records of them, `NSString`, and other objects with a
  /// `coding`. Arguments are of these types, too: text and numbers among objects are compared by
  /// value, and a call with another object is memoized in memory only. The receiver of a method
  /// means something in this process only: give a `key:` for methods.
  ///
  /// Removing results by the handle removes them in both tiers; removing the hook leaves those in
  /// the database. Neither reaches the memory of other processes, nor that of other hooks with the
  /// same name: give these a limit of age.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The name of what is computed. Targets of one name, version, signature and
  ///     coding share their results, in this process and later: they must compute the same.
  ///   - version: The version of what is computed; another one finds none of the results.
  ///   - limits: The bounds of the results in memory.
  ///   - clock: Measures the ages of the results in memory.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - sharesMisses: Whether calls wait for a result that another call is computing.
  ///   - coding: How results that are objects are stored: `.text` for a block that returns
  ///     `String`. An object that the signature calls `NSString` needs none.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused.
  ///   - cost: Returns the cost of a result, in both tiers.
  ///   - onError: Receives `notMemoizable` for each call with a value that cannot be compared.
  ///     Writes to standard error if not given.
  /// - Returns: The definition, whose installation throws also `invalidLimit`, and `notMemoizable`
  ///   for arguments or a result that mean something in this process only.
  public static func memoizing(
    in database: MemoDatabase, named name: String, version: Int = 1,
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    priority: Int = 0, sharesMisses: Bool = false, coding: ResultCoding? = nil,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError
  ) -> HandleDefinition {
    memoizing(
      MemoSettings(
        limits: limits, clock: clock, name: name, priority: priority, conditions: .always,
        pressure: nil, sharesMisses: sharesMisses, cost: cost, onError: onError
      ) { signature throws(MemoizationError) in
        let signature = try StorableSignature(signature, coding: coding)
        try signature.requireStorableArguments()
        return StoredResults(
          database, named: name, version: version, signature, parts: ["arguments"])
      })
  }

  /// A hook that stores results by keys that the caller makes in memory and in a database.
  ///
  /// Otherwise it is as the one without a key. Keys are coded, text in UTF-8, whole numbers in
  /// digits and others as JSON, and are the same in both tiers, and for removals, if their bytes
  /// are and they are equal: equal text with other bytes is another key, and -0.0 is not 0. A key
  /// that does not equal what its bytes are decoded to is used in memory only.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The name of what is computed.
  ///   - version: The version of what is computed.
  ///   - limits: The bounds of the results in memory.
  ///   - clock: Measures the ages of the results in memory.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - sharesMisses: Whether calls wait for a result that another call is computing.
  ///   - coding: How results that are objects are stored.
  ///   - unlabelled: Takes up a trailing closure without a label, so that it is refused.
  ///   - cost: Returns the cost of a result, in both tiers. C strings among the arguments are
  ///     pointers for `cost`, which may be invalid by then: nothing but the key is read of the
  ///     arguments.
  ///   - onError: Receives the errors that `key` throws; such a call runs the original.
  ///   - key: Makes the key of a call from its arguments; it must neither proceed nor change them.
  ///     It runs without a lock held, as does the coding of the key.
  /// - Returns: The definition.
  public static func memoizing<Key: Codable & Hashable & Sendable>(
    in database: MemoDatabase, named name: String, version: Int = 1,
    limits: MemoLimits = MemoLimits(), clock: any Clock<Duration> = SuspendingClock(),
    priority: Int = 0, sharesMisses: Bool = false, coding: ResultCoding? = nil,
    _ unlabelled: UnlabelledClosure? = nil,
    cost: (@Sendable (_ arguments: [CValue], _ result: CValue) -> Int)? = nil,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    key: (@Sendable (_ call: inout CallFrame) throws -> Key)? = nil
  ) -> HandleDefinition {
    let keys = MemoKeyCoding<Key>()
    return memoizing(
      MemoSettings(
        limits: limits, clock: clock, name: name, priority: priority, conditions: .always,
        pressure: nil, sharesMisses: sharesMisses, cost: cost, onError: onError
      ) { signature throws(MemoizationError) in
        let signature = try StorableSignature(signature, coding: coding)
        return StoredResults(
          database, named: name, version: version, signature, parts: [TypeName.lasting(Key.self)],
          decodeKey: { keys.decode($0).map { AnyHashable($0) } })
      }, coding: keys, key: key)
  }
}
#endif
