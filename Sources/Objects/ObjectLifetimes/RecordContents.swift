internal import Synchronization

/// A value and its key, as stored in an object's record; `space` is 0 for a key without a space.
struct AssociatedValue: Sendable {
  let key: UInt64
  let space: UInt64

  /// The value; nil once it has been released, after the end of its owner.
  var value: StoredValue?
}

/// The contents of an object's record: its hooks and values.
struct RecordContents: ~Copyable {
  private var hooks = HookList()
  private var hookCount = 0
  private var hasHookBefore = false
  private var values: [AssociatedValue] = []

  /// Which remnants of a destroyed object end next, and the index of the first of them.
  private var ending = (stage: Stage.closures, index: 0)

  /// Whether there are neither hooks nor values.
  var isEmpty: Bool { hookCount == 0 && values.isEmpty }
}

extension RecordContents {
  /// The boxes of values, and the hooks.
  var objects: [AnyObject] {
    let boxes = values.compactMap { value in
      if case .box(let box)? = value.value { box as AnyObject } else { nil }
    }
    return boxes + (0..<hooks.count).compactMap { hooks[$0] }
  }
}

// MARK: - Hooks

extension RecordContents {
  /// The next hook, from an index on, that runs before the deinit; advances the index behind it.
  func nextHookBefore(from index: inout Int) -> DeinitHook? {
    guard hasHookBefore else { return nil }
    while index < hooks.count {
      let hook = hooks[index]
      index += 1
      if let hook, hook.position == .before { return hook }
    }
    return nil
  }

  /// Adds a hook at the end.
  mutating func add(_ hook: DeinitHook) {
    hooks.append(hook)
    hookCount += 1
    if hook.position == .before { hasHookBefore = true }
  }

  /// Removes a hook.
  ///
  /// - Returns: Whether it was there.
  mutating func remove(_ hook: DeinitHook) -> Bool {
    let index = hook.index.load(ordering: .relaxed)
    guard index < hooks.count, hooks[index] === hook else { return false }
    hooks.remove(at: index)
    hookCount -= 1
    // Up to half of the entries may be nil, so that this takes constant time, amortised.
    if hooks.count > 16, hookCount < hooks.count / 2 { hooks.compact() }
    return true
  }
}

// MARK: - The end

extension RecordContents {
  /// A thing that belonged to a destroyed object, and ends.
  enum Remnant {
    /// The closure of a hook that has run before the deinit.
    case closure(DeinitHook)
    /// An associated value.
    case value(StoredValue?)
    /// A hook that runs after the deinit.
    case hook(DeinitHook)
  }

  /// The kinds of remnants, in the order in which they end.
  private enum Stage { case closures, values, hooks }

  /// Takes out the remnant that ends next; nil if none is left.
  mutating func takeNext() -> Remnant? {
    while !isOver {
      let index = ending.index
      ending.index += 1
      switch ending.stage {
      case .closures where hasHookBefore && index < hooks.count:
        // A hook that another thread is removing is freed by that thread.
        guard let hook = hooks[index], hook.position == .before, hook.state == .finished
        else { continue }
        return .closure(hook)
      case .values where index < values.count:
        return .value(values[index].value.take())
      case .hooks where index < hooks.count:
        guard let hook = hooks[index], hook.position == .after else { continue }
        if ending.index == hooks.count { dropAll() }
        return .hook(hook)
      case .closures: ending = (.values, 0)
      case .values: ending = (.hooks, 0)
      case .hooks: dropAll()
      }
    }
    return nil
  }

  /// Releases all that has ended.
  private mutating func dropAll() {
    hooks = HookList()
    if !values.isEmpty { values = [] }
  }

  /// Whether nothing is left to end.
  var isOver: Bool {
    switch ending.stage {
    case .closures: hooks.count == 0 && values.isEmpty
    case .values: hooks.count == 0 && ending.index >= values.count
    case .hooks: hooks.count == 0
    }
  }
}

// MARK: - Values

extension RecordContents {
  /// The value under a key.
  @inline(__always)
  func value(of key: UInt64) -> StoredValue? {
    for index in values.indices where values[index].key == key { return values[index].value }
    return nil
  }

  /// Sets the value under a key, and leaves the replaced value, or nil, in the argument.
  mutating func exchange(_ value: inout StoredValue?, of key: UInt64, in space: UInt64) {
    for index in values.indices where values[index].key == key {
      return swap(&values[index].value, &value)
    }
    values.append(AssociatedValue(key: key, space: space, value: value.take()))
  }

  /// Removes the value under a key, and returns it.
  mutating func takeValue(of key: UInt64) -> StoredValue? {
    guard let index = values.firstIndex(where: { $0.key == key }) else { return nil }
    return values.remove(at: index).value
  }

  /// Removes all values of a space, and returns them.
  mutating func takeValues(ofSpace space: UInt64) -> [StoredValue] {
    let taken = values.filter { $0.space == space }
    if !taken.isEmpty { values.removeAll { $0.space == space } }
    return taken.compactMap(\.value)
  }
}
