// Undo and redo: over messages that were recorded, and over changes that were observed.
import BlockRuntime

/// A drawing, of one thread: its title is an observed property, its shapes change by messages.
final class Drawing: KeyValueObservable, TypedMessageReceiver, @unchecked Sendable {
  @Observed var title = "untitled"
  private(set) var shapes: [String] = []
  private let history: UndoHistory

  init(_ history: UndoHistory) { self.history = history }

  func add(_ shape: String) throws {
    shapes.append(shape)
    // The opposite message is an object until it is needed.
    history.register("add \(shape)", try record(\.remove, shape))
  }

  func remove(_ shape: String) throws {
    guard let index = shapes.lastIndex(of: shape) else { return }
    shapes.remove(at: index)
    history.register("remove \(shape)", try record(\.add, shape))
  }

  struct Messages: MessageNames {
    var add: TypedSelector1<Drawing, String, Void> { .init("add:") }
    var remove: TypedSelector1<Drawing, String, Void> { .init("remove:") }
  }
  static var methods: MethodTable {
    MethodTable(Drawing.self) {
      Method("add:", Drawing.add)
      Method("remove:", Drawing.remove)
    }
  }
}

let history = UndoHistory(levels: 3)
let drawing = Drawing(history)
let titles = history.follow(drawing, \.title, "rename")

@MainActor func show(_ what: String) {
  print("\(what): \"\(drawing.title)\" \(drawing.shapes), undo: \(history.undoName ?? "nothing")")
}

try drawing.add("circle")
drawing.title = "Sun"
try history.group("draw a house") {
  try drawing.add("square")
  try drawing.add("roof")
  drawing.title = "House"
}
show("drawn")
try history.undo()
show("undone")
try history.undo()
show("undone")
try history.redo()
try history.redo()
show("redone")

// A new change, and what could be redone is forgotten; of four groups the oldest is.
try history.undo()
try drawing.add("tree")
try drawing.add("cloud")
print("redo:", history.redoName ?? "nothing")
for _ in 0..<4 { try history.undo() }
show("undone as far as it goes")
titles.remove()
