import BlockABI
import BlockHooks
import CFixtures
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: blocks are kept while they are copied.

/// Makes a block of a closure of this file.
///
/// Not inlined: Swift 6.3 optimises the memory of a block away that is called where it is made.
@inline(never)
private func makeOrdered(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// Another source.
@inline(never)
private func makeDoubling(_ base: Int32) -> @convention(block) (Int32) -> Int32 {
  { base + 2 * $0 }
}

/// A hook of every block, and a block's own hooks: one order, two owners.
final class EveryBlockOrderTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(unsafe getenv("ASAN_OPTIONS") != nil, "takes minutes under AddressSanitizer")
  }

  /// How a hook of every block reaches the blocks.
  private enum Kind: CaseIterable {
    /// By the code of their source.
    case together
    /// One by one, for it is told of their ends.
    case oneByOne
    /// One by one, for it keeps where they were made.
    case creations
  }

  private let steps = Recorder<String>()

  private static var filter: BlockFilter {
    var filter = BlockFilter()
    filter.symbols = ["*closure * in *makeOrdered*", "*closure * in *makeDoubling*"]
    return filter
  }

  /// Hooks every block of this file.
  private func hookEvery(
    _ name: String, _ kind: Kind = .together, _ positions: HookPositions = .instead,
    priority: Int = 0
  ) throws -> Hook {
    try EveryBlock(matching: Self.filter, recordsCreation: kind == .creations).hook(
      kind == .oneByOne ? positions.union(.death) : positions, name: name, priority: priority,
      handler(name))
  }

  private func hook(
    _ block: Block, _ name: String, _ positions: HookPositions = .instead, priority: Int = 0
  ) throws -> Hook {
    try block.hook(positions, name: name, priority: priority, handler(name))
  }

  private func handler(_ name: String) -> HookDefinition.Handler {
    { [steps] call in
      if call.position == .death { return }
      steps.record(name)
      if call.position == .instead { try call.proceed() }
    }
  }

  /// Has a block pass a function that every block passes.
  private func pass(_ block: Block) {
    unsafe block.withUnsafePointer { unsafe fixture_release(fixture_copy($0)) }
  }

  /// What a call of a block runs.
  private func order(
    _ block: Block, _ file: StaticString = #filePath, _ line: UInt = #line
  ) throws -> [String] {
    let before = steps.entries.count
    let result: Int32 = try block.call(1)
    XCTAssertGreaterThan(result, 1, file: file, line: line)
    return Array(steps.entries[before...])
  }

  func testTheyStandByPriorityAndThenByTimeWhicheverCameFirst() throws {
    for kind in Kind.allCases {
      for positions in isShort ? [.instead] : [HookPositions.before, .instead] {
        for priority in [-1, 0, 1] {
          for isOwnFirst in [false, true] {
            let name = "\(kind), \(positions.rawValue), priority \(priority), \(isOwnFirst)"
            let block: Block
            let every: Hook
            if isOwnFirst {
              block = try Block(makeOrdered(1))
              _ = try hook(block, "own", positions)
              every = try hookEvery("every", kind, positions, priority: priority)
              pass(block)
            } else {
              every = try hookEvery("every", kind, positions, priority: priority)
              block = try Block(makeOrdered(1))
              _ = try hook(block, "own", positions)
            }
            let isEveryOutside = priority == 0 ? isOwnFirst : priority > 0
            XCTAssertEqual(
              try order(block), isEveryOutside ? ["every", "own"] : ["own", "every"], name)
            XCTAssertEqual(block.hooks.map(\.name), ["own"], name)
            XCTAssertEqual(block.removeHooks(), 1, name)
            XCTAssertEqual(try order(block), ["every"], name)
            _ = try hook(block, "again", positions)
            XCTAssertEqual(
              try order(block), priority > 0 ? ["every", "again"] : ["again", "every"], name)
            every.remove()
            XCTAssertEqual(try order(block), ["again"], name)
            XCTAssertEqual(block.removeHooks(), 1, name)
            XCTAssertEqual(try order(block), [], name)
          }
        }
      }
    }
  }

  func testHooksThatComeAndGoOnEitherSideKeepOneOrder() throws {
    for seed in 1...UInt64(shortened(40)) {
      var random = SeededGenerator(seed: seed)
      var model = Model()
      let blocks = try (0..<4).map { number in
        try Block(number % 2 == 0 ? makeOrdered(Int32(number + 1)) : makeDoubling(1))
      }
      var hooks: [String: Hook] = [:]
      var everyBlocks: [String: Hook] = [:]
      for step in 0..<60 {
        let index = Int.random(in: 0..<blocks.count, using: &random)
        let priority = Int.random(in: -1...1, using: &random)
        let name = "\(step)"
        let positions: HookPositions = Bool.random(using: &random) ? .before : .instead
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4:
          hooks[name] = try hook(blocks[index], name, positions, priority: priority)
          model.add(name, to: index, priority)
        case 4..<6:
          let kind = try XCTUnwrap(Kind.allCases.randomElement(using: &random))
          everyBlocks[name] = try hookEvery(name, kind, positions, priority: priority)
          blocks.forEach(pass)
          model.add(name, to: nil, priority)
        case 6:
          guard let name = model.names(of: nil).randomElement(using: &random) else { break }
          everyBlocks[name]?.remove()
          model.remove(name)
        case 7:
          guard let name = model.names(of: index).randomElement(using: &random) else { break }
          hooks[name]?.remove()
          model.remove(name)
        case 8:
          guard let name = model.names(of: index).randomElement(using: &random) else { break }
          XCTAssertEqual(hooks[name]?.suspend(), true)
          model.suspend(name)
        case 9:
          guard let name = model.suspended.randomElement(using: &random) else { break }
          XCTAssertEqual(try hooks[name]?.resume(), true)
          model.resume(name)
        case 10:
          XCTAssertEqual(blocks[index].removeHooks(), model.names(of: index).count)
          model.names(of: index).forEach { model.remove($0) }
        default:
          pass(blocks[index])
        }
        for (index, block) in blocks.enumerated() {
          let message = "seed \(seed), step \(step), block \(index)"
          XCTAssertEqual(try order(block), model.order(index), message)
          XCTAssertEqual(block.hooks.map(\.name), model.names(of: index), message)
        }
      }
      for every in everyBlocks.values { every.remove() }
    }
  }

  func testATypedHookReachesWhatLiesBelowIt() throws {
    typealias Ordered = @convention(block) (Int32) -> Int32
    let inner = try hookEvery("inner", priority: -1)
    let block = try Block(makeOrdered(1))
    let wrapper = try block.wrap { (original: @escaping Ordered) -> Ordered in
      { [steps] value in
        steps.record("wrapper")
        return original(value)
      }
    }
    let outer = try hookEvery("outer", priority: 1)
    XCTAssertEqual(try order(block), ["outer", "wrapper", "inner"])
    inner.remove()
    XCTAssertEqual(try order(block), ["outer", "wrapper"])
    wrapper.remove()
    XCTAssertEqual(try order(block), ["outer"])
    outer.remove()
    XCTAssertEqual(try order(block), [])
  }

  func testTheEndOfABlockThatHasItsOwnHooksIsNotThatOfTheHookOfAll() throws {
    for kind in Kind.allCases {
      let every = try hookEvery("every", kind)
      do {
        let block = try Block(makeOrdered(1))
        _ = try hook(block, "own")
        XCTAssertEqual(try order(block), ["own", "every"])
      }
      XCTAssertEqual(try order(try Block(makeOrdered(2))), ["every"], "\(kind)")
      every.remove()
    }
  }

  func testWhatBothSidesCaptureIsFreed() throws {
    let tracker = LifetimeTracker()
    for kind in Kind.allCases {
      let tracked = tracker.track()
      let block = try Block(makeOrdered(1))
      let every = try EveryBlock(matching: Self.filter, recordsCreation: kind == .creations).hook([
        .before, .death,
      ]) { _ in withExtendedLifetime(tracked) {} }
      let own = try block.hook(.before) { _ in withExtendedLifetime(tracked) {} }
      pass(block)
      XCTAssertEqual(try block.call(1), 2 as Int32)
      own.remove()
      every.remove()
      withExtendedLifetime(block) {}
    }
    tracker.expectNothingAlive()
  }

  func testBlocksThatAnOwnHandlerMakesAreHookedWhereverItStands() throws {
    for kind in Kind.allCases {
      for priority in [-1, 1] {
        let every = try hookEvery("every", kind, priority: priority)
        let block = try Block(makeOrdered(1))
        let own = try block.hook { [steps] call in
          steps.record("own")
          XCTAssertEqual(makeDoubling(1)(1), 3)
          try call.proceed()
        }
        XCTAssertEqual(
          try order(block),
          priority > 0 ? ["every", "own", "every"] : ["own", "every", "every"],
          "\(kind), \(priority)")
        own.remove()
        every.remove()
      }
    }
  }

  func testBothSidesChangeWhileOtherThreadsCall() throws {
    let block = try Block(makeOrdered(1))
    let isOver = Atomic(false)
    let group = ThreadGroup()
    for _ in 0..<2 {
      group.start {
        while !isOver.load(ordering: .relaxed) {
          guard (try? block.call(1) as Int32) == 2 else { return XCTFail("another result") }
        }
      }
    }
    group.start {
      for round in 0..<shortened(100) {
        let hook = try? block.hook(.before, priority: round % 3 - 1) { _ in }
        if round % 2 == 0 { hook?.suspend() }
        hook?.removeAndWait()
      }
    }
    for round in 0..<shortened(50) {
      let seen = Atomic(0)
      let every = try EveryBlock(matching: Self.filter).hook(
        round % 5 == 0 ? [.instead, .death] : .instead
      ) { call in
        if call.position == .death { return }
        seen.add(1, ordering: .relaxed)
        try call.proceed()
      }
      pass(block)
      XCTAssertEqual(try block.call(1), 2 as Int32)
      XCTAssertGreaterThan(seen.load(ordering: .relaxed), 0)
      every.removeAndWait()
      let last = seen.load(ordering: .relaxed)
      XCTAssertEqual(try block.call(1), 2 as Int32)
      XCTAssertEqual(seen.load(ordering: .relaxed), last)
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
  }

  func testTheFunctionsThatBlocksPassListTheirOwnHooksOnly() throws {
    let every = try hookEvery("every")
    let copy = unsafe try ImportedFunction("_Block_copy", signature: "^v^v")
    let own = try copy.hook { call in try call.proceed() }
    XCTAssertEqual(copy.hooks.count, 1)
    own.remove()
    XCTAssertEqual(copy.hooks.map(\.name), [])
    XCTAssertEqual(copy.removeHooks(), 0)
    XCTAssertEqual(try order(try Block(makeOrdered(1))), ["every"])
    every.remove()
  }
}

/// What hooks there should be, and in which order.
private struct Model {
  private struct Entry {
    let name: String
    /// Nil for every block.
    let block: Int?
    let priority: Int
    var time: Int
    var isSuspended = false
  }

  private var entries: [Entry] = []
  private var time = 0

  mutating func add(_ name: String, to block: Int?, _ priority: Int) {
    time += 1
    entries.append(Entry(name: name, block: block, priority: priority, time: time))
  }

  mutating func remove(_ name: String) { entries.removeAll { $0.name == name } }

  mutating func suspend(_ name: String) {
    for index in entries.indices where entries[index].name == name {
      entries[index].isSuspended = true
    }
  }

  mutating func resume(_ name: String) {
    time += 1
    for index in entries.indices where entries[index].name == name {
      (entries[index].isSuspended, entries[index].time) = (false, time)
    }
  }

  /// The hooks in place of a block, or of every block.
  func names(of block: Int?) -> [String] { sorted { $0.block == block } }

  var suspended: [String] { entries.filter(\.isSuspended).map(\.name) }

  func order(_ block: Int) -> [String] { sorted { $0.block == nil || $0.block == block } }

  private func sorted(_ isMeant: (Entry) -> Bool) -> [String] {
    entries.filter { !$0.isSuspended && isMeant($0) }
      .sorted { ($0.priority, $0.time) > ($1.priority, $1.time) }.map(\.name)
  }
}
