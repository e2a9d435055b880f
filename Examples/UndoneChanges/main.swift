// Undo and redo: over messages that were recorded, and over changes that were observed.
import BlockRuntime

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
