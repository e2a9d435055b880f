internal import BlockRuntimeThreads
internal import ObjectLifetimes

/// The nodes of a store that are removed with one object.
struct MemoGroup {
  /// Ends the group with the object.
  let end: DeinitHook

  /// How many nodes there are for each hash of a key.
  private(set) var hashes: [Int: Int] = [:]

  init(end: DeinitHook) { self.end = end }

  mutating func add(_ hash: Int) { hashes[hash, default: 0] += 1 }

  mutating func remove(_ hash: Int) {
    let count = (hashes[hash] ?? 0) - 1
    hashes[hash] = count > 0 ? count : nil
  }
}

extension MemoStore {
  /// Begins a removal of a tier's values: until its end, no value from the tier is stored here.
  func beginRemoval() { change { state, _ in state.removing += 1 } }

  /// Ends a removal: a value that was found in the tier before is not stored here.
  func endRemoval() {
    change { state, _ in
      state.lastEnd = state.removals.nextTicket()
      state.removing -= 1
    }
  }

  /// Removes all values, and stores no further ones.
  func close() {
    change { state, removed in
      state.isClosed = true
      state.table.removeAll(&removed)
    }
  }

  /// Removes the value of a key.
  ///
  /// - Returns: Whether there was a value.
  @discardableResult
  func remove(_ key: Key) -> Bool {
    let now = now
    // The removal is noted before the look-up, so that no value is stored between them.
    let hash = keys.hash(key)
    change { state, _ in state.removals.note(hash) }
    return withNode(of: key) { state, removed, _, node, _ in
      state.expire(now, &removed)
      return node.map { state.table.remove($0, &removed) } ?? false
    }
  }

  /// Removes all values.
  func removeAll() {
    change { state, removed in
      state.removals.noteAll()
      state.table.removeAll(&removed)
    }
  }

  /// Evicts the least recently used values until limits hold; later values may exceed them.
  func trim(to limits: MemoLimits) {
    let (bounds, now) = (MemoBounds(limits), now)
    change { state, removed in
      let own = state.table.bounds
      state.table.bounds = bounds
      state.expire(now, &removed)
      state.table.bounds = own
      state.table.evict(to: bounds, &removed)
    }
  }

  /// The nodes that a predicate chooses, to remove them.
  ///
  /// The predicate runs without the lock, for the values present now. Values that are being
  /// computed now are not stored, because nothing asks whether they are chosen.
  func choose(
    where isChosen: (Key, Value, _ cost: Int) throws -> Bool
  ) rethrows -> [Node] {
    let now = now
    let all = change { state, removed in
      state.removals.noteAll()
      state.expire(now, &removed)
      return state.table.all
    }
    defer { withExtendedLifetime(all) {} }
    return try all.filter { try isChosen($0.key, $0.value, $0.cost) }
  }

  /// Removes nodes, unless they were removed already.
  ///
  /// - Returns: How many were removed.
  func remove(_ chosen: [Node]) -> Int {
    change { state, removed in chosen.count { state.table.remove($0, &removed) } }
  }

  /// Makes a group of values that are removed when an object dies.
  ///
  /// - Returns: The object's group; nil if the object is dying, or if its death cannot be observed.
  func group(of object: AnyObject) -> UInt? {
    let group = UInt(bitPattern: ObjectIdentifier(object))
    if change({ state, _ in state.groups[group] != nil }) { return group }
    // The group ends before the deinit, after which another object may be at the address.
    guard let end = try? onDeinit(of: object, .before, { [weak self] in self?.end(group) }) else {
      return nil
    }
    let isFirst = change { state, _ in
      guard state.groups[group] == nil else { return false }
      state.groups[group] = MemoGroup(end: end)
      return true
    }
    if !isFirst { end.remove() }
    return group
  }

  /// Removes the values of an object that dies, and ends its group.
  private func end(_ group: UInt) {
    let ended = change { state, removed in
      let ended = state.groups.removeValue(forKey: group)
      for hash in ended?.hashes.keys ?? [:].keys {
        for node in state.table.all(hash) where node.group == group {
          _ = state.table.remove(node, &removed)
        }
      }
      return ended
    }
    withExtendedLifetime(ended) {}
  }
}

extension MemoStore: MemoTrimming {
  func trimUnderPressure() {
    change { state, removed in
      var bounds = state.table.bounds
      bounds.count = min(bounds.count, state.table.count / 2)
      state.table.evict(to: bounds, &removed)
    }
  }
}
