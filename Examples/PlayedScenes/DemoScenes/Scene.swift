import BlockRuntime
import Synchronization

/// Steps, and who must be told of each: `hook-demo observe` and `hook-demo forward` show scenes, the
/// program `PlayedScenes` prints them, and the experiments check them.
package struct Scene {
  /// The heading.
  package let title: String

  private let chapters: KeyValuePairs<String, [Step]>
  private let log: Log

  init(_ title: String, _ chapters: KeyValuePairs<String, [Step]>, _ log: Log) {
    (self.title, self.chapters, self.log) = (title, chapters, log)
  }

  /// Code, whom it must reach, and what it must answer.
  struct Step {
    let code: String
    let told: [String]
    let answer: String
    let act: () throws -> String

    /// - Parameters:
    ///   - code: The step as program text.
    ///   - told: The names of those that must be told, in order.
    ///   - answer: The answer that must be given, or the code of the error that must be thrown.
    ///   - act: Takes the step.
    init<Answer>(
      _ code: String, told: [String] = [], answer: String = "",
      _ act: @escaping () throws -> Answer
    ) {
      (self.code, self.told, self.answer) = (code, told, answer)
      self.act = {
        let answer = try act()
        return answer is Void ? "" : "\(answer)"
      }
    }
  }

  /// A call of an observer or of a target, which an observer gets with a change.
  package struct Told: Sendable {
    package let name: String
    package var change: ToldChange?
  }

  /// The observers and targets that were called, in order.
  final class Log: Sendable {
    private let entries = Mutex<[Told]>([])

    func note(_ name: String, _ change: ToldChange? = nil) {
      entries.withLock { $0.append(Told(name: name, change: change)) }
    }

    /// Returns who was told since the last time.
    fileprivate func take() -> [Told] {
      entries.withLock { entries in
        defer { entries = [] }
        return entries
      }
    }
  }

  /// A step that was taken.
  package struct Outcome {
    /// The heading of the step's chapter; it may be empty.
    package let chapter: String

    /// The step as program text.
    package let code: String

    package let told: [Told]

    /// The answer, or the code of the error that was thrown.
    package let answer: String

    /// Whom the step told or what it answered against its plan; nil if it did neither.
    package let fault: String?

    fileprivate init(_ chapter: String, _ step: Step, _ log: Log) {
      do {
        answer = try step.act()
      } catch {
        answer = (error as? any BlockRuntimeError)?.code.rawValue ?? "\(error)"
      }
      (self.chapter, code, told) = (chapter, step.code, log.take())
      let names = told.map(\.name)
      let faults =
        (names == step.told ? [] : ["told \(names), not \(step.told)"])
        + (answer == step.answer ? [] : ["answered \(answer), not \(step.answer)"])
      fault = faults.isEmpty ? nil : "\(code) \(faults.joined(separator: ", and "))"
    }
  }

  /// Takes all steps.
  package func play() -> [Outcome] {
    chapters.flatMap { chapter, steps in steps.map { Outcome(chapter, $0, log) } }
  }
}
