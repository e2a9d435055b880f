public import Invocations

extension MessageReceiver {
  /// Sends a message to what a class inherits: `objc_msgSendSuper`.
  ///
  /// The class is the one whose method says `super`, not its superclass, nor the receiver's class:
  /// `self.sendSuper(of: Square.classObject, "area")` in a method of `Square` runs what `Square`
  /// inherits.
  ///
  /// What a superclass's table has from a method reference would call the override again, as every
  /// Swift call does, and is refused: declare it there as a closure, or a C function.
  ///
  /// - Parameters:
  ///   - owner: The class that the sending method belongs to, whose superclass is looked at; the
  ///     receiver is an instance of it, or, for class methods, the class itself or one that inherits
  ///     from it.
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector` if nothing is inherited; `dynamicImplementation` for a
  ///   reference; `typeMismatch` if the receiver is no instance of the class; else as `send`.
  @discardableResult
  public func sendSuper<each Argument, Outcome>(
    of owner: ClassObject, _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    for type in repeat (each Argument).self {
      if BlockType.isBlock(any: type) { throw BlockType.refused(selector) }
    }
    let inherited = try owner.inherited(selector, by: self)
    return try inherited.call(self, Message(selector, (repeat each arguments)))
  }

  /// Sends a message to what a class inherits, and ignores the answer: `of:` takes the class that the
  /// sending method belongs to.
  public func sendSuper<each Argument>(
    of owner: ClassObject, _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try sendSuper(of: owner, selector, repeat each arguments, returning: Void.self)
  }
}

extension ClassObject {
  /// The methods of the instances, or, where the receiver is a class, of the class.
  private func dictionary(for receiver: MessageClass) -> MethodDictionary {
    receiver.isClassItself ? classMethods : instanceMethods
  }

  /// What an instance inherits for a message.
  fileprivate func inherited(
    _ selector: Selector, by receiver: any MessageReceiver
  ) throws(MessageError) -> Implementation {
    let itself = receiver._messageClass
    let methods = superclass?.dictionary(for: itself)
    guard itself.own.isSubclass(of: self) else {
      throw MessageError(
        .typeMismatch,
        "`\(selector)`: a \(itself.own.name) is no \(name); name the class that the method belongs to",
        selector: selector)
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
        "what \(name) inherits for \(selector) is a method reference, which would run the override "
          + "again; declare it in the superclass's table as a closure or a C function",
        selector: selector)
    }
    return inherited
  }
}
