extension ObservedProperty where Value: Sendable {
  /// The changes of a property of an actor, as an asynchronous sequence.
  ///
  /// An actor has no key paths to its properties; its own code returns the sequence:
  ///
  /// ```swift
  /// actor Counter {
  ///   @Observed private var count = 0
  ///   var counts: ObservedChanges<Int> { $count.changes() }
  /// }
  /// func show(_ counter: Counter) async {
  ///   for await change in await counter.counts { print(change) }
  /// }
  /// ```
  ///
  /// If an object's key paths can be used, prefer `changes(of:options:buffering:)`, which gathers
  /// manual changes too.
  ///
  /// - Parameters:
  ///   - options: Which values the changes have, and when they come.
  ///   - buffering: What happens to changes that have not been awaited when the next change comes.
  /// - Returns: The sequence, which gathers changes from now on, and ends with the object. It ends
  ///   at once if the property's storage is not in its object.
  public func changes(
    options: ObservingOptions = .new, buffering: ObservedChanges<Value>.Buffering = .everyChange
  ) -> ObservedChanges<Value> {
    let read: (AnyObject) -> Value = { [address] object in
      ObservedProperty(owner: object, address: address, storage: nil).value
    }
    return ObservedChanges(options, buffering, read) { options, begin in
      let observation = KeyValueObservation(
        ChangeHandler<Value> { begin($0, $1) }, options: options, reader: ValueReader(read))
      guard address != 0, let registry = ObserverRegistry.registry(of: owner) else {
        observation.remove()
        return observation
      }
      registry.note(observation)
      let list = access { property -> ObserverList in
        let list = property.observers ?? ObserverRegistry.list(for: \Places[address], of: owner)
        property.observers = list
        return list
      }
      if !list.add(observation) { observation.remove() }
      if options.contains(.initial) {
        observation.runInitialCall(owner, Change(new: options.contains(.new) ? value : nil))
      }
      return observation
    }
  }
}

/// Names for the properties of an object that have no key paths: their addresses.
private struct Places {
  subscript(address: UInt) -> UInt { address }
}
