#if Everything
package import ArgumentParser
import Glibc
package import Invocations

/// The option by which commands choose the engine that makes their calls.
package struct EngineOptions: ParsableArguments {
  @Option(help: "What makes the calls: plans, or libffi, the reference.", transform: Self.engine)
  package var engine: CallEngine?

  package init() {}

  private static func engine(_ name: String) throws -> CallEngine {
    if let engine = CallEngine(rawValue: name) { return engine }
    throw ValidationError("there is no engine \(name); use plans or libffi")
  }

  package func validate() throws {
    guard engine == nil, let name = ProcessEnvironment["BLOCKRUNTIME_ENGINE"] else { return }
    if !name.isEmpty, CallEngine(rawValue: name) == nil {
      throw ValidationError(
        "BLOCKRUNTIME_ENGINE: there is no engine \(name); use plans or libffi")
    }
  }

  /// Uses the requested engine, here and in the processes that this one starts.
  package func choose() {
    guard let engine else { return }
    CallEngine.current = engine
    // SAFETY: commands choose the engine before they start threads, so none reads the environment.
    unsafe setenv("BLOCKRUNTIME_ENGINE", engine.rawValue, 1)
  }
}
#endif
