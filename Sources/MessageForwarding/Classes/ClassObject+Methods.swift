public import Invocations
internal import TypeEncodings

extension ClassObject {
  /// Adds a method, if the class has none of that name of its own: `class_addMethod`.
  ///
  /// One that is inherited is overridden.
  ///
  /// - Parameter method: The method; a class method if it says so.
  /// - Returns: Whether it was added.
  @discardableResult
  public func addMethod(_ method: Method) -> Bool {
    dictionary(of: method).set(method.implementation, method.selector, replacing: false).isNew
  }

  /// Puts a method in the place of the class's own, or adds it: `class_replaceMethod`.
  ///
  /// Hooks of the method stay, around the new one, if that has the same signature; messages pass them by
  /// while it has another. What cannot be a method takes the place too: sending
  /// its message then says why.
  ///
  /// - Parameter method: The method; a class method if it says so.
  /// - Returns: The class's own method before; nil if there was none, or it was inherited.
  @discardableResult
  public func replaceMethod(_ method: Method) -> Method? {
    let last = dictionary(of: method)
      .set(method.implementation, method.selector, replacing: true).last
    return last.map { Method(method.selector, $0, isClassMethod: method.isClassMethod) }
  }

  /// The instances' method of a name, inherited or not, hooks aside: `class_getInstanceMethod`.
  ///
  /// - Parameter selector: The name.
  /// - Returns: Nil if there is none.
  public func method(_ selector: Selector) -> Method? {
    instanceMethods.implementation(selector).map { Method(selector, $0.implementation) }
  }

  /// The class's method of a name, inherited or not, hooks aside: `class_getClassMethod`.
  ///
  /// - Parameter selector: The name.
  /// - Returns: Nil if there is none.
  public func classMethod(_ selector: Selector) -> Method? {
    classMethods.implementation(selector).map {
      Method(selector, $0.implementation, isClassMethod: true)
    }
  }

  /// Exchanges the implementations of two methods of the instances: `method_exchangeImplementations`.
  ///
  /// A method that is inherited is exchanged where it stands: for the superclass and all that inherit
  /// from it. To exchange it here only, add it to this class first.
  ///
  /// - Parameters:
  ///   - first: A method.
  ///   - second: Another, with a compatible signature.
  /// - Throws: `noSuchMethod`; `typeMismatch` with the differences, or if instances of the superclass
  ///   would get a method of the subclass.
  public func exchangeMethods(_ first: Selector, _ second: Selector) throws(MessageError) {
    resolve(first)
    resolve(second)
    try exchange(instanceMethods, first, second)
  }

  /// Exchanges the implementations of two class methods.
  ///
  /// - Parameters:
  ///   - first: A class method.
  ///   - second: Another, with a compatible signature.
  /// - Throws: As for instances.
  public func exchangeClassMethods(_ first: Selector, _ second: Selector) throws(MessageError) {
    try exchange(classMethods, first, second)
  }

  private func exchange(
    _ dictionary: MethodDictionary, _ first: Selector, _ second: Selector
  ) throws(MessageError) {
    guard let one = dictionary.implementation(first) else { throw dictionary.noSuchMethod(first) }
    guard let other = dictionary.implementation(second) else {
      throw dictionary.noSuchMethod(second)
    }
    let differences = try one.implementation.interface.signature.differences(
      from: other.implementation.interface.signature, ours: "\(first)", theirs: "\(second)")
    guard differences.isEmpty else {
      throw MessageError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "), selector: first)
    }
    let refusals = [
      one.implementation.refusal(of: other.owner.receiverClass),
      other.implementation.refusal(of: one.owner.receiverClass),
    ]
    if let refusal = refusals.compactMap({ $0 }).first {
      throw MessageError(
        .typeMismatch,
        "\(first) and \(second): \(refusal), where an inherited method stands; add the inherited one to "
          + "this class first", selector: first)
    }
    // What another thread has put in the place of one has not been checked.
    guard
      MethodDictionary.exchange(
        (one.owner, first, one.implementation), (other.owner, second, other.implementation))
    else { return try exchange(dictionary, first, second) }
  }
}

extension MessageReceiver {
  /// Adds a method to the class: see `ClassObject.addMethod(_:)`.
  ///
  /// - Parameter method: The method.
  /// - Returns: Whether it was added.
  @discardableResult
  public static func addMethod(_ method: Method) -> Bool { classObject.addMethod(method) }

  /// Replaces a method of the class: see `ClassObject.replaceMethod(_:)`.
  ///
  /// - Parameter method: The method.
  /// - Returns: The class's own method before.
  @discardableResult
  public static func replaceMethod(_ method: Method) -> Method? {
    classObject.replaceMethod(method)
  }

  /// Exchanges two methods of the class: see `ClassObject.exchangeMethods(_:_:)`.
  ///
  /// - Parameters:
  ///   - first: A method.
  ///   - second: Another.
  /// - Throws: `noSuchMethod`, `typeMismatch`.
  public static func exchangeMethods(
    _ first: Selector, _ second: Selector
  ) throws(MessageError) {
    try classObject.exchangeMethods(first, second)
  }
}
