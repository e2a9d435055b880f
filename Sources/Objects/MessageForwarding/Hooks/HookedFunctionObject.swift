private import BlockRuntimeThreads
public import Invocations
public import Synchronization

/// The object to which the messages of a ``HookableFunction`` are sent.
public final class HookedFunctionObject: ClassObject, FunctionReceiver, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: as for the superclass; the properties are immutable.

  /// The function's full name, with the type that has it, as a selector.
  public let selector: Selector

  /// The slot that calls ask, if each type has its own.
  public let calls: TypeCalls

  /// Creates the object of a function, in code that `@Hookable` writes.
  ///
  /// - Parameters:
  ///   - method: The function's body, with the slot that calls ask.
  ///   - calls: The slot that calls ask, if each type has its own.
  public init(_ method: Method, _ calls: TypeCalls = TypeCalls()) {
    (selector, self.calls) = (method.selector, calls)
    super.init(
      method.selector.name, nil, nil, address: nil, [method.ofClass()],
      as: HookedFunctionObject.self)
  }

  // MARK: - Methods that each type has by itself

  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private static let known = Locked<[Key: HookedFunctionObject]>([:])

  /// The object of a type's method, for a generic type, or one that conforms to a protocol.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - name: The method, with its file.
  ///   - method: Makes the method, with the slot that calls ask.
  /// - Returns: The same object every time.
  public static func of(
    _ type: Any.Type, _ name: String, _ method: (_ calls: TypeCalls) -> Method
  ) -> HookedFunctionObject {
    known.value(for: Key(type: ObjectIdentifier(type), name: name)) {
      let calls = TypeCalls()
      return HookedFunctionObject(method(calls), calls)
    }
  }
}

/// One type's slot for the calls of a method that is declared in a generic type or a protocol's
/// extension, which can have no static variable.
public final class TypeCalls: Sendable {
  @usableFromInline static let hookedCount = Atomic(0)

  /// Whether a method of any type is hooked: then calls look their slots up.
  @inlinable
  @inline(__always)
  public static var areHooked: Bool { hookedCount.load(ordering: .relaxed) != 0 }

  /// The slot.
  public let slot = CallSlot()

  /// Creates the slot of a method that is not hooked.
  public init() {}

  /// Sets what calls find; for `Method.called(by:)` only, which makes no two changes at once.
  ///
  /// - Parameter hooks: What the method table passes.
  public func set(_ hooks: CallHooks) {
    let difference = (hooks.isHooked ? 1 : 0) - (slot.isHooked ? 1 : 0)
    slot.set(hooks)
    Self.hookedCount.add(difference, ordering: .relaxed)
  }
}
