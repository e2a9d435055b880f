#if Metrics || Everything
internal import BlockHooks
internal import CallTracing
internal import Invocations
internal import Metrics

/// Times hooked calls by the name of their code.
final class CallTimers: Sendable {
  private final class CallMetrics: Sendable {
    let duration: Timer
    let errors: Counter

    init(_ label: String, _ dimensions: [(String, String)], _ factory: any MetricsFactory) {
      duration = Timer(label: "\(label)_duration", dimensions: dimensions, factory: factory)
      errors = Counter(label: "\(label)_errors", dimensions: dimensions, factory: factory)
    }
  }

  private let name: String?
  let codes = CalledCodes()
  private let metrics: NamedMetrics<CallMetrics>

  init(
    _ name: String?, _ label: String, _ dimensions: [(String, String)],
    _ factory: (any MetricsFactory)?
  ) {
    self.name = name
    metrics = NamedMetrics { name in
      CallMetrics(
        label, [("code", name)] + dimensions, factory ?? MetricsSystem.factory)
    }
  }

  /// Times a call.
  ///
  /// - Throws: The errors of proceeding.
  func run(_ call: inout CallFrame) throws {
    let metrics = metrics[name ?? codes.code(of: call).name]
    let start = ClockReading.monotonic.nanoseconds
    func end() {
      metrics.duration.recordNanoseconds(ClockReading.monotonic.nanoseconds &- start)
    }
    do { try call.proceedAsItIs(byFormat: true) } catch {
      end()
      metrics.errors.increment()
      throw error
    }
    if call.goesOn { return call.runAtEnd { _ in end() } }
    end()
    if call.error != nil { metrics.errors.increment() }
  }
}
#endif
