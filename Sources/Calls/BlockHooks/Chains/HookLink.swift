internal import BlockABI
package import Invocations

/// One hook of a chain, with its handler.
package struct HookLink: Sendable {
  package let hook: HookState
  let handler: CallHandler

  /// The mark that calls of the handler protect by a hazard pointer.
  package var mark: HandlerMark { hook.mark }

  private(set) var place: HookPlace

  /// The signature with which the handler is called.
  package private(set) var interface: CallInterface

  /// A `TypedHook` for a block, a `MethodLayer` for a method; nil for other hooks.
  package let unframedRunner: (any AnyObject & Sendable)?

  /// Whether the hook belongs to the chain of another owner, which this chain's owner follows.
  var isFollowed = false

  /// Whether the hook is in the chains of several owners, none of which lists it.
  private(set) var isShared = false

  /// The image of the hooked code, which stays loaded until the hook and its last call have ended.
  let image: LoadedImage?

  /// A copy of the hook that is outermost of its priority.
  var outermost: HookLink {
    var link = self
    link.place = HookPlace(priority: place.priority, time: .now())
    return link
  }

  /// A copy of the hook for the chain of one of several owners.
  package func shared(calledAs interface: CallInterface) -> HookLink {
    var link = self
    (link.interface, link.isShared) = (interface, true)
    return link
  }

  /// The blocks of a typed hook of a block; nil for any other hook.
  var typed: TypedHook? { unframedRunner.flatMap { $0 as? TypedHook } }

  /// A copy of the hook for the chain of a block that follows the hook's function.
  var followed: HookLink {
    var link = self
    link.isFollowed = true
    return link
  }
}

extension [HookLink] {
  /// Whether any hook runs in calls, and not only at the block's death.
  package var hooksCalls: Bool {
    contains { !$0.hook.positionsInChain.isDisjoint(with: .calls) }
  }

  /// The hooks with another inserted at its place.
  package func inserting(_ link: HookLink) -> Self {
    var links = self
    links.insert(link, at: firstIndex { $0.place < link.place } ?? endIndex)
    return links
  }

  /// The hooks that belong to the chain's owner.
  var own: Self { contains { $0.isFollowed } ? filter { !$0.isFollowed } : self }

  /// The tokens of hooks installed on this owner itself, not through every block or several
  /// methods.
  package var listed: [Hook] {
    filter { !$0.hook.isOfEveryBlock && !$0.isShared }.map { Hook($0.hook) }
  }

  /// The hooks without a given one.
  package func removing(_ hook: HookState) -> Self { filter { $0.hook !== hook } }

  /// The most hooks of one target.
  private static var hookLimit: Int { 1000 }

  /// The most instead-handlers of one target: they nest on the stack, about 2 KiB each in
  /// unoptimised code.
  private static var nestingLimit: Int { 250 }

  /// Checks that there can be another hook.
  ///
  /// - Throws: `tooManyHooks`.
  package func requireRoom(for link: HookLink, _ noun: String) throws(HookError) {
    let nested = count { $0.hook.positionsInChain.contains(.instead) }
    let nests = link.hook.positionsInChain.contains(.instead)
    guard count < Self.hookLimit, !nests || nested < Self.nestingLimit else {
      throw HookError(
        .tooManyHooks,
        "the \(noun) has \(count) hooks, \(nested) of them instead of it (at most "
          + "\(Self.hookLimit) and \(Self.nestingLimit)); remove some before adding more")
    }
  }
}
