/// One key with its value, and its links in the lists and the chain of a table.
@safe
final class MemoNode<Key, Value> {
  // SAFETY: the links are those of nodes in the same table, which retains them; the table's user
  // guards them by a lock.

  typealias Reference = Unmanaged<MemoNode<Key, Value>>

  /// The neighbours of a node in a list.
  @unsafe
  struct Links {
    var earlier: Reference?
    var later: Reference?
  }

  let key: Key
  let value: Value
  let cost: Int

  /// The hash of the key.
  let hash: Int

  /// The ticket of the node's birth, which is unique: computations that began before have lower
  /// tickets.
  let birth: UInt64

  /// The time of the birth, in nanoseconds.
  let time: UInt64

  /// The group of the object with which the node is removed; 0 for none.
  let group: UInt

  /// Whether the node is in its table.
  var isStored = false

  /// Whether the table removed the node by itself.
  var isEvicted = false

  /// The next node in the chain of the hash.
  var next: Reference?

  fileprivate var linksByUse = unsafe Links()
  fileprivate var linksByBirth = unsafe Links()

  init(_ key: Key, _ value: Value, cost: Int, hash: Int, birth: UInt64, time: UInt64, group: UInt) {
    self.key = key
    self.value = value
    self.cost = cost
    self.hash = hash
    self.birth = birth
    self.time = time
    self.group = group
    unsafe next = nil
  }

  // SAFETY: whoever stores the reference retains the node.
  /// The node, unretained.
  var unretained: Reference { unsafe .passUnretained(self) }
}

/// An order of a list of nodes; a node has links for each order.
protocol MemoOrder {
  static var isByUse: Bool { get }
}

/// The order of the nodes' last uses.
enum ByUse: MemoOrder {
  static var isByUse: Bool { true }
}

/// The order of the nodes' births.
enum ByBirth: MemoOrder {
  static var isByUse: Bool { false }
}

/// A list of a table's nodes, linked in the nodes themselves: adding and removing take constant
/// time.
@safe
struct MemoList<Key, Value, Order: MemoOrder> {
  // SAFETY: as for the nodes' links.

  typealias Node = MemoNode<Key, Value>

  private(set) var first: Node.Reference?
  private(set) var last: Node.Reference?

  init() { unsafe (first, last) = (nil, nil) }

  /// Adds a node at the end; it must not be in the list.
  @inline(__always)
  mutating func append(_ node: Node) {
    unsafe setLinks(of: node, Node.Links(earlier: last, later: nil))
    if let last = unsafe last {
      unsafe change(last) { unsafe $0.later = node.unretained }
    } else {
      unsafe first = node.unretained
    }
    unsafe last = node.unretained
  }

  /// Removes a node that is in the list.
  @inline(__always)
  mutating func remove(_ node: Node) {
    let links = unsafe links(of: node)
    if let earlier = unsafe links.earlier {
      unsafe change(earlier) { unsafe $0.later = unsafe links.later }
    } else {
      unsafe first = unsafe links.later
    }
    if let later = unsafe links.later {
      unsafe change(later) { unsafe $0.earlier = unsafe links.earlier }
    } else {
      unsafe last = unsafe links.earlier
    }
  }

  /// The node after one that is in the list, or that was its first.
  func next(after node: Node) -> Node.Reference? { unsafe links(of: node).later }

  @inline(__always)
  private func links(of node: Node) -> Node.Links {
    Order.isByUse ? unsafe node.linksByUse : unsafe node.linksByBirth
  }

  @inline(__always)
  private func setLinks(of node: Node, _ links: Node.Links) {
    if Order.isByUse {
      unsafe node.linksByUse = unsafe links
    } else {
      unsafe node.linksByBirth = unsafe links
    }
  }

  @inline(__always)
  private func change(_ reference: Node.Reference, _ body: (inout Node.Links) -> Void) {
    unsafe reference._withUnsafeGuaranteedRef { node in
      var links = unsafe links(of: node)
      unsafe body(&links)
      unsafe setLinks(of: node, links)
    }
  }
}
