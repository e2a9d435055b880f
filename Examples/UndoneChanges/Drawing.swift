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
