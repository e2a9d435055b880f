internal import Invocations
internal import TypeEncodings

/// The list of a class's called bodies, for its method table.
///
/// A class needs little code to fill it: ``CalledBody/list(in:)`` takes two addresses.
public struct CalledBodies {
  private let owner: AnyClass
  private var methods: [Method] = []

  /// Makes the methods of a class's bodies.
  static func methods(
    of owner: AnyClass, _ list: (_ bodies: inout CalledBodies) -> Void
  ) -> [Method] {
    var bodies = CalledBodies(owner: owner)
    list(&bodies)
    return bodies.methods
  }

  /// Adds the method of a body.
  ///
  /// ## Safety
  /// There must be a `CalledBody` of the types at the address, a static constant.
  @unsafe
  @usableFromInline
  mutating func add(_ types: any BodyTypes.Type, _ body: UnsafeRawPointer) {
    unsafe methods.append(types.method(of: body, owner))
  }
}

extension MethodTable {
  /// Creates the table of a class whose Swift calls are messages.
  ///
  /// - Parameters:
  ///   - owner: The class that declares the table.
  ///   - bodies: Lists bodies of methods.
  ///   - methods: The other methods.
  public init(
    _ owner: any MessageReceiver.Type, bodies: (_ bodies: inout CalledBodies) -> Void,
    @MethodList _ methods: () -> [Method] = { [] }
  ) {
    self.init(owner) {
      CalledBodies.methods(of: owner, bodies)
      methods()
    }
  }
}

/// The types of a body, as the class of implementations that can make its method.
@usableFromInline
protocol BodyTypes {
  /// The method of a body.
  ///
  /// ## Safety
  /// There must be a `CalledBody` of these types at the address, a static constant.
  @unsafe
  static func method(of body: UnsafeRawPointer, _ owner: AnyClass) -> Method
}

extension TypedImplementation: BodyTypes {
  @unsafe
  @usableFromInline
  static func method(of body: UnsafeRawPointer, _ owner: AnyClass) -> Method {
    // SAFETY: the caller vouches for the body, whose layout is the same for all types of errors.
    let body = unsafe body.assumingMemoryBound(to: CalledBody<Arguments, Outcome, Never>.self)
    return unsafe Method(
      Selector(stringLiteral: body.pointee.selector), owner,
      UnsafeRawPointer(body).assumingMemoryBound(to: CallSlot.self), body.pointee.isOfMainActor,
      body.pointee.keepingBody)
  }
}

extension Method {
  /// Creates the method of a called body.
  fileprivate init<Arguments, Outcome>(
    _ selector: Selector, _ receiverClass: AnyClass, _ slot: UnsafePointer<CallSlot>,
    _ isOfMainActor: Bool,
    _ body: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome
  ) {
    // A single argument that is a tuple, by a typealias, is not divided, so that it is refused.
    let elements = selector.argumentCount == 1 ? nil : TupleElements.of(Arguments.self)
    let types = elements?.map(\.type) ?? [Arguments.self]
    let method = Method(
      selector, receiverClass, isReference: false, types, body)
    // SAFETY: the slot is a static constant.
    nonisolated(unsafe) let slot = unsafe slot
    self = method.isolated(to: isOfMainActor ? MainActor.shared : nil)
      .called { unsafe slot.pointee.set($0) }
  }
}
