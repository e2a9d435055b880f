#if Everything
import ArgumentParser
import BlockRuntime
import CommandOptionsAndResults
import DemoScenes

/// `hook-demo observe`: observers of a small object graph.
struct ObserveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: "Changes a small object graph, and shows what its observers are told.",
    discussion: """
      A ship has a name, a captain, a crew, flags, cargo, and a pilot that it refers to weakly. \
      Observers watch properties, a path through a link, a computed property, the members of \
      collections, and a property of all of the crew. If an observer is told too much, too little \
      or in the wrong order, that is marked, and the exit status is 1.

      EXAMPLES
        hook-demo observe
        hook-demo observe --json
          {"changes":[{"change","calls":[…]}],"ok":true}, each call
          {"observer","kind","prior","indexes","old","new"}

      The kinds are setting, insertion, removal and replacement; indexes are ranges [from, to), or \
      null; old and new are texts, or null where there is no value.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.show(Scene.observers, "changes") { outcome in
      .object([
        ("change", .string(outcome.code)),
        ("calls", .array(outcome.told.compactMap { told in told.change?.json(of: told.name) })),
      ])
    } summary: { steps, told in
      "\(steps) changes, \(told) calls: each observer was told what it observes, once, in order"
    }
  }
}

extension ToldChange {
  fileprivate func json(of observer: String) -> JSONValue {
    let places = indexes?.ranges.map { range in
      JSONValue.array([.integer(range.lowerBound), .integer(range.upperBound)])
    }
    return .object([
      ("observer", .string(observer)), ("kind", .string(kind.rawValue)), ("prior", .bool(isPrior)),
      ("indexes", places.map(JSONValue.array) ?? .null), ("old", .optional(old)),
      ("new", .optional(new)),
    ])
  }
}
#endif
