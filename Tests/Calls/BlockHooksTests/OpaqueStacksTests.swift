import CFixtures
import Glibc
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the original's argument is the scene, which outlives its calls.

/// Calls without a signature on small stacks of one thread, which lie side by side.
final class OpaqueStacksTests: XCTestCase {
  /// Fibres that call, within each other, what yields in between; and what an observer is told.
  @safe
  private final class Scene: OpaqueCallObserver, @unchecked Sendable {
    // SAFETY: one thread uses it.
    private var generator: SeededGenerator
    private var fibres: [Fibre] = []
    private var current = 0
    private var count: UInt32 = 0
    /// The calls under way on each fibre.
    private var calls: [[UInt32]] = []
    private var mistakes = 0

    typealias Call = @convention(c) (UnsafeMutableRawPointer, Int) -> Int
    private var call: Call?

    init(_ seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func begin() -> OpaqueCall {
      var call = OpaqueCall((0, 0, 0))
      count += 1
      call.words.0 = UInt64(count)
      calls[current].append(count)
      return call
    }

    func end(_ call: OpaqueCall) {
      if calls[current].popLast() != UInt32(call.words.0) { mistakes += 1 }
    }

    func abandon(_ call: OpaqueCall) { mistakes += 1 }

    private static let original: Call = { scene, depth in
      let scene = unsafe Unmanaged<Scene>.fromOpaque(scene).takeUnretainedValue()
      scene.yield()
      let inner = depth > 0 ? scene.make(depth - 1) : 0
      scene.yield()
      return inner + 1
    }

    private func yield() {
      if Bool.random(using: &generator) { fibres[current].yield() }
    }

    private func make(_ depth: Int) -> Int {
      unsafe call.map { unsafe $0(Unmanaged.passUnretained(self).toOpaque(), depth) } ?? -1
    }

    /// Runs fibres on stacks of 16 KiB in random turns.
    ///
    /// - Returns: How many results or ends were wrong.
    func run(_ fibreCount: Int) throws -> Int {
      let original = unsafe unsafeBitCast(Self.original, to: UnsafeRawPointer.self)
      let code = unsafe try OpaqueCode(original: original, self)
      unsafe call = unsafe unsafeBitCast(code.address, to: Call.self)
      calls = Array(repeating: [], count: fibreCount)
      let bodies = (0..<fibreCount).map { _ in
        { (fibre: Fibre) in
          for depth in 0..<3 where self.make(depth) != depth + 1 { self.mistakes += 1 }
        }
      }
      Fibre.with(size: 1 << 14, bodies) { fibres in
        self.fibres = fibres
        var alive = Array(fibres.indices)
        while let next = alive.randomElement(using: &generator) {
          current = next
          if !fibres[next].resume() { alive.removeAll { $0 == next } }
        }
        self.fibres = []
      }
      return mistakes + calls.joined().count
    }
  }

  func testTheyReturnInWhateverOrderTheirStacksRun() throws {
    try XCTSkipIf(isSanitized, "sanitizers know one stack a thread")
    for (seed, fibres) in [1, 2, 2, 2, 3, 5, 10, 20, 40, 80].enumerated() {
      let scene = Scene(UInt64(seed))
      struct Scenes {
        let scene: Scene
        let fibres: Int
      }
      var context = Scenes(scene: scene, fibres: fibres)
      let status = unsafe withUnsafeMutablePointer(to: &context) { context in
        unsafe fixture_fork(
          { context in
            alarm(20)
            guard let context = unsafe context?.assumingMemoryBound(to: Scenes.self) else {
              return -1
            }
            return unsafe Int32(
              (try? context.pointee.scene.run(context.pointee.fibres)) ?? -1)
          }, context)
      }
      XCTAssertEqual(status, 0, "\(fibres) stacks, seed \(seed)")
    }
  }
}
