internal import BlockRuntimeThreads
import CommandOptionsAndResults

/// What a demonstration acts on, with its steps, who is told of them, and how that is shown.
protocol Scene {
  /// Something that was told to somebody.
  associatedtype Entry: Sendable

  /// The heading of the text.
  static var title: String { get }

  /// The steps, by the headings of their chapters.
  static var chapters: KeyValuePairs<String, [SceneStep<Self>]> { get }

  /// The name of the steps in JSON.
  static var jsonName: String { get }

  init() throws

  /// What was told so far.
  var log: SceneLog<Entry> { get }

  /// Who was told.
  static func name(_ entry: Entry) -> String

  /// The lines below each outcome, below the heading of them all.
  static func lines(_ outcomes: [SceneOutcome<Self>], _ style: TextStyle) -> [[String]]

  /// The last line if all is as it must be.
  static func summary(_ outcomes: [SceneOutcome<Self>]) -> String

  /// An outcome as a JSON document.
  static func json(_ outcome: SceneOutcome<Self>) -> JSONValue
}

/// What was told in a scene, in order.
final class SceneLog<Entry: Sendable>: Sendable {
  private let entries = Locked<[Entry]>([])

  func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  /// Returns what was told since the last time.
  func take() -> [Entry] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

/// A step that was taken.
struct SceneOutcome<S: Scene> {
  let chapter: String
  let step: SceneStep<S>
  let entries: [S.Entry]
  let answer: String

  /// The names of those that were told.
  var told: [String] { entries.map(S.name) }

  /// Whether the step told whom it must, and answered what it must.
  var isOK: Bool { told == step.told && answer == step.answer }
}
