internal import Invocations

// SAFETY, for the whole file: the original is code of the signature that the frame's interface was
// made for.

/// The hooks of a block at one moment, outermost first, and what lies below them.
///
/// A chain never changes: installing and removing put another in its place, and a call keeps the one
/// it began with.
@safe
final class HookChain: FrameContinuation {
  typealias Handler = @Sendable (inout CallFrame) throws -> Void

  /// One hook with its handler.
  struct Link: Sendable {
    let entry: HookEntry
    let handler: Handler
    let onError: @Sendable (any Error) -> Void
  }

  let links: [Link]

  // SAFETY: the address is immutable.
  nonisolated(unsafe) private let original: UnsafeRawPointer

  init(_ links: [Link], original: UnsafeRawPointer) {
    self.links = links
    unsafe self.original = unsafe original
  }

  /// Whether any hook is part of a call.
  var hooksCalls: Bool {
    links.contains { !$0.entry.positions.isDisjoint(with: .calls) }
  }

  /// A chain with one more hook: outside of all hooks of the same or a lower priority.
  func inserting(_ link: Link) -> HookChain {
    var links = links
    let place = links.firstIndex { $0.entry.priority <= link.entry.priority } ?? links.endIndex
    links.insert(link, at: place)
    return unsafe HookChain(links, original: original)
  }

  /// A chain without a hook.
  func removing(_ entry: HookEntry) -> HookChain {
    unsafe HookChain(links.filter { $0.entry !== entry }, original: original)
  }

  /// Runs the handlers that asked for the block's death.
  func announceDeath(_ interface: CallInterface) {
    var frame = unsafe CallFrame(interface, arguments: nil, result: nil)
    for (level, link) in links.enumerated() where link.entry.positions.contains(.death) {
      run(link, .death, &frame, level)
    }
  }

  /// Runs the hooks from the given level on, and below them the original.
  func proceed(_ frame: inout CallFrame, below level: Int) {
    var innermost = level
    var isReplaced = false
    while innermost < links.count, !isReplaced {
      let link = links[innermost]
      if link.entry.positions.contains(.before) { run(link, .before, &frame, innermost) }
      // An instead-handler proceeds to the levels below by itself.
      isReplaced =
        link.entry.positions.contains(.instead) && run(link, .instead, &frame, innermost)
      innermost += 1
    }
    if !isReplaced {
      // SAFETY: the original has the signature that the frame's interface was made for.
      unsafe frame.call(original)
    }
    for index in (level..<innermost).reversed()
    where links[index].entry.positions.contains(.after) {
      run(links[index], .after, &frame, index)
    }
  }

  /// Runs a hook's handler in one position, and leaves the frame as the level above had it.
  ///
  /// - Returns: False if the hook has been removed and nothing was run, or if an instead-handler
  ///   threw before it proceeded: then the call goes on without it.
  @discardableResult
  private func run(
    _ link: Link, _ position: CallFrame.Position, _ frame: inout CallFrame, _ level: Int
  ) -> Bool {
    let outer = frame.activation
    defer { frame.activation = outer }
    frame.activation = CallFrame.Activation(position: position, level: level + 1)
    var isDone = true
    let isAdmitted = link.entry.admit {
      do {
        try link.handler(&frame)
      } catch {
        isDone = frame.proceedCount > 0
        link.onError(error)
      }
    }
    return isAdmitted && isDone
  }
}
