internal import Invocations

/// A typed hook of a method: the token that removes it.
///
/// Dropping the token does not remove the hook. All functions may be called from any thread, also
/// by the hook's own closure.
public final class MethodHook: Sendable {
  /// The name given at installation.
  public let name: String?

  /// The priority given at installation.
  public let priority: Int

  let selector: Selector
  private weak let owner: (any TypedHookOwner)?

  init(_ selector: Selector, name: String?, priority: Int, in owner: any TypedHookOwner) {
    self.selector = selector
    self.name = name
    self.priority = priority
    self.owner = owner
  }

  /// Whether the hook is installed: false after it was removed, and after its object or class has died.
  public var isInstalled: Bool { owner?.has(self) ?? false }

  /// Removes the hook; if it was removed before, does nothing.
  ///
  /// After the return no new call of the closure starts; calls in progress continue. What the closure
  /// captures is released as soon as no call needs it.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func remove() -> Bool { owner?.remove(self) ?? false }
}

/// What has typed hooks: the methods of a class, or of one object.
protocol TypedHookOwner: AnyObject, Sendable {
  /// Whether a hook is installed.
  func has(_ hook: MethodHook) -> Bool

  /// Removes a hook.
  ///
  /// - Returns: Whether it was installed.
  func remove(_ hook: MethodHook) -> Bool
}

/// The typed hooks of a method in one class, or of one object.
///
/// Those of a class are around the method, and inside of the hooks that see calls as frames; those of an
/// object are around all of these. It is used under the lock of the owner.
struct TypedHooks: Sendable {
  /// One hook.
  struct Layer: Sendable {
    let hook: MethodHook

    /// The signature of the hook's types.
    let interface: CallInterface

    /// Makes an implementation that runs the hook around another one.
    let make: @Sendable (_ inner: Implementation) -> Implementation
  }

  /// The hooks, innermost first.
  private(set) var layers: [Layer] = []

  /// The implementation around the one for which it was made.
  private var made: (inner: Implementation, around: Implementation)?

  /// Whether there are hooks.
  var isUsed: Bool { !layers.isEmpty }

  /// The implementation with the hooks around it, if it was made before.
  func made(around inner: Implementation) -> Implementation? {
    if let made, made.inner === inner { made.around } else { nil }
  }

  /// The implementation with the hooks around it whose signature it has.
  mutating func around(_ inner: Implementation) -> Implementation {
    if let around = made(around: inner) { return around }
    var around = inner
    if let interface = try? inner.interface {
      for layer in layers where layer.interface.isCalled(as: interface) {
        around = layer.make(around)
      }
    }
    made = (inner, around)
    return around
  }

  /// Adds a hook: outermost among those of its priority.
  mutating func insert(_ layer: Layer) {
    let place = layers.firstIndex { $0.hook.priority > layer.hook.priority } ?? layers.count
    layers.insert(layer, at: place)
    made = nil
  }

  /// Whether a hook is one of them.
  func has(_ hook: MethodHook) -> Bool { layers.contains { $0.hook === hook } }

  /// Takes a hook out.
  mutating func remove(_ hook: MethodHook) -> Layer? {
    guard let index = layers.firstIndex(where: { $0.hook === hook }) else { return nil }
    made = nil
    return layers.remove(at: index)
  }
}
