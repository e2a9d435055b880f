package import BlockABI
internal import BlockHooks
private import CSymbolInterposing.Queues
internal import Invocations

/// Is notified of the blocks that are sent to queues, on their senders' threads.
package protocol SubmissionObserver: AnyObject, Sendable {
  /// A block is being sent to a queue, or given to a source: the call of libdispatch follows.
  ///
  /// The thread has called no other hooked function since the sender's call.
  ///
  /// - Parameters:
  ///   - block: The address of the block that will run.
  ///   - code: The address of the code that its closure was compiled to.
  ///   - wrapper: The address of the block that `dispatch_block_create` made around it; 0 for none.
  ///   - object: The queue, or the source; nil where none is named.
  ///   - way: The function of libdispatch.
  ///   - count: How often the block will run.
  func submit(
    block: UInt, code: UInt, in wrapper: UInt, to object: UnsafeRawPointer?,
    by way: SubmissionWay, count: Int)

  /// A block that is being sent was cancelled before.
  ///
  /// - Parameters:
  ///   - block: The address of the block that would run.
  ///   - wrapper: The address of the block that `dispatch_block_create` made around it.
  func cancel(block: UInt, in wrapper: UInt)
}

/// Notifies an observer of the blocks that are sent to queues, while each of them is hooked.
struct ObservedSubmissions: Sendable {
  // SAFETY: the caller of a hooked function keeps the objects that it passes alive during the call.

  private let observer: any SubmissionObserver
  private let sources: BlockSources

  init(_ observer: any SubmissionObserver, _ sources: BlockSources) {
    (self.observer, self.sources) = (observer, sources)
  }

  /// The hook of a function that sends blocks to queues; nil for other functions.
  ///
  /// - Parameters:
  ///   - function: The function.
  ///   - see: Is called with each block first: it hooks the block, and returns the entry of its
  ///     source, if calls of such blocks are hooked together.
  /// - Returns: The hook.
  func definition(
    _ function: BlockFunction,
    whenSeen see: @escaping @Sendable (BlockView) -> BlockSources.Known?
  ) -> HookDefinition? {
    guard let submission = function.submission else { return nil }
    // A block on the stack is moved by a function that keeps it, and not by one that waits for it.
    let keepsBlock = !submission.way.returnsAfterBlock
    var definition = HookDefinition(
      keepsBlock ? .instead : .before, name: "every block", priority: .max
    ) { call in
      guard let block = unsafe try function.block(of: &call) else {
        if keepsBlock { try call.proceed() }
        return
      }
      let view = unsafe BlockView(block)
      let known = unsafe see(view)
      guard keepsBlock, unsafe view.isOnStack, case .argument(let index) = function.place else {
        unsafe try self.notify(of: view, known, submission, &call)
        if keepsBlock { try call.proceed() }
        return
      }
      // The function would make the copy: its address is that of the block that runs.
      let copy = unsafe view.block.copied()
      unsafe try copy.withUnsafePointer { address in
        unsafe try self.notify(of: BlockView(address), known, submission, &call)
        unsafe try call.setArgument(index, address as UnsafeRawPointer?)
        try call.proceed()
      }
    }
    definition.everyBlock = .first
    return definition
  }

  /// Notifies the observer of a block that is sent.
  private func notify(
    of view: BlockView, _ known: BlockSources.Known?, _ submission: BlockFunction.Submission,
    _ call: inout CallFrame
  ) throws {
    // libdispatch calls the block inside of one that it has made itself.
    let inner = unsafe view.isMadeByDispatch ? view.block.dispatchedBlock : nil
    guard let inner else {
      return unsafe try notify(of: view, known, in: 0, submission, &call)
    }
    unsafe try inner.withUnsafePointer { address in
      let isCancelled = unsafe view.isCancelled
      let known = unsafe sources.entry(of: BlockView(address))
      unsafe try notify(of: BlockView(address), known, in: view.address, submission, &call)
      if isCancelled {
        unsafe observer.cancel(block: UInt(bitPattern: address), in: view.address)
      }
    }
  }

  private func notify(
    of view: BlockView, _ known: BlockSources.Known?, in wrapper: UInt,
    _ submission: BlockFunction.Submission, _ call: inout CallFrame
  ) throws {
    guard let known else { return }
    let object = unsafe try call.argument(submission.queue, as: UnsafeRawPointer?.self)
    let count =
      submission.way == .apply ? Int(clamping: try call.argument(0, as: UInt.self)) : 1
    unsafe observer.submit(
      block: view.address, code: known.source.address, in: wrapper, to: object,
      by: submission.way, count: count)
  }
}

extension BlockView {
  /// Whether a block that `dispatch_block_create` made was cancelled.
  var isCancelled: Bool {
    unsafe cbr_dispatch_block_is_cancelled(UnsafeRawPointer(bitPattern: address))
  }
}
