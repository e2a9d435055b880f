public import Invocations
internal import TypeEncodings

extension ClassObject {
  /// Adds a method, if the class has none of that name of its own: `class_addMethod`.
  ///
  /// An inherited method is overridden.
  ///
  /// - Parameter method: The method; added to the class methods if it is one.
  /// - Returns: Whether it was added.
  @discardableResult
  public func addMethod(_ method: Method) -> Bool {
    dictionary(of: method).set(method.implementation, method.selector, replacing: false).isNew
  }

  /// Replaces the class's own method, or adds one: `class_replaceMethod`.
  ///
  /// Hooks of the method stay, around the new one, if that has the same signature; messages skip
  /// them while it has another. An invalid method replaces the old one too: sending its message
  /// throws the reason.
  ///
  /// - Parameter method: The method; added to the class methods if it is one.
  /// - Returns: The class's own method before; nil if it had none of its own.
  @discardableResult
  public func replaceMethod(_ method: Method) -> Method? {
    let last = dictionary(of: method)
      .set(method.implementation, method.selector, replacing: true).last
    return last.map { Method(method.selector, $0, isClassMethod: method.isClassMethod) }
  }

  /// The instances' method of a name, own or inherited, without hooks: `class_getInstanceMethod`.
  ///
  /// - Parameter selector: The name.
  /// - Returns: The method; nil if there is none.
  public func method(_ selector: Selector) -> Method? {
    instanceMethods.implementation(selector).map { Method(selector, $0.implementation) }
  }

  /// The class method of a name, own or inherited, without hooks: `class_getClassMethod`.
  ///
  /// - Parameter selector: The name.
  /// - Returns: The method; nil if there is none.
  public func classMethod(_ selector: Selector) -> Method? {
    classMethods.implementation(selector).map {
      Method(selector, $0.implementation, isClassMethod: true)
    }
  }

  /// Exchanges the implementations of two methods of the instances:
  /// `method_exchangeImplementations`.
  ///
  /// An inherited method is exchanged in the class that declares it, for that class and its
  /// subclasses. To exchange it in this class only, add it to this class first.
  ///
  /// - Parameters:
  ///   - first: A method.
  ///   - second: Another method, with a compatible signature.
  /// - Throws: `noSuchMethod`; `typeMismatch` with the differences, or if instances of the
  ///   superclass would have a method of the subclass.
  public func exchangeMethods(_ first: Selector, _ second: Selector) throws(MessageError) {
    resolve(first)
    resolve(second)
    try exchange(instanceMethods, first, second)
  }

  /// Exchanges the implementations of two class methods.
  ///
  /// - Parameters:
  ///   - first: A class method.
  ///   - second: Another class method, with a compatible signature.
  /// - Throws: The errors of `exchangeMethods(_:_:)`.
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
        "\(first) and \(second): \(refusal), which declares the other; add the inherited one to "
          + "this class first", selector: first)
    }
    // If another thread has replaced one of them, the new implementation must be checked too.
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
  ///   - second: Another method.
  /// - Throws: `noSuchMethod`, `typeMismatch`.
  public static func exchangeMethods(
    _ first: Selector, _ second: Selector
  ) throws(MessageError) {
    try classObject.exchangeMethods(first, second)
  }
}
