internal import Invocations

extension HookDefinition {
  /// A hook that runs before the target's code; it can change the arguments.
  ///
  /// - Parameters:
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs in each of these calls; what it throws is written to standard error, unless
  ///     `onError` is set.
  /// - Returns: The hook, for any target.
  public static func before(
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: @escaping Handler
  ) -> HookDefinition {
    HookDefinition(.before, name: name, priority: priority, when: conditions, handler)
  }

  /// A hook that runs after the target's code; it can read and change the result.
  ///
  /// - Parameters:
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: As for `before`.
  /// - Returns: The hook, for any target.
  public static func after(
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: @escaping Handler
  ) -> HookDefinition {
    HookDefinition(.after, name: name, priority: priority, when: conditions, handler)
  }

  /// A hook that runs in place of the target's code, which runs only when the handler proceeds: it
  /// may wrap the call.
  ///
  /// - Parameters:
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: As for `before`.
  /// - Returns: The hook, for any target.
  public static func instead(
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: @escaping Handler
  ) -> HookDefinition {
    HookDefinition(.instead, name: name, priority: priority, when: conditions, handler)
  }

  /// A hook that prints the arguments of each call before it, and after it the result, behind an
  /// arrow, or the error that a method threw.
  ///
  /// - Parameters:
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are printed; all if not given.
  ///   - output: Receives each line; if not given, it is printed to standard output.
  /// - Returns: The hook, for any target.
  public static func printing(
    priority: Int = 0, when conditions: HookConditions = .always,
    to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> HookDefinition {
    HookDefinition([.before, .after], name: "printing", priority: priority, when: conditions) {
      call in
      if call.position == .before {
        output(call.argumentTexts.joined(separator: ", "))
      } else if let error = call.error {
        output("→ error \(error)")
      } else if let result = call.resultText {
        output("→ \(result)")
      }
    }
  }
}
