public import Invocations

extension MessageReceiver {
  /// Runs the method that a class inherits for a message: `objc_msgSendSuper`.
  ///
  /// The class is the one that the sending method belongs to, not its superclass, nor the
  /// receiver's class: `self.sendSuper(of: Square.classObject, "area")` in a method of `Square`
  /// runs the method that `Square` inherits.
  ///
  /// An inherited method that is declared as a method reference is refused, because it would call
  /// the override again, as every Swift call does: declare it in the superclass's table as a
  /// closure or a C function.
  ///
  /// - Parameters:
  ///   - owner: The class that the sending method belongs to, whose superclass is searched. The
  ///     receiver must be an instance of it, or, for class methods, the class itself or a subclass.
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector` if no method is inherited; `dynamicImplementation` for a
  ///   method reference; `typeMismatch` if the receiver is not an instance of the class; and the
  ///   errors of `send`.
  @discardableResult
  public func sendSuper<each Argument, Outcome>(
    of owner: ClassObject, _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    try BlockType.refuse(repeat (each Argument).self, in: selector)
    let inherited = try owner.inherited(selector, by: self)
    return try inherited.running { method throws(MessageError) in
      try method.call(self, Message(selector, (repeat each arguments)))
    }
  }

  /// Runs the method that a class inherits for a message, and ignores the answer.
  ///
  /// `of:` takes the class that the sending method belongs to.
  public func sendSuper<each Argument>(
    of owner: ClassObject, _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try sendSuper(of: owner, selector, repeat each arguments, returning: Void.self)
  }
}

extension ClassObject {
  /// The instance methods, or the class methods if the receiver is a class.
  private func dictionary(for receiver: MessageClass) -> MethodDictionary {
    receiver.isClassItself ? classMethods : instanceMethods
  }

  /// The method that this class inherits for a message.
  fileprivate func inherited(
    _ selector: Selector, by receiver: any MessageReceiver
  ) throws(MessageError) -> Implementation {
    let itself = receiver._messageClass
    let methods = superclass?.dictionary(for: itself)
    guard itself.own.isSubclass(of: self) else {
      throw MessageError(
        .typeMismatch, of: selector,
        "a \(itself.own.name) is not a \(name); pass the sending method's class")
    }
    guard let inherited = methods?.effective(selector) else {
      throw MessageError(
        .unrecognizedSelector,
        "\(name) inherits no method \(selector)"
          + (dictionary(for: itself).ownImplementation(selector) == nil
            ? "; declare it in a superclass's table"
            : ", it has its own: `of:` takes the class whose method sends, not the superclass"),
        selector: selector)
    }
    if methods?.implementation(selector)?.implementation.dispatchesDynamically == true {
      throw MessageError(
        .dynamicImplementation,
        "\(name) inherits a method reference for \(selector), which would run the override again; "
          + "declare it in the superclass's table as a closure or a C function",
        selector: selector)
    }
    return inherited
  }
}
