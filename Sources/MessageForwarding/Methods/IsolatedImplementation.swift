private import CMessageForwarding.Executors
internal import Invocations
internal import TypeEncodings

/// An implementation that is entered on its actor only.
final class IsolatedImplementation: Implementation, @unchecked Sendable {
  private let isolated: Implementation
  private let actor: any Actor
  private let selector: Selector

  init(_ isolated: Implementation, _ actor: any Actor, _ selector: Selector) {
    self.isolated = isolated
    self.actor = actor
    self.selector = selector
    super.init()
  }

  /// What is entered, on the actor.
  ///
  /// - Throws: `wrongExecutor` anywhere else.
  func entered() throws(MessageError) -> Implementation {
    // SAFETY: a serial executor reference is two words, which the runtime compares.
    let executor = unsafe unsafeBitCast(actor.unownedExecutor, to: cbr_executor.self)
    guard cbr_executor_is_current(executor) else {
      let type = type(of: actor)
      throw MessageError(
        .wrongExecutor,
        "\(selector) is a method of \(type): send the message there, as in "
          + "`await \(type == MainActor.self ? "MainActor.run" : "an isolated function") { … }`",
        selector: selector)
    }
    return isolated
  }

  override func refusal(of receiverClass: AnyClass) -> String? {
    isolated.refusal(of: receiverClass)
  }

  override var dispatchesDynamically: Bool { isolated.dispatchesDynamically }

  override func makeSignature() throws(MessageError) -> MethodSignature {
    try isolated.makeSignature()
  }

  override func run(_ frame: inout CallFrame) throws { try entered().run(&frame) }
}
