extension [HookChain.Link] {
  /// Whether any hook runs in calls, and not only at the block's death.
  var hooksCalls: Bool {
    contains { !$0.hook.positionsInChain.isDisjoint(with: .calls) }
  }

  /// The hooks with another inserted at its place.
  func inserting(_ link: HookChain.Link) -> Self {
    var links = self
    links.insert(link, at: firstIndex { $0.place < link.place } ?? endIndex)
    return links
  }

  /// The hooks that belong to the chain's owner.
  var own: Self { filter { !$0.isFollowed } }

  /// The tokens of the hooks that no hook of every block has installed.
  var listed: [Hook] { filter { !$0.hook.isOfEveryBlock }.map { Hook($0.hook) } }

  /// The hooks without a given one.
  func removing(_ hook: HookState) -> Self { filter { $0.hook !== hook } }
}
