private import BlockRuntimeThreads
internal import Invocations

/// An object whose properties may be methods of its delegate: see `LinkedMethod`.
public protocol DelegateOwner: AnyObject {
  /// The delegate.
  var dynamicDelegate: DynamicDelegate { get }
}

/// A property whose closure implements a message of its object's delegate; nil implements nothing.
///
/// ```swift
/// class PageView: DelegateOwner {
///   let dynamicDelegate = DynamicDelegate(pages)
///   @LinkedMethod("page:didLoad:") var didLoad: (@Sendable (Page, Int32) -> Void)?
/// }
/// view.didLoad = { page, count in print(count) }  // implements page:didLoad:
/// view.didLoad = nil                              // removes it
/// ```
///
/// The property is nil after the method was removed or replaced in another way. A closure that does
/// not fit the protocol is refused: then the property is nil, and `$didLoad` is the error.
///
/// The corresponding method of BlocksKit is `+bk_linkDelegateMethods:`.
@propertyWrapper
public struct LinkedMethod<Value: Sendable & ExpressibleByNilLiteral>: Sendable {
  private struct State {
    var value: Value?
    var method: DelegateMethod?
    var error: MessageError?
  }

  /// The state, which copies of the wrapper share; the object has the only copy in use.
  private final class Storage: Sendable {
    let state = Locked(State())
  }

  private let selector: Selector
  private let implement: @Sendable (DynamicDelegate, Value) throws(MessageError) -> DelegateMethod?
  private let storage = Storage()

  init<Body>(
    _ selector: Selector,
    _ implement: @escaping @Sendable (DynamicDelegate, Body) throws(MessageError) -> DelegateMethod
  ) where Value == Body? {
    self.selector = selector
    self.implement = { delegate, body throws(MessageError) in
      guard let body else { return nil }
      return try implement(delegate, body)
    }
  }

  /// The property outside of a class, where it has no delegate; not available.
  @available(*, unavailable, message: "a linked method is a property of a class")
  public var wrappedValue: Value {
    get { value }
    set { storage.state.withLock { $0.value = newValue } }
  }

  /// The error with which the last closure was refused; nil if it was not.
  public var projectedValue: MessageError? { storage.state.withLock { $0.error } }

  /// The property of an object.
  public static subscript<Owner: DelegateOwner>(
    _enclosingInstance owner: Owner, wrapped path: ReferenceWritableKeyPath<Owner, Value>,
    storage storagePath: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get { owner[keyPath: storagePath].value }
    set { owner[keyPath: storagePath].set(newValue, owner.dynamicDelegate) }
  }
}

extension LinkedMethod {
  fileprivate var value: Value {
    let (value, method) = storage.state.withLock { ($0.value, $0.method) }
    return method?.isImplemented == true ? value ?? nil : nil
  }

  fileprivate func set(_ value: Value, _ delegate: DynamicDelegate) {
    var new = State()
    do throws(MessageError) {
      new.method = try implement(delegate, value)
      if new.method == nil { delegate.removeMethod(selector) } else { new.value = value }
    } catch {
      new.error = error
    }
    // The previous closure is released after the lock.
    let last = storage.state.withLock { exchange(&$0, with: new) }
    withExtendedLifetime(last) {}
  }
}
