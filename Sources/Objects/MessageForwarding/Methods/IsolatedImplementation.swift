internal import Invocations
private import IsolatedClosures
internal import TypeEncodings

/// An implementation that runs only on its actor.
final class IsolatedImplementation: Implementation, @unchecked Sendable {
  let isolated: Implementation
  let actor: any Actor
  private let selector: Selector

  init(_ isolated: Implementation, _ actor: any Actor, _ selector: Selector) {
    self.isolated = isolated
    self.actor = actor
    self.selector = selector
    super.init()
  }

  /// Returns the isolated implementation, if the current code runs on the actor.
  ///
  /// - Throws: `wrongExecutor` if it does not.
  func entered() throws(MessageError) -> Implementation {
    guard actor.isCurrent else {
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
