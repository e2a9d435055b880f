internal import LoadedClasses

/// An object on the heap that references are to: a vertex of the graph.
struct HeapNode: Hashable {
  let place: Place

  /// Whether the object is a block, which has no metadata, rather than a Swift object, context or
  /// box.
  var isBlock = false
}

/// A reference that was found in memory, or a place where there may be some: an edge of the graph.
struct FoundReference {
  /// Where the reference is in its holder.
  var path: String

  var ownership = HeldReference.Ownership.strong

  /// The object; nil if the reference does not hold one.
  var node: HeapNode?

  /// The object of a weak reference.
  var weakObject: AnyObject?

  /// The declared type; nil if it has no metadata.
  var type: TypeMetadata?

  /// The code of a closure, whose context the node is.
  var code: RuntimeAddress?
}
