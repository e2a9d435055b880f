import Invocations
import MessageForwarding
import TestSupport
import XCTest

struct PlainError: Error {}

/// A target that records what it gets.
class Listener: MessageReceiver {
  let name: String
  let calls: Recorder<String>
  var number: Int64?
  var agrees = true
  var fails = false
  var onCall: () throws -> Void = {}

  init(_ name: String, _ calls: Recorder<String> = Recorder()) {
    self.name = name
    self.calls = calls
  }

  func didLoad(_ count: Int32) throws {
    calls.record("\(name) \(count)")
    if fails { throw PlainError() }
    try onCall()
  }

  func title() throws -> String {
    calls.record(name)
    if fails { throw PlainError() }
    return name
  }

  func count() throws -> Int64 {
    calls.record(name)
    if fails { throw PlainError() }
    return number ?? 0
  }

  func canClose() -> Bool {
    calls.record(name)
    return agrees
  }

  func note() -> String? {
    calls.record(name)
    return number.map { "\(name) \($0)" }
  }

  class var methods: MethodTable {
    MethodTable(Listener.self) {
      Method("didLoad:", Listener.didLoad)
      Method("title", Listener.title)
      Method("count", Listener.count)
      Method("canClose", Listener.canClose)
      Method("note", Listener.note)
    }
  }
}

/// A target that counts how often its methods are looked up.
final class CountedReceiver: MessageReceiver {
  var lookups = 0

  var _messageIdentity: MessageIdentity {
    lookups += 1
    // SAFETY: an identity is the address of the class, as the default implementation returns it.
    return unsafe unsafeBitCast(CountedReceiver.self as AnyClass, to: MessageIdentity.self)
  }

  static var methods: MethodTable {
    MethodTable(CountedReceiver.self) { Method("count") { (_: CountedReceiver) in Int64(5) } }
  }
}

/// A target that has a method, and says that it does not respond.
final class SilentReceiver: MessageReceiver {
  func responds(to selector: Selector) -> Bool { false }

  static var methods: MethodTable {
    MethodTable(SilentReceiver.self) { Method("count") { (_: SilentReceiver) in Int64(5) } }
  }
}

/// A target that has none of the methods.
final class Deaf: MessageReceiver {
  static var methods: MethodTable { MethodTable(Deaf.self) }
}

/// A receiver of a class that a proxy does not know, which sends everything on to a proxy.
final class Relay: MessageReceiver {
  weak var next: (any MessageReceiver)?

  static var methods: MethodTable { MethodTable(Relay.self) }
  func responds(to selector: Selector) -> Bool { next?.responds(to: selector) ?? false }
  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? { next }
}

extension XCTestCase {
  /// Expects a message to fail, and gives the error.
  @discardableResult
  func expect<Value>(
    _ code: ErrorCode, _ body: @autoclosure () throws -> Value,
    file: StaticString = #filePath, line: UInt = #line
  ) -> MessageError? {
    do {
      XCTFail("no error, but \(try body())", file: file, line: line)
    } catch let error as MessageError {
      XCTAssertEqual(error.code, code, "\(error)", file: file, line: line)
      return error
    } catch {
      XCTFail("\(error)", file: file, line: line)
    }
    return nil
  }
}
