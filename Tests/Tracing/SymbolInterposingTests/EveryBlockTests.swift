import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Dispatch
import Glibc
import Invocations
import QueueTracing
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Makes a block of a closure of this file.
///
/// Not inlined: Swift 6.3 optimises the memory of a block away that is called where it is made.
@inline(never)
private func makeAdder(_ base: Int32) -> @convention(block) (Int32) -> Int32 { { base + $0 } }

/// Makes a block that makes another.
@inline(never)
private func makeNested() -> @convention(block) (Int32) -> Int32 { { makeAdder($0)(1) } }

/// Hooks of every block: the third question of the block-hook interview.
final class EveryBlockTests: XCTestCase {
  /// Blocks of this file's closures.
  private static var own: BlockFilter {
    var filter = BlockFilter()
    filter.symbols = [
      "*closure * in *makeAdder*", "*closure * in *makeNested*", "*closure * in *EveryBlockTests.*",
    ]
    return filter
  }

  func testEveryBlockFromNowOnPrintsItsArgumentsAndRuns() throws {
    let lines = Mutex<[String]>([])
    let every = try EveryBlock(matching: Self.own).hook(.before) { call in
      lines.withLock { $0.append(call.arguments.description) }
    }
    XCTAssertEqual(makeAdder(1)(41), 42)
    XCTAssertEqual(makeAdder(2)(43), 45)
    XCTAssertEqual(lines.withLock { $0 }, ["i32 41", "i32 43"])
    XCTAssertTrue(every.isInstalled)
    XCTAssertEqual("\(every)", "<hook without name before, priority 0, installed>")
    XCTAssertTrue(every.remove())
    XCTAssertFalse(every.remove())
    XCTAssertEqual("\(every)", "<hook without name before, priority 0, removed>")
    XCTAssertEqual(makeAdder(3)(1), 4)
    XCTAssertEqual(lines.withLock { $0.count }, 2)
  }

  func testADefinitionIsPreparedOnceForAllBlocksOfASource() throws {
    for recordsCreation in [false, true] {
      let codes = Recorder<UInt>()
      var definition = HookDefinition(.before) { _ in }
      definition.prepare = { _, point in codes.record(point.code) }
      let hook = try EveryBlock(matching: Self.own, recordsCreation: recordsCreation)
        .install(definition)
      for number: Int32 in 0..<5 { XCTAssertEqual(makeAdder(number)(1), number + 1) }
      hook.remove()
      // Sources of other tests are known, too.
      let prepared = codes.entries
      XCTAssertGreaterThan(prepared.count, 0)
      XCTAssertEqual(Set(prepared).count, prepared.count)
    }
  }

  func testTheHooksOfAFilterAreListedOutermostFirstAndRemovedByName() throws {
    let (own, all) = (EveryBlock(matching: Self.own), EveryBlock())
    try own.hook(.before, name: "inner", priority: -1) { _ in }
    try own.hook(.before, name: "early") { _ in }
    try own.hook(.before, name: "late") { _ in }
    let other = try all.hook(.before, name: "other") { _ in }
    XCTAssertEqual(own.hooks.map(\.name), ["late", "early", "inner"])
    XCTAssertEqual(all.hooks.map(\.name), ["other"])
    let early = try XCTUnwrap(own.hooks(named: "early").first)
    XCTAssertTrue(early.suspend())
    XCTAssertEqual(own.hooks.map(\.name), ["late", "inner"])
    XCTAssertTrue(try early.resume())
    XCTAssertEqual(own.hooks.map(\.name), ["early", "late", "inner"])
    XCTAssertEqual(own.removeHooks(named: "late"), 1)
    XCTAssertEqual(own.removeHooks(), 2)
    XCTAssertTrue(other.remove())
    XCTAssertEqual(own.hooks.count + all.hooks.count, 0)
  }

  func testTheTokenSaysWhatWasAskedForSuspendsResumesAndEndsWithItsScope() throws {
    let count = Atomic(0)
    let every = try EveryBlock(matching: Self.own).hook(
      [.before, .after], name: "counting", priority: 7, when: .always.every(1)
    ) { _ in count.add(1, ordering: .relaxed) }
    XCTAssertEqual(every.name, "counting")
    XCTAssertEqual(every.priority, 7)
    XCTAssertEqual(every.positions, [.before, .after])
    XCTAssertEqual("\(every.conditions)", "always")
    let block = try Block(makeAdder(1))
    func counted() throws -> Int {
      count.store(0, ordering: .relaxed)
      XCTAssertEqual(try block.call(1) as Int32, 2)
      XCTAssertEqual(makeAdder(2)(2), 4)
      return count.load(ordering: .relaxed)
    }
    XCTAssertEqual(try counted(), 4)
    XCTAssertFalse(try every.resume())
    XCTAssertTrue(every.suspend())
    XCTAssertFalse(every.suspend())
    XCTAssertEqual("\(every)", "<hook counting before after, priority 7, suspended>")
    XCTAssertTrue(every.isSuspended)
    XCTAssertFalse(every.isInstalled)
    XCTAssertEqual(try counted(), 0)
    XCTAssertTrue(try every.resume())
    XCTAssertTrue(every.isInstalled)
    XCTAssertEqual(try counted(), 4)
    do {
      let scoped = every.scoped()
      XCTAssertTrue(scoped.token === every)
      XCTAssertEqual(try counted(), 4)
    }
    XCTAssertFalse(every.isInstalled)
    XCTAssertFalse(every.isSuspended)
    XCTAssertEqual(try counted(), 0)
    XCTAssertFalse(try every.resume())
    XCTAssertFalse(every.remove())
  }

  func testRemovalWaitsForCallsThatBeganBeforeASuspension() throws {
    for resumes in [false, true] {
      let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isOver = Atomic(false)
      let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
        entered.signal()
        goOn.wait()
        isOver.store(true, ordering: .releasing)
      }
      let group = ThreadGroup()
      group.start { _ = makeAdder(1)(1) }
      entered.wait()
      XCTAssertTrue(every.suspend())
      if resumes { XCTAssertTrue(try every.resume()) }
      group.start { goOn.signal() }
      XCTAssertTrue(every.removeAndWait())
      XCTAssertTrue(isOver.load(ordering: .acquiring))
      group.wait()
    }
  }

  func testSuspendingResumingAndRemovingFromManyThreadsLeavesNothing() throws {
    let every = try EveryBlock(matching: Self.own).hook(.before) { _ in }
    let group = ThreadGroup()
    let resumed = Atomic(0)
    for thread in 0..<4 {
      group.start {
        var round = 0
        // Who resumes goes on until a suspension has met it, however the threads are scheduled.
        while round < shortened(50) || (thread % 2 == 1 && resumed.load(ordering: .relaxed) == 0) {
          round += 1
          if thread % 2 == 0 {
            every.suspend()
          } else if (try? every.resume()) == true {
            resumed.add(1, ordering: .relaxed)
          }
          _ = makeAdder(1)(1)
        }
      }
    }
    group.wait()
    every.remove()
    let count = Atomic(0)
    let last = try EveryBlock(matching: Self.own).hook(.before) { _ in
      count.add(1, ordering: .relaxed)
    }
    _ = makeAdder(1)(1)
    XCTAssertEqual(count.load(ordering: .relaxed), 1)
    last.remove()
    _ = makeAdder(1)(1)
    XCTAssertEqual(count.load(ordering: .relaxed), 1)
    XCTAssertFalse(every.isInstalled)
    XCTAssertGreaterThan(resumed.load(ordering: .relaxed), 0)
  }

  func testItCanBeSwitchedOnAndOffAnyNumberOfTimes() throws {
    let count = Atomic(0)
    var blocks: [Block] = []
    for round in 1...shortened(20) {
      let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
        count.add(1, ordering: .relaxed)
      }
      let block = try Block(makeAdder(Int32(round)))
      blocks.append(block)
      XCTAssertEqual(try block.call(1), Int32(round) + 1)
      XCTAssertEqual(count.load(ordering: .relaxed), round)
      every.remove()
      XCTAssertEqual(try block.call(1), Int32(round) + 1)
      XCTAssertEqual(count.load(ordering: .relaxed), round)
    }
    XCTAssertFalse(ImportSlot.all(of: "_Block_copy").contains(where: \.isHooked))
    XCTAssertFalse(ImportSlot.all(of: "dispatch_sync").contains(where: \.isHooked))
  }

  func testArgumentsAndResultsCanBeChanged() throws {
    let every = try EveryBlock(matching: Self.own).hook { call in
      try call.setArgument(1, call.argument(1, as: Int32.self) * 2)
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) + 1000)
    }
    XCTAssertEqual(makeAdder(1)(20), 1041)
    every.remove()
    XCTAssertEqual(makeAdder(1)(20), 21)
  }

  func testABlockThatHasHooksKeepsThemInsideOfTheOthers() throws {
    let order = Mutex<[String]>([])
    let adder = makeAdder(1)
    let block = try Block(adder)
    let hook = try block.hook { call in
      order.withLock { $0.append("its own") }
      try call.proceed()
    }
    let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
      order.withLock { $0.append("every") }
    }
    // It passes again.
    DispatchQueue(label: "again").sync { XCTAssertEqual(adder(1), 2) }
    let queue = DispatchQueue(label: "again")
    queue.async { XCTAssertEqual(try? block.call(1), 2 as Int32) }
    queue.sync {}
    let copy = try Block(adder).copied()
    XCTAssertEqual(try copy.call(1), Int32(2))
    every.remove()
    hook.remove()
    XCTAssertEqual(adder(1), 2)
    XCTAssertFalse(order.withLock { $0.isEmpty })
  }

  func testAHookOfOnesOwnComesAndGoesOnABlockThatIsHookedWithAll() throws {
    let order = Mutex<[String]>([])
    let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
      order.withLock { $0.append("every") }
    }
    let adder = makeAdder(1)
    let hook = try Block(adder).hook(.before) { _ in order.withLock { $0.append("own") } }
    XCTAssertEqual(adder(1), 2)
    hook.remove()
    XCTAssertEqual(adder(1), 2)
    every.remove()
    XCTAssertEqual(adder(1), 2)
    XCTAssertEqual(order.withLock { $0 }, ["own", "every", "every"])
  }

  func testBlocksThatAHandlerMakesAreLeftAlone() throws {
    let count = Atomic(0)
    let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
      count.add(1, ordering: .relaxed)
      XCTAssertEqual(makeAdder(5)(1), 6)
    }
    XCTAssertEqual(makeAdder(1)(1), 2)
    every.remove()
    XCTAssertEqual(count.load(ordering: .relaxed), 1)
  }

  func testBlocksThatABlockMakesAreHooked() throws {
    let count = Atomic(0)
    let every = try EveryBlock(matching: Self.own).hook { call in
      count.add(1, ordering: .relaxed)
      try call.proceed()
    }
    let outer = makeNested()
    XCTAssertEqual(outer(1), 2)
    every.remove()
    XCTAssertEqual(count.load(ordering: .relaxed), 2)
  }

  func testTheEndOfABlockAndWhereItWasMadeAreTold() throws {
    let deaths = Atomic(0)
    let every = try EveryBlock(matching: Self.own, recordsCreation: true).hook([.before, .death]) {
      call in
      if call.position == .death { deaths.add(1, ordering: .relaxed) }
    }
    for round in 1...3 {
      let block = try Block(makeAdder(1))
      XCTAssertEqual(try block.call(1), Int32(2))
      let creation = try XCTUnwrap(EveryBlock.creation(of: block))
      XCTAssertTrue(
        creation.symbols.contains { $0.name?.contains("makeAdder") == true },
        creation.description)
      XCTAssertEqual(deaths.load(ordering: .relaxed), round - 1)
      withExtendedLifetime(block) {}
    }
    XCTAssertEqual(deaths.load(ordering: .relaxed), 3)
    every.remove()
    _ = makeAdder(1)
    XCTAssertEqual(deaths.load(ordering: .relaxed), 3)
  }

  func testFiltersChooseByImageSignatureAndQueue() throws {
    let seen = Mutex<[String]>([])
    func hook(_ name: String, _ change: (inout BlockFilter) -> Void) throws -> Hook {
      var filter = Self.own
      change(&filter)
      return try EveryBlock(matching: filter).hook(.before) { _ in
        seen.withLock { $0.append(name) }
      }
    }
    let all = [
      try hook("image") { $0.images = .only("libdispatch.so*") },
      try hook("signature") { $0.signatures = ["i@?i"] },
      try hook("other signature") { $0.signatures = ["v@?"] },
      try hook("queue") { $0.queues = ["named*"] },
      try hook("excluded") { $0.excludedSymbols = ["*makeAdder*"] },
    ]
    let adder = try Block(makeAdder(1))
    XCTAssertEqual(try adder.call(1), Int32(2))
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue(label: "named queue").async {
      XCTAssertEqual(try? adder.call(1), Int32(2))
      isDone.signal()
    }
    isDone.wait()
    for every in all { every.remove() }
    let counted = seen.withLock { seen in
      Dictionary(grouping: seen, by: { $0 }).mapValues(\.count)
    }
    // The closure that is given to `async` is a block too, `v@?`, that runs on the queue.
    XCTAssertEqual(
      counted, ["signature": 2, "other signature": 1, "queue": 2, "excluded": 1])
  }

  func testMillionsOfBlocksAreHookedWithoutALeak() throws {
    let count = Atomic(0)
    let every = try EveryBlock(matching: Self.own).hook(.before) { _ in
      count.add(1, ordering: .relaxed)
    }
    let rounds = shortened(200_000)
    func run() throws {
      for round in 0..<rounds {
        guard makeAdder(Int32(round))(1) == Int32(round) + 1 else { return XCTFail("\(round)") }
      }
    }
    try run()
    let before = fixture_heap_in_use()
    try run()
    let after = fixture_heap_in_use()
    every.remove()
    XCTAssertEqual(count.load(ordering: .relaxed), 2 * rounds)
    XCTAssertLessThan(after, before + 100_000)
  }

  func testHookingABlockAllocatesNothing() throws {
    // A block and what it captures.
    let unhooked = allocationsOfBlocks()
    let every = try EveryBlock(matching: Self.own).hook { call in try call.proceed() }
    let hooked = EveryBlock.counts.hooked
    XCTAssertEqual(allocationsOfBlocks(), unhooked)
    XCTAssertGreaterThanOrEqual(EveryBlock.counts.hooked, hooked + 100)
    every.remove()
  }

  /// How many objects are allocated on the thread for a hundred blocks, once some have been made.
  private func allocationsOfBlocks() -> Int {
    for _ in 0..<2 { _ = makeAdder(1) }
    return unsafe fixture_allocations({ _ in for _ in 0..<100 { _ = makeAdder(1) } }, nil)
  }

  func testHooksComeAndGoWhileLibdispatchWorksOnAllThreads() throws {
    // Under AddressSanitizer the queue leaves this thread no time; ThreadSanitizer runs it.
    try XCTSkipIf(unsafe getenv("ASAN_OPTIONS") != nil, "takes minutes under AddressSanitizer")
    let isOver = Atomic(false)
    let ran = Atomic(0)
    let given = Atomic(0)
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "busy", attributes: .concurrent)
    @Sendable func submit() {
      given.add(1, ordering: .relaxed)
      queue.async(group: group) {
        ran.add(1, ordering: .relaxed)
        if !isOver.load(ordering: .relaxed) { submit() }
      }
    }
    for _ in 0..<8 { submit() }
    let seen = Atomic(0)
    for _ in 0..<shortened(50) {
      let every = try EveryBlock().hook { call in
        seen.add(1, ordering: .relaxed)
        try call.proceed()
      }
      DispatchQueue.concurrentPerform(iterations: 20) { _ in _ = makeAdder(1)(1) }
      every.remove()
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(ran.load(ordering: .relaxed), given.load(ordering: .relaxed))
    XCTAssertGreaterThan(seen.load(ordering: .relaxed), 0)
  }

  func testAHookThatComesWhileSourcesAreFirstSeenMeansThemToo() throws {
    let (rounds, sources) = (shortened(10), 60)
    let cases = (0..<rounds * sources).map { way in
      "case \(way): block = _Block_copy(^(int x) { return x + way + \(way); }); break;"
    }
    let runtime = try XCTUnwrap(
      ImportSlot.all(of: "_Block_copy").compactMap(\.target?.image).first { $0.contains("/lib") })
    let directory = "/" + runtime.split(separator: "/").dropLast().joined(separator: "/")
    let path = try CompiledFiles(self).compile(
      "libmany.so", ["-shared", "-fPIC", "-fblocks", "-O1"],
      source: """
        extern const void *_Block_copy(const void *);
        extern void _Block_release(const void *);
        int many(int way) {
          int (^block)(int);
          switch (way) {
          \(cases.joined(separator: "\n"))
          default: return -1;
          }
          int result = block(1);
          _Block_release(block);
          return result;
        }
        """, libraries: ["-L\(directory)", "-lBlocksRuntime", "-Wl,-rpath,\(directory)"])
    let run = try Client(path, "many")
    var filter = BlockFilter()
    filter.images = .only(path)
    for round in 0..<rounds {
      let ways = Int32(round * sources)..<Int32((round + 1) * sources)
      let first = try EveryBlock(matching: filter).hook(.before) { _ in }
      let begun = DispatchSemaphore(value: 0)
      let group = ThreadGroup()
      group.start {
        for way in ways {
          _ = run(way)
          if way == ways.lowerBound { begun.signal() }
        }
      }
      begun.wait()
      let seen = Atomic(0)
      let second = try EveryBlock(matching: filter).hook(.before) { _ in
        seen.add(1, ordering: .relaxed)
      }
      group.wait()
      seen.store(0, ordering: .relaxed)
      for way in ways { XCTAssertEqual(run(way), 2 * way + 1) }
      XCTAssertEqual(seen.load(ordering: .relaxed), sources, "round \(round)")
      second.remove()
      first.remove()
    }
  }

  func testTracedCallsAreThoseThatWereMade() throws {
    let buffer = TraceBuffer(capacity: 10_000)
    let tracer = Tracer(buffer)
    let every = try EveryBlock(matching: Self.own).install(.tracing(with: tracer))
    for number in 0..<100 { _ = makeAdder(1)(Int32(number)) }
    every.remove()
    _ = makeAdder(1)(1)
    tracer.close()
    XCTAssertEqual(buffer.records.count, 100)
    XCTAssertEqual(buffer.records.last?.arguments, ["i32 99"])
    XCTAssertEqual(buffer.records.last?.result, "i32 100")
    XCTAssertTrue(
      buffer.records.allSatisfy { $0.subject.name?.contains("makeAdder") == true },
      "\(buffer.records.map(\.subject.title))")
  }

  func testWhatIsRefusedSaysWhy() throws {
    expectError(.noPosition) { _ = try EveryBlock().hook([]) { _ in } }
    expectError(.invalidCondition) { _ = try EveryBlock().hook(when: .every(0)) { _ in } }
  }
}
