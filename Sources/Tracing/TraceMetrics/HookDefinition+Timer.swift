#if Metrics || Everything
public import BlockHooks
internal import CallTracing
public import Metrics

extension HookDefinition {
  /// A hook that times each call: of a block, an imported function or a method.
  ///
  /// The duration is recorded by a timer, `call_duration`, and if a method throws, a counter,
  /// `call_errors`, is incremented. Both have a dimension `code`: the name of the called code. At
  /// most 1,000 names are told apart by one such hook, however often it is installed; later ones
  /// are `other`, so that the number of metrics is bounded.
  ///
  /// - Parameters:
  ///   - name: The value of the dimension `code`; if not given, the short name of the called code,
  ///     such as `Cart.add › closure #1`, `getenv`, or `Page.load:` for a method.
  ///   - label: What the labels of the metrics begin with; `call` if not given.
  ///   - dimensions: Further dimensions of the metrics.
  ///   - factory: Makes the metrics; if not given, the factory that is bootstrapped at the time of
  ///     the first call of each code.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are timed; all if not given.
  /// - Returns: The hook, for any target.
  public static func timer(
    _ name: String? = nil, label: String = "call", dimensions: [(String, String)] = [],
    factory: (any MetricsFactory)? = nil, priority: Int = 0,
    when conditions: HookConditions = .always
  ) -> HookDefinition {
    let timers = CallTimers(name, label, dimensions, factory)
    var definition = HookDefinition(
      .instead, name: name ?? "timer", priority: priority, when: conditions
    ) { call in try timers.run(&call) }
    definition.prepare = { _, _ in timers.codes.forgetWhatWasUnloaded() }
    return definition
  }
}
#endif
