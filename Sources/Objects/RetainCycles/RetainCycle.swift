public import BlockABI

/// References that lead from an object back to it, so that the objects on the way keep each other
/// alive.
///
/// ```swift
/// final class Page { var onLoad: (() -> Void)? }
/// let page = Page()
/// page.onLoad = { print(page) }
/// print(unsafe RetainCycle.find(from: page).cycles)
/// // [Page.onLoad → closure #1 captures Page → Page]
/// ```
public struct RetainCycle: Hashable, Sendable, CustomStringConvertible {
  /// The references, as texts: each names its holder and its place in that.
  ///
  /// The first is one of the object that is nearest to where the search began. This library's own
  /// objects on the way are left out but for the name of the table that they belong to.
  public let references: [String]

  /// Whether the object from which the search began is on the way: only such a cycle keeps it
  /// alive.
  public let holdsStart: Bool

  /// The references, with arrows between them.
  public var description: String { references.joined(separator: " → ") }

  /// What a search found.
  public struct Search: Sendable, CustomStringConvertible {
    /// The cycles, at most 100, those that hold the start first.
    ///
    /// Every cycle among the objects has a reference of one of these: if all references of these
    /// were weak, there would be no cycle. Cycles of this library's own objects, which it ends
    /// itself, are left out.
    public let cycles: [RetainCycle]

    /// The places that may hold references which cannot be seen, as nothing describes the memory; a
    /// place in several objects of a class is listed once.
    public let unknown: [String]

    /// The number of objects, closures' contexts, boxes and blocks that were read.
    public let objectCount: Int

    /// Whether all objects were read, and all cycles are listed.
    public let isComplete: Bool

    /// The cycles, and what is not known, each on a line.
    public var description: String {
      var lines = cycles.map(\.description)
      if cycles.isEmpty { lines.append("no cycle among \(objectCount) objects") }
      if !isComplete { lines.append("there may be more: the search reached its limit") }
      if !unknown.isEmpty { lines.append("unknown: \(unknown.joined(separator: ", "))") }
      return lines.joined(separator: "\n")
    }
  }

  /// Searches the objects that an object keeps alive for cycles.
  ///
  /// The search reads memory by the compiler's metadata. It follows stored properties, the captures
  /// of closures and blocks, collections of the standard library, and this library's tables:
  /// associated values, observers, delayed blocks, targets, hooks. It runs no code of these
  /// objects. Weak and unowned references are not followed. What has no metadata is listed as
  /// unknown.
  ///
  /// FBRetainCycleDetector does this for Objective-C.
  ///
  /// ## Safety
  /// No other thread may change the objects during the call. Their memory must be what their types
  /// say: that of an object whose initialiser has not ended is not, nor that of a remote
  /// distributed actor.
  ///
  /// - Parameters:
  ///   - object: The object from which the search begins.
  ///   - limit: How many objects are read at most.
  /// - Returns: The cycles that were found.
  @unsafe
  public static func find(from object: AnyObject, limit: Int = 100_000) -> Search {
    defer { withExtendedLifetime(object) {} }
    return find(from: HeapNode(object), limit: limit)
  }

  /// Searches the objects that a block keeps alive for cycles.
  ///
  /// ## Safety
  /// As for `find(from:limit:)` with an object.
  ///
  /// - Parameters:
  ///   - block: The block from which the search begins.
  ///   - limit: How many objects are read at most.
  /// - Returns: The cycles that were found.
  @unsafe
  public static func find(from block: Block, limit: Int = 100_000) -> Search {
    unsafe block.withUnsafePointer {
      unsafe find(from: HeapNode(place: Place($0), isBlock: true), limit: limit)
    }
  }

  private static func find(from root: HeapNode, limit: Int) -> Search {
    let graph = ReferenceGraph(from: root, limit: max(limit, 1))
    let cycleLimit = 100
    let cycles = graph.cycles(limit: cycleLimit) { RetainCycle($0, in: graph) }
    // Objects of one class have the same places.
    var places: Set<String> = []
    let unknown = graph.unknown.map { graph.text(of: $0.reference, in: $0.holder) }
    return Search(
      cycles: cycles.filter(\.holdsStart) + cycles.filter { !$0.holdsStart },
      unknown: unknown.filter { places.insert($0).inserted },
      objectCount: graph.nodes.count,
      isComplete: graph.isComplete && cycles.count < cycleLimit)
  }

  private init?(_ path: ReferenceGraph.Path, in graph: ReferenceGraph) {
    // The object nearest to the start has the lowest number.
    let first = path.indices.min { path[$0].holder < path[$1].holder } ?? 0
    let path = path[first...] + path[..<first]
    holdsStart = path.first?.holder == 0
    guard let texts = graph.texts(of: Array(path)) else { return nil }
    references = texts
  }
}
