public import Invocations
public import IsolatedClosures

/// A method that was added to one object: the token that removes it.
///
/// Dropping the token does not remove the method, and the token retains neither the method nor the
/// object.
public struct AddedMethod: Removable {
  /// The message that the method answers.
  public let selector: Selector

  private weak let methods: InstanceMethods?
  private weak let implementation: Implementation?

  fileprivate init(
    _ selector: Selector, _ methods: InstanceMethods, _ implementation: Implementation
  ) {
    (self.selector, self.methods, self.implementation) = (selector, methods, implementation)
  }

  /// Whether messages to the object run the method: false after it was removed, or the object has
  /// died.
  public var isAdded: Bool {
    guard let methods, let implementation else { return false }
    return methods.has(implementation, selector)
  }

  /// Removes the method; if it was removed before, or the object has died, does nothing.
  ///
  /// Hooks that were installed on the method stay, around a method of its name that is added later.
  /// Calls in progress continue.
  ///
  /// - Returns: True if this call removed the method.
  @discardableResult
  public func remove() -> Bool {
    guard let methods, let implementation else { return false }
    return methods.remove(implementation, selector)
  }
}

extension AddedMethod: CustomStringConvertible {
  /// The selector, and whether messages run the method.
  public var description: String { "<method \(selector), \(isAdded ? "added" : "removed")>" }
}

extension MessageReceiver {
  /// Adds a method to this object only: `class_addMethod` on a class that is made for the object.
  ///
  /// `responds(to:)` and messages find the method in this object and in no other of the class, and
  /// `target(_:)` of the object can hook it. The method is released with the object, or when the
  /// token removes it. A closure that captures the object keeps it alive: use the receiver that the
  /// closure gets.
  ///
  /// If the class gets a method of that name later, the object keeps its own.
  ///
  /// - Parameter method: The method, of Swift types or of an encoding.
  /// - Returns: The token that removes the method. Dropping it removes nothing.
  /// - Throws: `methodExists` if the object has a method of that name, which a hook of the object
  ///   can replace; `invalidMethod`, `invalidSignature`, `unsupportedType`; `typeMismatch` for a
  ///   method of another class; the reason if the object can have no associated values.
  @discardableResult
  public func addMethod(_ method: Method) throws(MessageError) -> AddedMethod {
    let (selector, itself) = (method.selector, _messageClass)
    guard !itself.isClassItself, !method.isClassMethod else {
      throw MessageError(
        .invalidMethod, of: selector,
        "a class has its class methods itself; call `addMethod(_:)` of its "
          + "`ClassObject`, whose result is a `Bool`")
    }
    _ = try method.implementation.interface
    if let refusal = method.implementation.refusal(of: itself.methods.receiverClass) {
      throw MessageError(.typeMismatch, of: selector, refusal)
    }
    let methods = try InstanceMethods.of(self)
    guard MethodLookup.find(self, selector) == nil, methods.add(method.implementation, selector)
    else {
      throw MessageError(
        .methodExists, of: selector,
        "the object has a method of that name; remove it, or change it for this object "
          + "with `target(\"\(selector)\").hook`")
    }
    return AddedMethod(selector, methods, method.implementation)
  }
}
