import BlockRuntime

/// A step of a demonstration: code, whom it must reach, and what it must answer.
struct SceneStep<Scene> {
  /// The step as program text.
  let code: String

  /// The names of those that must be told, in order.
  let told: [String]

  /// The answer that must be given, or the code of the error that must be thrown.
  let answer: String

  /// Takes the step.
  let act: (Scene) throws -> String

  /// A step without an answer.
  init(_ code: String, told: [String] = [], _ act: @escaping (Scene) throws -> Void) {
    self.init(code, told: told, refusal: "", act)
  }

  /// A step that must be refused with an error of this code.
  init(
    _ code: String, told: [String] = [], refusal: String, _ act: @escaping (Scene) throws -> Void
  ) {
    self.init(code, told: told, answer: refusal) { scene in
      try act(scene)
      return ""
    }
  }

  /// A step with an answer.
  init<Answer>(
    _ code: String, told: [String] = [], answer: String,
    _ act: @escaping (Scene) throws -> Answer
  ) {
    self.code = code
    self.told = told
    self.answer = answer
    self.act = { "\(try act($0))" }
  }

  /// Takes the step, and returns its answer or the code of its error.
  func answer(in scene: Scene) -> String {
    do {
      return try act(scene)
    } catch let error as any BlockRuntimeError {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }
}
