internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations

/// The code inside of a block's own hooks: the block's own code, or a function that runs the hooks
/// of all blocks of that code. The block then follows that function.
extension HookedBlock {
  /// Makes the chain of the block's own hooks and the followed function's.
  func chain(
    of own: [HookLink], in trampoline: Trampoline, _ state: borrowing State
  ) -> HookChain {
    guard let followed = state.followed else {
      return own.isEmpty ? trampoline.idle : trampoline.idle.replacing(own)
    }
    // Without own hooks the trampoline enters the function, which runs its hooks itself; with own
    // hooks both are one chain.
    // SAFETY: both addresses are code of the followed function, which has the block's signature.
    if own.isEmpty {
      return unsafe HookChain([], original: OriginalCode(followed.code), life)
    }
    let (links, original) = followed.followed
    return HookChain(
      (own + links).sorted { $0.place > $1.place }, original: original, life)
  }

  /// Follows the function that runs the hooks of all blocks of the same code, or none.
  func follow(_ function: HookedFunction?, _ state: inout State) {
    guard state.followed !== function else { return }
    state.followed?.remove(self)
    state.followed = function
    function?.add(self)
  }

  /// Follows the function that replaces the code which the block had before it was hooked.
  ///
  /// - Returns: False if the block is dead, enters foreign code, or has hooks of another signature,
  ///   if its page cannot be made writable, or if there is no memory for a trampoline.
  func beginFollowing(_ function: HookedFunction) -> Bool {
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    return state.withLock { state -> Bool in
      guard !state.isDead else { return false }
      if state.followed === function { return true }
      // SAFETY: the block is not dead, and the addresses are only compared; the function's code has
      // the signature of the code that it replaces.
      let invoke = unsafe header.invokeAddress
      let original = unsafe state.current?.original ?? invoke
      if let current = state.current, !current.interface.isFramed {
        return followUnframed(function, inside: current, &state, &replaced)
      }
      // Another thread may have stored the function's code in the block just now.
      let isThere = unsafe invoke == function.code
      let replacesOurCode =
        unsafe isThere && state.current == nil
        || function.isInPlace(of: original, calledAs: state.current?.interface)
      guard replacesOurCode else { return false }
      // An installed trampoline enters the function by the chain that it gets below.
      let entersFunction =
        unsafe state.isInstalled || isThere || change(from: original, to: function.code)
        || header.invokeAddress == function.code
      guard entersFunction else { return false }
      follow(function, &state)
      if let current = state.current {
        current.replaceChain(chain(of: current.chain.links.own, in: current, state), &replaced)
      }
      return true
    }
  }

  /// Makes the current hooks, which have no frame, enter the function's code.
  ///
  /// - Returns: Whether they enter it.
  private func followUnframed(
    _ function: HookedFunction, inside current: Trampoline, _ state: inout State,
    _ replaced: inout [CallReceiver]
  ) -> Bool {
    // SAFETY: as in `beginFollowing(_:)`.
    unsafe function.isInPlace(of: current.original, calledAs: nil)
      ? replaceOriginal(of: current, by: function.code, &state, &replaced)
      : current.original == function.code
  }

  /// Replaces the code that the block had before it was hooked, inside of its hooks, which have no
  /// frame.
  ///
  /// - Returns: False if the block is dead, its hooks have a frame, or it enters foreign code.
  func enter(_ code: UnsafeRawPointer, inPlaceOf original: UnsafeRawPointer) -> Bool {
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    return state.withLock { state -> Bool in
      guard !state.isDead, let current = state.current, !current.interface.isFramed else {
        return false
      }
      // SAFETY: the addresses are only compared; the caller guarantees the code.
      if unsafe current.original == code { return true }
      return unsafe current.original == original
        && replaceOriginal(of: current, by: code, &state, &replaced)
    }
  }

  /// Replaces the code inside of the current trampoline, whose calls have no frame.
  ///
  /// - Returns: False if the block enters foreign code, its page cannot be made writable, or there
  ///   is no memory for a trampoline.
  private func replaceOriginal(
    of current: Trampoline, by code: UnsafeRawPointer, _ state: inout State,
    _ replaced: inout [CallReceiver]
  ) -> Bool {
    let invoke = unsafe header.invokeAddress
    if unsafe invoke == code { return true }
    let own = current.chain.links.own
    // SAFETY: the code accepts the calls that the original accepts, and stays valid while the block
    // lives.
    if !state.isInstalled { return unsafe change(from: current.original, to: code) }
    guard unsafe invoke == current.code,
      let made = unsafe try? Trampoline(
        current.interface, original: OriginalCode(code), life, .ownCode, of: header)
    else { return false }
    made.replaceChain(chain(of: own, in: made, state), &replaced)
    guard unsafe change(from: current.code, to: made.code) else { return false }
    current.replaceChain(chain(of: [], in: current, state), &replaced)
    state.retired.append(current)
    state.current = made
    return true
  }

  /// Rebuilds the chain after the followed function's hooks have changed.
  func followedDidChange(_ replaced: inout [CallReceiver]) {
    state.withLock { state in
      guard !state.isDead, let current = state.current else { return }
      let last = current.chain.links
      guard !last.own.isEmpty || !state.suspended.isEmpty else { return }
      current.replaceChain(chain(of: last.own, in: current, state), &replaced)
      let kept = current.chain.links
      for link in last where !kept.contains(where: { $0.hook === link.hook }) {
        leaveOut(link.hook, state, &replaced)
      }
    }
  }
}
