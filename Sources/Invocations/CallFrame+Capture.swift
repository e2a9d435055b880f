extension CallFrame {
  // SAFETY: throughout, the frame's addresses are valid while it lives, and an image is laid out by
  // the plan of its interface.

  /// The call interface, by whose plan the values are laid out.
  package var interface: CallInterface { unsafe values.interface }

  /// The image of the call; it has no values at a block's death.
  package var image: UnsafeMutableRawPointer { unsafe values.image }

  /// Whether there is a result now.
  package var isResultSet: Bool { hasResult }

  /// 1 if argument 0 is the called block, else 0.
  package var blockArgumentCount: Int { unsafe values.hiddenArgumentCount }

  /// The original code, nil if there is none.
  package var originalCode: UnsafeRawPointer? {
    unsafe values.target.pointee.level == nil ? nil : values.target.pointee.code
  }

  /// The called block, or its copy if it has died; nil if the call is not one of a block.
  package var calledBlock: UnsafeRawPointer? {
    guard unsafe values.exist, blockArgumentCount > 0 else { return nil }
    unsafe values.followBlock()
    return unsafe values.block
  }
}

extension CallInterface {
  /// Where in an image an argument lies.
  package func offset(ofArgument index: Int) -> Int { unsafe plan.offset(of: index) }

  /// The kind of number that an argument is, if it is one, and where in an image it lies.
  package func number(ofArgument index: Int) -> (kind: ScalarKind, offset: Int) {
    let place = unsafe plan.place(index).pointee
    return (place.scalar, Int(place.offset))
  }

  /// The kind of number that the result is.
  package var resultNumber: ScalarKind { unsafe plan.pointee.resultScalar }

  /// Where the result of an image's call lies; there must be one.
  package func resultAddress(in image: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    unsafe plan.pointee.resultAddress(image)
  }
}
