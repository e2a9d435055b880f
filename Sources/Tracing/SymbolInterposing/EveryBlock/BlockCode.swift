internal import BlockABI
internal import BlockHooks

/// The replacement of the code of all blocks of one source; it is never freed, because callers keep
/// copies of its address.
protocol BlockCode: AnyObject, Sendable {
  var source: BlockSource { get }

  /// The replacement's address.
  var address: UnsafeRawPointer? { get }

  /// Lets a block that has hooks of its own run this code's hooks among them.
  ///
  /// - Returns: False if it cannot: the block is then hooked by itself.
  func join(_ block: Block) -> Bool

  /// Installs what a request asks for, if it matches these blocks and is not installed yet.
  func install(_ request: BlockRequest) throws(HookError)

  /// Removes what was installed for a request.
  func remove(_ request: BlockRequest)
}
