/// Values by key, bounded by count, cost and age; the least recently used is removed first.
///
/// Finding, storing and removing a node take amortised constant time. The nodes with one hash are
/// in a chain; all nodes are in two lists, in the order of their last uses and in that of their
/// births.
///
/// Keys are neither hashed nor compared here, but only by the predicates given to `first` and
/// `all`.
@safe
struct MemoTable<Key, Value>: ~Copyable {
  // SAFETY: the chains own one reference to each node, which `insert` makes and `take` takes over;
  // so all nodes to which links refer are alive.

  typealias Node = MemoNode<Key, Value>

  /// The bounds that hold after each change.
  var bounds: MemoBounds

  /// The first nodes of the chains, whose number is a power of two or zero.
  private var chains = unsafe ContiguousArray<Node.Reference?>()

  /// The number of nodes, including expired ones that were not removed yet.
  private(set) var count = 0

  private var byUse = MemoList<Key, Value, ByUse>()
  private var byBirth = MemoList<Key, Value, ByBirth>()

  private var costs: Int128 = 0

  /// The numbers of nodes removed because of the limits of count and cost, and because of their
  /// age.
  private(set) var evictions = 0
  private(set) var expirations = 0

  init(_ bounds: MemoBounds) { self.bounds = bounds }

  deinit {
    var node = unsafe byUse.first
    while let current = unsafe node {
      let released = unsafe current.takeRetainedValue()
      unsafe node = unsafe byUse.next(after: released)
    }
  }

  var totalCost: Int { Int(clamping: costs) }

  /// All nodes, the least recently used first.
  var all: [Node] {
    var all: [Node] = []
    var node = unsafe byUse.first
    while let current = unsafe node?.takeUnretainedValue() {
      all.append(current)
      unsafe node = unsafe byUse.next(after: current)
    }
    return all
  }

  /// A node that a predicate chooses among those whose keys have a hash; the reference is valid
  /// while the table is not changed.
  @inline(__always)
  func first(_ hash: Int, where isChosen: (Node) -> Bool) -> Node.Reference? {
    guard unsafe !chains.isEmpty else { return nil }
    var node = unsafe chains[chain(of: hash)]
    while let current = unsafe node {
      let isFound = unsafe current._withUnsafeGuaranteedRef { $0.hash == hash && isChosen($0) }
      if isFound { return unsafe current }
      unsafe node = unsafe current._withUnsafeGuaranteedRef { unsafe $0.next }
    }
    return nil
  }

  /// The nodes whose keys have a hash.
  func all(_ hash: Int) -> [Node] {
    var all: [Node] = []
    _ = unsafe first(hash) { node in
      all.append(node)
      return false
    }
    return all
  }

  /// Makes a node the most recently used one, unless it has expired.
  ///
  /// - Parameters:
  ///   - node: A node that was in the table at `now` or later; if it was removed since, its use
  ///     is not recorded.
  ///   - now: The time, in nanoseconds.
  /// - Returns: Whether the node has not expired.
  @inline(__always)
  mutating func use(_ node: Node, _ now: UInt64) -> Bool {
    if isExpired(node.time, now) { return false }
    if node.isStored {
      byUse.remove(node)
      byUse.append(node)
    }
    return true
  }

  /// Removes a node that has expired.
  ///
  /// - Returns: The node, which the caller releases where client code may run; nil if it was
  ///   removed already.
  mutating func removeExpired(_ node: Node) -> Node? {
    guard node.isStored else { return nil }
    expirations += 1
    node.isEvicted = true
    return take(node)
  }

  /// Stores a value, which replaces an earlier one with the same key; a value that alone exceeds
  /// the limit of cost is not stored.
  ///
  /// - Returns: Whether it was stored.
  mutating func keep(
    _ key: Key, _ hash: Int, _ value: Value, cost: Int, insteadOf earlier: Node?, birth: UInt64,
    at time: UInt64, in group: UInt, _ removed: inout [Node]
  ) -> Bool {
    if let earlier { _ = remove(earlier, &removed) }
    if cost > bounds.cost { return false }
    insert(Node(key, value, cost: cost, hash: hash, birth: birth, time: time, group: group))
    evict(to: bounds, &removed)
    return true
  }

  /// Removes the nodes that have expired.
  ///
  /// A node from a tier may be older than nodes before it in the list: then it stays until they
  /// expire, but no call uses it.
  mutating func expire(_ now: UInt64, _ removed: inout [Node]) {
    while let node = unsafe byBirth.first?.takeUnretainedValue(), isExpired(node.time, now) {
      if let node = removeExpired(node) { removed.append(node) }
    }
  }

  /// Removes a node, unless it was removed already.
  ///
  /// - Returns: Whether it was still there.
  mutating func remove(_ node: Node, _ removed: inout [Node]) -> Bool {
    guard node.isStored else { return false }
    removed.append(take(node))
    return true
  }

  /// Removes all nodes.
  mutating func removeAll(_ removed: inout [Node]) {
    while let node = unsafe byUse.first?.takeUnretainedValue() { removed.append(take(node)) }
  }

  /// Whether a time is at least as long ago as the limit of age; a time from another thread may be
  /// later than now.
  @inline(__always)
  private func isExpired(_ time: UInt64, _ now: UInt64) -> Bool {
    guard let age = bounds.age else { return false }
    return now > time && now - time >= age
  }

  /// Removes the least recently used nodes until bounds of count and cost hold.
  mutating func evict(to bounds: MemoBounds, _ removed: inout [Node]) {
    while count > bounds.count || costs > Int128(bounds.cost) {
      guard let oldest = unsafe byUse.first?.takeUnretainedValue() else { return }
      evictions += 1
      oldest.isEvicted = true
      removed.append(take(oldest))
    }
  }

  @inline(__always)
  private func chain(of hash: Int) -> Int { unsafe hash & (chains.count - 1) }

  private mutating func insert(_ node: Node) {
    if unsafe count == chains.count { grow() }
    let chain = chain(of: node.hash)
    unsafe node.next = unsafe chains[chain]
    unsafe chains[chain] = unsafe .passRetained(node)
    node.isStored = true
    byUse.append(node)
    byBirth.append(node)
    count += 1
    costs += Int128(node.cost)
  }

  private mutating func take(_ node: Node) -> Node {
    let chain = chain(of: node.hash)
    if let first = unsafe chains[chain], unsafe first.toOpaque() == node.unretained.toOpaque() {
      unsafe chains[chain] = unsafe node.next
    } else {
      var previous = unsafe chains[chain]?.takeUnretainedValue()
      while let current = previous, let next = unsafe current.next?.takeUnretainedValue(),
        next !== node
      {
        previous = next
      }
      unsafe previous?.next = unsafe node.next
    }
    byUse.remove(node)
    byBirth.remove(node)
    node.isStored = false
    count -= 1
    costs -= Int128(node.cost)
    return unsafe node.unretained.takeRetainedValue()
  }

  private mutating func grow() {
    unsafe chains = ContiguousArray(repeating: nil, count: max(8, 2 * chains.count))
    var node = unsafe byUse.first
    while let current = unsafe node?.takeUnretainedValue() {
      let chain = chain(of: current.hash)
      unsafe current.next = unsafe chains[chain]
      unsafe chains[chain] = unsafe current.unretained
      unsafe node = unsafe byUse.next(after: current)
    }
  }
}
