import RetainCycles
import TestSupport
import XCTest

/// Random objects with known references.
final class GeneratedGraphTests: XCTestCase {
  /// A reference, in one of the forms that it can have; all but the last hold the object.
  private enum Reference {
    case direct(Node)
    case list([Node?])
    case any(Any)
    case closure(() -> Int)
    case wide(() -> Int)
    indirect case boxed(Node, Int)
    case weak(Weak)
  }
  private struct Weak { weak var node: Node? }

  private final class Node {
    var references: [String: Reference] = [:]
  }

  private struct Edge { let from: Int, to: Int, holds: Bool }

  private func reference(to node: Node, _ form: Int) -> Reference {
    switch form {
    case 0: return .direct(node)
    case 1: return .list([nil, node])
    case 2: return .any((1, node, 2, 3))
    case 3: return .closure { node.references.count }
    case 4:
      let (other, number) = (Node(), form)
      return .wide { node.references.count + other.references.count + number }
    case 5: return .boxed(node, 1)
    default: return .weak(Weak(node: node))
    }
  }

  /// Whether there is a cycle among what is reached from the first object.
  private func hasCycle(_ edges: some Collection<Edge>, count: Int) -> Bool {
    var reached: Set = [0]
    while let edge = edges.first(where: { reached.contains($0.from) && !reached.contains($0.to) }) {
      reached.insert(edge.to)
    }
    // Kahn: take away objects to which no reference is left.
    var left = edges.filter { reached.contains($0.from) }
    while true {
      let held = Set(left.map(\.to))
      let rest = left.filter { held.contains($0.from) }
      if rest.count == left.count { return !left.isEmpty }
      left = rest
    }
  }

  func testTheCyclesOfRandomGraphsAreRealAndAll() throws {
    var cyclic = 0
    for seed in 0..<UInt64(400) {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...9, using: &random)
      let nodes = (0..<count).map { _ in Node() }
      var edges: [Edge] = []
      for index in 0..<Int.random(in: 0...(2 * count), using: &random) {
        let form = Int.random(in: 0...7, using: &random)
        let edge = Edge(
          from: .random(in: 0..<count, using: &random), to: .random(in: 0..<count, using: &random),
          holds: form < 6)
        edges.append(edge)
        nodes[edge.from].references["e\(index)."] = reference(to: nodes[edge.to], form)
      }
      let search = unsafe RetainCycle.find(from: nodes[0])
      let holding = edges.filter(\.holds)
      var cut: Set<Int> = []
      for cycle in search.cycles {
        let numbers = try cycle.description.matches(of: #/"e(\d+)\."/#).map {
          try XCTUnwrap(Int($0.1))
        }
        XCTAssertFalse(numbers.isEmpty, "\(seed): \(cycle)")
        for (number, next) in zip(numbers, numbers.dropFirst() + numbers.prefix(1)) {
          XCTAssertTrue(edges[number].holds, "\(seed): \(cycle)")
          XCTAssertEqual(edges[number].to, edges[next].from, "\(seed): \(cycle)")
        }
        XCTAssertEqual(cycle.holdsStart, numbers.contains { edges[$0].from == 0 }, "\(seed)")
        cut.formUnion(numbers)
      }
      XCTAssertEqual(search.cycles.isEmpty, !hasCycle(holding, count: count), "\(seed)")
      let rest = edges.indices.filter { edges[$0].holds && !cut.contains($0) }.map { edges[$0] }
      // What the cuts leave is reached from the start no less.
      XCTAssertFalse(hasCycle(rest, count: count), "\(seed): \(search)")
      XCTAssertEqual(search.unknown, [], "\(seed)")
      XCTAssertTrue(search.isComplete)
      if !search.cycles.isEmpty { cyclic += 1 }
      for node in nodes { node.references = [:] }
    }
    XCTAssertGreaterThan(cyclic, 100)
  }
}
