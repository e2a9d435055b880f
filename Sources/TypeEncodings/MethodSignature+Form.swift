extension MethodSignature {
  /// What takes the arguments, as far as the hidden ones tell.
  ///
  /// A block has a block (`@?`) as argument 0; a method has an object or class and then a selector.
  public var form: Form {
    switch arguments.first?.encoding.type {
    case .block: .block
    case .object, .primitive(.classObject):
      arguments.count > 1 && arguments[1].encoding.type == .primitive(.selector)
        ? .method : .function
    default: .function
    }
  }
}
