import BlockRuntime

/// A history that undoes the changes of a document: NSUndoManager, which Foundation lacks on Linux.
///
/// Messages and changes of properties are steps; the steps of a group are undone together. Steps that are
/// registered while others are undone redo these. One thread uses the history.
final class UndoHistory {
  typealias Step = () throws -> Void

  private struct Group {
    var name: String
    var steps: [Step] = []
  }

  private enum Activity { case none, undoing, redoing }

  /// How many groups can be undone at most; the oldest are forgotten.
  let levels: Int

  private var undone: [Group] = []
  private var redone: [Group] = []
  private var open: Group?
  private var depth = 0
  private var activity = Activity.none

  init(levels: Int = .max) { self.levels = levels }

  /// The name of what `undo()` takes back: `undoActionName`.
  var undoName: String? { undone.last?.name }

  /// The name of what `redo()` repeats: `redoActionName`.
  var redoName: String? { redone.last?.name }

  /// Registers a message that takes something back: `prepareWithInvocationTarget:`.
  func register(_ name: String, _ message: Invocation) {
    register(name) { try message.send() }
  }

  /// Registers a step that takes something back: `registerUndo(withTarget:handler:)`.
  func register(_ name: String, _ step: @escaping Step) {
    guard open == nil else {
      open?.steps.append(step)
      return
    }
    close(Group(name: name, steps: [step]))
  }

  /// Registers the changes of a property, until the observation is removed.
  func follow<Owner: KeyValueObservable, Value>(
    _ owner: Owner, _ property: ReferenceWritableKeyPath<Owner, Value>, _ name: String
  ) -> KeyValueObservation {
    owner.observe(property, options: [.old]) { [weak self] owner, change in
      guard let old = change.old else { return }
      self?.register(name) { [weak owner] in owner?[keyPath: property] = old }
    }
  }

  /// Runs a closure whose steps are one, those of inner groups too: `beginUndoGrouping`,
  /// `endUndoGrouping`.
  func group<Outcome>(_ name: String, _ body: () throws -> Outcome) rethrows -> Outcome {
    if depth == 0 { open = Group(name: name) }
    depth += 1
    defer {
      depth -= 1
      if depth == 0, let group = open {
        open = nil
        if !group.steps.isEmpty { close(group) }
      }
    }
    return try body()
  }

  /// Takes the latest group back, its latest step first.
  func undo() throws { try run(undone.popLast(), as: .undoing) }

  /// Repeats what was taken back last.
  func redo() throws { try run(redone.popLast(), as: .redoing) }

  private func run(_ group: Group?, as activity: Activity) throws {
    guard let group, self.activity == .none, depth == 0 else { return }
    self.activity = activity
    defer { self.activity = .none }
    try self.group(group.name) { for step in group.steps.reversed() { try step() } }
  }

  private func close(_ group: Group) {
    switch activity {
    case .undoing: redone.append(group)
    case .redoing: undone.append(group)
    case .none:
      // A new change ends what could have been redone.
      redone = []
      undone.append(group)
    }
    if undone.count > levels { undone.removeFirst() }
  }
}
