#if Macros
import MessageMacros
import Synchronization
import TestSupport
import XCTest

private final class Counter: PublicDelegate {
  let sum = Mutex(0)
  func received(_ number: Int) { sum.withLock { $0 += number } }
  func total(_ number: Int) -> Int { number }
  func load(_ number: Int) async throws -> Int { number }
  func typed() async throws(LoadingError) -> Int { throw LoadingError(code: 1) }
  func finish(_ name: String) async {}
}

/// Answers async requirements as messages.
private final class Receiver: MessageReceiver, Sendable {
  let names = Mutex<[String]>([])
  func load(_ number: Int) async throws -> Int {
    await Task.yield()
    return 100 * number
  }
  func later() -> Int { 9 }
  func typed() async throws -> Int { throw LoadingError(code: 5) }
  func finish(_ name: String) async { names.withLock { $0.append(name) } }
  class var methods: MethodTable {
    MethodTable(Receiver.self) {
      Method("load:", Receiver.load)
      Method("later", Receiver.later)
      Method("typed", Receiver.typed)
      Method("finish:", Receiver.finish)
    }
  }
}

@MainActor
private final class Canvas: Screen {
  var drawn = 0
  func draw(_ page: Page) { drawn += 1 }
  func wait() async -> Bool { true }
}

final class IsolationTests: XCTestCase {
  func testARequirementThatIsAsyncAsksOneTargetAfterTheOther() async throws {
    let counter = Counter()
    let forwarder = PublicDelegates(weak: counter)
    forwarder.add { $0.load = { 10 * $0 } }
    forwarder.policies.load = .reduce { $0 + $1 }
    let loaded = try await forwarder.load(3)
    XCTAssertEqual(loaded, 33)
    let later = await forwarder.later()
    XCTAssertEqual(later, 7, "all leave it out")
    forwarder.add { $0.later = { 8 } }
    let answered = await forwarder.later()
    XCTAssertEqual(answered, 8)
    do throws(LoadingError) {
      _ = try await forwarder.typed()
      XCTFail("no error")
    } catch { XCTAssertEqual(error.code, 1) }
  }

  func testARequirementThatIsAsyncIsSentToReceiversIfItsAnswerIsSendable() async throws {
    let receiver = Receiver()
    let forwarder = PublicDelegates()
    XCTAssertTrue(forwarder.add(weakReceiver: receiver))
    forwarder.add { $0.load = { $0 } }
    forwarder.policies.load = .reduce { $0 + $1 }
    let answers = [try await forwarder.load(3), await forwarder.later()]
    XCTAssertEqual(answers, [303, 9])
    await forwarder.finish("a")
    XCTAssertEqual(receiver.names.withLock { $0 }, ["a"])
    do throws(LoadingError) {
      _ = try await forwarder.typed()
      XCTFail("no error")
    } catch { XCTAssertEqual(error.code, 5, "as the method threw it") }
    let unshared = await forwarder.unshared()
    XCTAssertEqual(unshared.name, "")
    XCTAssertEqual(
      try PublicDelegateRequirements.messageProtocol.ownMethods.map(\.selector.name),
      ["received:", "total:", "load:", "later", "typed", "finish:"])
  }

  func testADelegateOfAsyncClosuresIsATarget() async throws {
    let delegate = DynamicDelegate(try PublicDelegateRequirements.messageProtocol)
    try delegate.implement("load:") { (number: Int) async in number + 1 }
    let forwarder = PublicDelegates()
    forwarder.add(strongReceiver: delegate)
    let loaded = try await forwarder.load(1)
    XCTAssertEqual(loaded, 2)
  }

  @MainActor
  func testAForwarderOfAnIsolatedProtocolIsIsolated() async {
    let canvas = Canvas()
    let screens = Screens(weak: canvas)
    var drawn = 0
    let token = screens.add { $0.draw = { _ in drawn += 1 } }
    screens.draw(Page())
    token.remove()
    screens.draw(Page())
    XCTAssertEqual([canvas.drawn, drawn], [2, 1])
    XCTAssertEqual(screens.scale, 1)
    let isOver = await screens.wait()
    XCTAssertTrue(isOver)
  }

  func testAForwarderThatIsSendableIsUsedByManyThreads() async {
    let counter = Counter()
    let forwarder = PublicDelegates(weak: counter)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for round in 0..<200 {
            let token = forwarder.add { $0.total = { -$0 } }
            forwarder.received(1)
            _ = forwarder.total(round)
            forwarder.policies.total = round % 2 == 0 ? .last : .first
            let short = Counter()
            forwarder.add(weak: short)
            token.remove()
          }
        }
      }
    }
    XCTAssertEqual(counter.sum.withLock { $0 }, 800)
    XCTAssertEqual(forwarder.total(5), 5)
  }

  func testThreadsCannotMakeACycleOfForwarders() throws {
    let rounds = shortened(300)
    let forwarders = (0..<3).map { _ in PublicDelegates() }
    let refused = Recorder<Int>()
    let text = try standardError {
      for round in 0..<rounds {
        for forwarder in forwarders { forwarder.removeAll() }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
          // The fourth sends meanwhile.
          if thread == 3 { return forwarders[0].received(1) }
          let next = forwarders[(thread + 1) % 3]
          if !forwarders[thread].add(weak: next) { refused.record(round) }
        }
      }
    }
    XCTAssertEqual(refused.entries, Array(0..<rounds), "one of each round")
    XCTAssertEqual(text.components(separatedBy: "leads back to the forwarder").count, rounds + 1)
  }

  func testReceiversOfASendableProtocolMustBeSendable() throws {
    let code = """
      import MessageForwarding
      import MessageMacros
      func use<F: Forwarder>(_ shared: F, _ receiver: any MessageReceiver, _ other: any MessageReceiver & Sendable)
      where F.Requirements.WeakTarget: Sendable {
        shared.add(weakReceiver: receiver)
        shared.add(strongReceiver: receiver)
        shared.add(weakReceiver: other)
        shared.add(strongReceiver: other)
      }
      func use<F: Forwarder>(_ own: F, _ receiver: any MessageReceiver) {
        own.add(weakReceiver: receiver)
        own.add(strongReceiver: receiver)
      }
      """
    XCTAssertEqual(try ClientCode(self).refusedLines(of: code), [5, 6])
  }
}
#endif
