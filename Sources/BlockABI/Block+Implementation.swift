extension Block {
  /// The function that the block was compiled to, whatever hooks are installed.
  ///
  /// A block made from a Swift closure enters a thunk first; the closure behind it is named. Nil
  /// where no image holds the code, as for a block made at run time.
  ///
  /// - Complexity: Symbols are searched each time, in the image's file where it must be.
  public var implementation: CodeSymbol? {
    guard let invoke = unsafe originalCode else { return nil }
    // SAFETY: the addresses are only looked up.
    return unsafe CodeSymbol(at: code(behindThunk: invoke) ?? invoke)
  }
}
