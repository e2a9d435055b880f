import BlockHooks
import Invocations
import MessageForwarding

/// A receiver whose method is hooked in every way.
final class HookedCounter: MessageReceiver, Sendable {
  func add(_ number: Int) -> Int { number + 1 }

  class var methods: MethodTable {
    MethodTable(HookedCounter.self) { Method("add:", HookedCounter.add) }
  }

  static let add = TypedSelector1<HookedCounter, Int, Int>("add:")

  enum Kind: CaseIterable { case framed, typed, conditional }

  /// Installs a hook that runs a closure and then proceeds.
  ///
  /// - Parameters:
  ///   - kind: Its kind.
  ///   - priority: Its priority.
  ///   - object: The object whose method is hooked; nil for the class's.
  ///   - body: The closure.
  /// - Returns: The token.
  /// - Throws: The errors of installing.
  @discardableResult
  static func hook(
    _ kind: Kind, _ priority: Int = 0, of object: HookedCounter?,
    _ body: @escaping @Sendable () throws -> Void = {}
  ) throws -> Hook {
    if kind == .framed {
      return try (object?.target("add:") ?? target("add:")).hook(priority: priority) { call in
        try body()
        try call.proceed()
      }
    }
    let handler: TypedSelector1<HookedCounter, Int, Int>.Handler = { original, _, number in
      try body()
      return try original(number)
    }
    let conditions: HookConditions = kind == .conditional ? .times(1_000_000) : .always
    guard let object else { return try hook(add, priority: priority, when: conditions, handler) }
    return try object.hook(add, priority: priority, when: conditions, handler)
  }

  /// Sends the message.
  @discardableResult
  func send() throws -> Int { try send("add:", 1, returning: Int.self) }

  static func removeHooks() { for hook in target("add:").hooks { hook.remove() } }
}
