import BlockRuntime
import ScriptBridge

/// A bridge whose time is the test's, and what its script and its handlers say.
struct ScriptedBridge {
  let clock = ManualClock()
  let bridge: ScriptBridge
  /// What the script passes to `bridge.call("note", [value])`.
  let notes = Recorder<ScriptValue>()
  /// What nobody else is told.
  let errors = Recorder<String>()

  init(timeout: Duration? = nil) {
    bridge = ScriptBridge(timeout: timeout, timer: DelayTimer(clock: clock)) { [errors] error in
      errors.record("\(error)")
    }
    bridge.handle("note") { [notes] arguments, answer in
      for argument in arguments { notes.record(argument) }
      try answer.send(nil)
    }
  }

  /// Runs a script that says `done(value)` when it is finished.
  func run(_ script: String) async throws -> ScriptValue {
    try await bridge.load(
      """
      function note(value) { bridge.call("note", [value]); }
      function noteResult(error, result) { note(error ? error.code : result); }
      bridge.handle("run", function (values, answer) {
        function done(value) { answer(null, value); }
        \(script)
      });
      """)
    return try await bridge.result(of: "run")
  }

  /// What a script's call is answered.
  func answer(to name: String, _ arguments: String) async throws -> ScriptValue {
    try await run(
      """
      bridge.call("\(name)", \(arguments), function (error, result) {
        done(error ? error.code : result);
      });
      """)
  }
}
