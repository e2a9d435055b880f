#if Everything
import BlockRuntime
import CallMemoization
import Glibc
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

/// What the originals of `MemoTargetTests` do with a number.
private typealias Body = @Sendable (Int) throws -> Int

/// Concurrent misses, errors and recursion of memoized calls, on every target that can be memoized.
final class MemoTargetTests: XCTestCase {
  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    @discardableResult
    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  private struct Failure: Error {}

  private final class Page: MessageReceiver, Sendable {
    let body: Mutex<Body> = Mutex { $0 }
    let load: Mutex<@Sendable (Int) async throws -> Int> = Mutex { $0 }

    func compute(_ number: Int) throws -> Int { try body.withLock { $0 }(number) }

    func load(_ number: Int) async throws -> Int { try await load.withLock { $0 }(number) }

    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("compute:", Page.compute)
        Method("load:", Page.load)
      }
    }
  }

  /// What `bsearch` calls.
  private static let searched = Mutex<Body>({ $0 })

  /// A target whose original runs a closure.
  private struct Subject {
    let name: String
    let target: any HookTarget
    var definition = HandleDefinition<Memo>.memoizing(sharesMisses: true)
    var canThrow = false
    let setBody: (@escaping Body) -> Void
    let call: @Sendable (Int) -> Int?
  }

  private func subjects() throws -> [Subject] {
    let body = Mutex<Body>({ $0 })
    let block = try Block(signature: "q@?q") { call in
      let number = try call.argument(1, as: Int.self)
      try call.setResult(body.withLock { $0 }(number))
    }
    // SAFETY: the function has this signature.
    let function = unsafe try ImportedFunction("bsearch", signature: "^v^v^vQQ^?")
    let page = Page()
    var subjects = [
      Subject(
        name: "a block", target: block, setBody: { new in body.withLock { $0 = new } },
        call: { try? block.call($0) }),
      Subject(
        name: "an imported function", target: function,
        definition: .memoizing(
          sharesMisses: true, resultPointersAreStable: true,
          key: { call in try call.argument(2, as: UInt.self) }),
        setBody: { new in Self.searched.withLock { $0 = new } },
        call: { Self.search($0) }),
    ]
    for (name, target) in [
      ("a method of a class", Page.target("compute:")),
      ("a method of one object", page.target("compute:")),
    ] {
      subjects.append(
        Subject(
          name: name, target: target, canThrow: true,
          setBody: { new in page.body.withLock { $0 = new } },
          call: { try? page.send("compute:", $0) }))
    }
    return subjects
  }

  /// Searches a list of as many elements as a number says, and finds the first that is compared; the
  /// result is the number that the closure makes.
  private static func search(_ number: Int) -> Int? {
    // SAFETY: the elements are as large as a number, and the function returns the address of one.
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: number) { list in
      unsafe list.initialize(repeating: number)
      guard let start = list.baseAddress else { return nil }
      var key = number
      let found = unsafe bsearch(&key, start, number, 8) { _, element in
        let number = unsafe element?.load(as: Int.self) ?? 0
        _ = try? MemoTargetTests.searched.withLock { $0 }(number)
        return 0
      }
      return unsafe found == nil ? nil : number
    }
  }

  private func memoized(_ body: (Subject, Memo) throws -> Void) throws {
    for subject in try subjects() {
      let memo = try subject.target.install(subject.definition)
      try body(subject, memo.handle)
      XCTAssertTrue(memo.hook.remove(), subject.name)
    }
  }

  func testEightThreadsThatMissAResultComputeItOnce() throws {
    try memoized { subject, memo in
      let (asking, computed) = (Counter(), Counter())
      subject.setBody { number in
        computed.next()
        while asking.value < 8 { sched_yield() }
        return number
      }
      let threads = ThreadGroup()
      for _ in 0..<8 {
        threads.start { [call = subject.call, name = subject.name] in
          asking.next()
          XCTAssertEqual(call(5), 5, name)
        }
      }
      threads.wait()
      XCTAssertEqual([computed.value, memo.hits, memo.misses], [1, 7, 1], subject.name)
    }
  }

  func testACallWithinItsOwnComputationRuns() throws {
    try memoized { subject, memo in
      let computed = Counter()
      subject.setBody { [call = subject.call, name = subject.name] number in
        if computed.next() < 3 { XCTAssertEqual(call(number), number, name) }
        return number
      }
      XCTAssertEqual(subject.call(4), 4, subject.name)
      XCTAssertEqual(subject.call(4), 4, subject.name)
      XCTAssertEqual([computed.value, memo.hits, memo.count], [3, 1, 1], subject.name)
      subject.setBody { $0 }
    }
  }

  func testAnErrorReachesThoseWhoWaitAndIsNotKept() throws {
    try memoized { subject, memo in
      guard subject.canThrow else { return }
      let (asking, computed) = (Counter(), Counter())
      subject.setBody { _ in
        computed.next()
        while asking.value < 8 { sched_yield() }
        throw Failure()
      }
      let threads = ThreadGroup()
      for _ in 0..<8 {
        threads.start { [call = subject.call, name = subject.name] in
          asking.next()
          XCTAssertNil(call(5), name)
        }
      }
      threads.wait()
      XCTAssertGreaterThan(computed.value, 0)
      XCTAssertEqual(memo.count, 0, subject.name)
      subject.setBody { $0 }
      XCTAssertEqual([subject.call(5), subject.call(5)], [5, 5], subject.name)
      XCTAssertEqual(memo.count, 1, subject.name)
    }
  }

  // MARK: - Async methods

  private func memoizedLoads(
    _ body: (Page, Memo, _ name: String) async throws -> Void
  ) async throws {
    let page = Page()
    for (name, target) in [
      ("a class", Page.target("load:")), ("one object", page.target("load:")),
    ] {
      let memo = try target.install(.memoizing())
      try await body(page, memo.handle, name)
      XCTAssertTrue(memo.hook.remove(), name)
    }
  }

  func testTasksAwaitOneAnswerOrItsError() async throws {
    try await memoizedLoads { page, memo, name in
      let computed = Counter()
      page.load.withLock { load in
        load = { number in
          for _ in 0..<50 { await Task.yield() }
          if computed.next() == 1 { throw Failure() }
          return number
        }
      }
      let first = await answers(page)
      XCTAssertTrue(first.contains(nil), name)
      // The error was not kept: later callers get what is computed next.
      let later = await answers(page)
      XCTAssertEqual(later, Array(repeating: 7, count: 16), name)
      XCTAssertEqual([computed.value, memo.count], [2, 1], name)
    }
  }

  private func answers(_ page: Page) async -> [Int?] {
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<16 {
        group.addTask { try? await page.send(async: "load:", 7, returning: Int.self) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  func testAnAsyncMethodThatAwaitsItsOwnAnswerRuns() async throws {
    try await memoizedLoads { page, memo, name in
      let computed = Counter()
      page.load.withLock { load in
        load = { [unowned page] number in
          guard computed.next() < 3 else { return number }
          return try await page.send(async: "load:", number, returning: Int.self) + 1
        }
      }
      let answer = try await page.send(async: "load:", 3, returning: Int.self)
      XCTAssertEqual(answer, 5, name)
      XCTAssertEqual(computed.value, 3, name)
    }
  }
}
#endif
