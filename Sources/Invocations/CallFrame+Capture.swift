// SAFETY, for the whole file: a frame's addresses are valid while the frame lives; an image is laid
// out by its interface's plan.

extension CallFrame {
  /// What the call's values are laid out by.
  package var interface: CallInterface { unsafe values.interface }

  /// The memory of the call's values; there are none at a block's death.
  package var image: UnsafeMutableRawPointer { unsafe values.image }

  /// Whether there is a result now.
  package var isResultSet: Bool { hasResult }

  /// 1 if argument 0 is the called block, else 0.
  package var blockArgumentCount: Int { unsafe values.hiddenArgumentCount }

  /// The code that lies below all hooks, nil where there is none.
  package var originalCode: UnsafeRawPointer? {
    unsafe values.target.pointee.level == nil ? nil : values.target.pointee.code
  }

  /// The block that is called, or its copy if it is dead; nil where no block is called.
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
