internal import BlockHooks
private import CMessageForwarding.Messages
internal import Invocations
internal import TypeEncodings

/// The typed handler of a method's hook: makes implementations that run it around other ones.
final class MethodLayer: Sendable {
  /// Makes an implementation that runs the handler, until the mark is removed, around another one.
  typealias Make =
    @Sendable (_ inner: Implementation, _ receiverClass: AnyClass, _ mark: HandlerMark) ->
    Implementation

  let make: Make

  /// Admits the calls that the hook's conditions accept; nil if there are none.
  let gate: HookGate?

  init(_ make: @escaping Make, _ gate: HookGate?) { (self.make, self.gate) = (make, gate) }

  /// Makes the implementation that runs the hook around another one.
  func around(
    _ inner: Implementation, of receiverClass: AnyClass, _ mark: HandlerMark
  ) -> Implementation {
    let layer = make(inner, receiverClass, mark)
    return gate.map { GatedLayer($0, layer, around: inner) } ?? layer
  }
}

/// The gate of a typed hook with conditions: lets the calls that they accept pass to the handler.
///
/// Such a hook is in two runs: in one, a handler that sees a frame decides; in the next, inside of
/// it, is the typed layer. The thread keeps the decision between the two.
@safe
final class HookGate: Sendable {
  /// Lets one call pass.
  func admit(_ call: inout CallFrame) throws {
    // SAFETY: the thread's own variable, which holds an address that is only compared.
    unsafe cbr_message_here().pointee.admitted = address
    try call.proceed()
  }

  /// Forgets an admitted call, unless the next implementation is a layer with a gate, which asks:
  /// the layer of the gate that admitted may be gone.
  static func close(before implementation: Implementation) {
    if !(implementation is GatedLayer) { unsafe cbr_message_here().pointee.admitted = nil }
  }

  /// Whether the call that has come to the layer was admitted; forgets the admission.
  fileprivate func takeAdmission() -> Bool {
    defer { unsafe cbr_message_here().pointee.admitted = nil }
    return unsafe cbr_message_here().pointee.admitted == address
  }

  private var address: UnsafeRawPointer {
    unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

/// A typed hook with conditions, inside of the handler that decides them.
private final class GatedLayer: Implementation, @unchecked Sendable {
  private let gate: HookGate
  private let hook: Implementation
  private let inner: Implementation

  init(_ gate: HookGate, _ hook: Implementation, around inner: Implementation) {
    (self.gate, self.hook, self.inner) = (gate, hook, inner)
    super.init()
  }

  override func makeSignature() throws(MessageError) -> MethodSignature {
    try inner.interface.signature
  }

  override var types: MethodTypes? { inner.types }

  override func run(_ frame: inout CallFrame) throws {
    try (gate.takeAdmission() ? hook : inner).run(&frame)
  }
}
