internal import Synchronization

/// The hooks of an object, in the order of installation, by index; a removed hook leaves nil.
///
/// The first is stored inline: most objects have no other, and allocate no array.
struct HookList {
  private(set) var count = 0
  private var first: DeinitHook?
  private var others: [DeinitHook?] = []

  /// The hook at an index; nil if it has been removed.
  subscript(index: Int) -> DeinitHook? { index == 0 ? first : others[index &- 1] }

  /// Adds a hook at the end, and notes its index in it.
  mutating func append(_ hook: DeinitHook) {
    hook.index.store(count, ordering: .relaxed)
    if count == 0 { first = hook } else { others.append(hook) }
    count &+= 1
  }

  /// Removes the hook at an index; the indices of the others stay.
  mutating func remove(at index: Int) {
    if index == 0 { first = nil } else { others[index &- 1] = nil }
  }

  /// Closes the gaps that removed hooks have left.
  mutating func compact() {
    let remaining = self
    self = HookList()
    for index in 0..<remaining.count {
      if let hook = remaining[index] { append(hook) }
    }
  }
}
