public import Invocations

/// A method whose Swift calls run the hooks of its messages: the body that the class declares, and
/// the slot that the calls ask.
///
/// It is made when messages first use the class, and is never freed.
@usableFromInline
final class CalledMethod: Sendable {
  @usableFromInline let selector: Selector

  /// The implementation in the class's table.
  let body: Implementation

  /// The methods of the class.
  let dictionary: MethodDictionary

  let slot: MethodSlot
  let identity: UInt

  /// The address of the class of the implementation, without its actor.
  @usableFromInline let types: UInt
  private let setCalls: @Sendable (CallHooks) -> Void

  init(
    _ selector: Selector, _ body: Implementation, in dictionary: MethodDictionary,
    _ setCalls: @escaping @Sendable (CallHooks) -> Void
  ) {
    self.selector = selector
    self.body = body
    self.dictionary = dictionary
    self.setCalls = setCalls
    slot = dictionary.slot(selector)
    identity = dictionary.identity
    let typed = (body as? IsolatedImplementation)?.isolated ?? body
    types = UInt(bitPattern: ObjectIdentifier(type(of: typed)))
    // SAFETY: the reference is never released: calls find the object at any time.
    _ = unsafe Unmanaged.passRetained(self)
  }

  /// The address of this object.
  var word: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Tells the Swift calls whose messages run more than the body.
  func set(_ change: CallHooks.Change) { setCalls(CallHooks(method: word, change: change)) }
}

/// The state of a method that calls find in its `CallSlot`; only this library creates it.
public struct CallHooks: Sendable {
  /// The address of the `CalledMethod`.
  let method: UInt

  let change: Change

  /// Whose calls run more than the body.
  enum Change: Comparable { case none, ofObjects, ofAll }

  /// Whether any calls run more than the body.
  var isHooked: Bool { change != .none }

  /// The word that a `CallSlot` stores.
  var word: UInt {
    switch change {
    case .none: 0
    case .ofObjects: method | CallWord.ofObjects
    case .ofAll: method
    }
  }
}
