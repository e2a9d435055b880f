internal import BlockABI
internal import BlockHooks

/// What takes the place of the code of all blocks of one source; it lives for ever, for callers keep
/// copies of its address.
protocol BlockCode: AnyObject, Sendable {
  var source: BlockSource { get }

  /// Where the code is.
  var address: UnsafeRawPointer? { get }

  /// Has a block that has hooks of its own run those of the code among them.
  ///
  /// - Returns: False if it cannot: then it is hooked alone.
  func join(_ block: Block) -> Bool

  /// Does what a request wants of these blocks, if it means them, and does not yet.
  func install(_ request: BlockRequest) throws(HookError)

  /// Ends what a request wanted.
  func remove(_ request: BlockRequest, andWait: Bool)
}
