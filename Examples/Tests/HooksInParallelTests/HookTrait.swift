import BlockRuntime
import Testing

/// A hook of a method that is there while a test runs, in the test's own task only.
struct HookTrait: SuiteTrait, TestTrait, TestScoping {
  let target: @Sendable () -> MethodTarget
  let definition: HookDefinition

  /// A suite gives the trait to its tests, each of which has a hook of its own.
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await target().withHook(definition) { try await function() }
  }
}

extension Trait where Self == HookTrait {
  /// Has a method answer with a value, in place of its own answer.
  static func answering<Answer: Sendable>(
    _ target: @autoclosure @escaping @Sendable () -> MethodTarget, _ answer: Answer
  ) -> Self {
    HookTrait(target: target, definition: HookDefinition { try $0.setResult(answer) })
  }
}
