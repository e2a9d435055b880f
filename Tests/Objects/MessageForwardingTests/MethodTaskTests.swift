import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Methods hooked for one task, and who sent what hooks see.
final class MethodTaskTests: XCTestCase {
  private final class Page: MessageReceiver, Sendable {
    func load(_ number: Int) -> Int { number }

    static var methods: MethodTable { MethodTable(Page.self) { Method("load:", Page.load) } }
  }

  private static func load(_ number: Int) throws -> Int {
    try Page().send("load:", number, returning: Int.self)
  }

  func testSixtyFourTasksHookOneMethodAndDoNotSeeEachOther() async throws {
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...64 {
        group.addTask {
          let target = Page.target("load:")
          let definition = HookDefinition { call in
            try call.proceed()
            try call.setResult(call.result(as: Int.self) + 1000)
          }
          var wrong = 0
          for _ in 0..<10 {
            wrong += try await target.withHook(definition) { () async throws -> Int in
              var wrong = 0
              for _ in 0..<20 {
                if try Self.load(number) != number + 1000 { wrong += 1 }
                await Task.yield()
                if try await Task(operation: { try Self.load(-number) }).value != 1000 - number {
                  wrong += 1
                }
              }
              return wrong
            }
            if try Self.load(number) != number { wrong += 1 }
          }
          return wrong
        }
      }
      return try await group.reduce(0, +)
    }
    XCTAssertEqual(wrong, 0)
    XCTAssertTrue(Page.target("load:").hooks.isEmpty)
  }

  @inline(never)
  private func turnPage() throws -> Int { try Self.load(2) &+ 1 }

  func testTheSenderIsAmongTheCallersOfAHookedMethod() throws {
    let found = Recorder<[String]>()
    let object = Page()
    // Functions of libffi, and those that it calls, are on the stack too.
    let limit = CallEngine.current == .libffi ? 100 : 24
    for target in [Page.target("load:"), object.target("load:")] {
      let hook = try target.hook { call in
        found.record(call.callers(limit: limit).map { $0.function?.name ?? "?" })
        try call.proceed()
      }
      XCTAssertEqual(try object.send("load:", 1, returning: Int.self), 1)
      XCTAssertEqual(try turnPage(), 3)
      hook.remove()
    }
    let senders = ["testTheSender", "turnPage", "testTheSender"]
    XCTAssertEqual(found.entries.count, senders.count)
    for (names, sender) in zip(found.entries, senders) {
      XCTAssertTrue(names.contains { $0.contains(sender) }, "\(sender): \(names)")
    }
  }
}
