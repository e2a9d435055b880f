#if Spans || Everything
public import BlockHooks
internal import CallTracing
public import Invocations
internal import SymbolInterposing
public import Tracing

/// The values of calls that spans have as attributes; none by default, as values may be secrets.
public struct SpanValues: OptionSet, Hashable, Sendable {
  /// The values as bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The arguments that callers write, as text: `blockruntime.argument.1`, by their indices.
  public static let arguments = SpanValues(rawValue: 1)

  /// The result, as text: `blockruntime.result`.
  public static let result = SpanValues(rawValue: 2)
}

extension HookDefinition {
  /// A hook that makes each call a span: of a block, an imported function or a method.
  ///
  /// The span is started before the call and ended after it, and its context is current inside of
  /// the call, so that spans which are started there are its children, save inside of a variadic
  /// call whose arguments no known format names: its span has no children. If a method throws, the
  /// span records the error, and its status is `error`. The span's attributes are
  /// `code.function.name`, `blockruntime.image` (the path of the program or library that holds the
  /// code) and `blockruntime.queue` (the label of the queue of libdispatch that runs the call),
  /// where they are known.
  ///
  /// What the tracer calls in an imported function's hook passes no hooks.
  ///
  /// - Parameters:
  ///   - name: The span's name; if not given, the short name of the called code, such as
  ///     `Cart.add › closure #1`, `getenv`, or `Page.load:` for a method.
  ///   - kind: The span's kind; internal if not given.
  ///   - values: The values of the call that the span has as attributes, as text; none if not
  ///     given.
  ///   - tracer: Starts the spans; if not given, the tracer that is bootstrapped at the time of the
  ///     call.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are spans; all if not given.
  ///   - prepare: Is called with the span before the call, and may add attributes. What it throws
  ///     is passed to the hook's `onError`, and the call is made.
  /// - Returns: The hook, for any target.
  public static func span(
    _ name: String? = nil, ofKind kind: SpanKind = .internal, recording values: SpanValues = [],
    tracer: (any Tracing.Tracer)? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    preparing prepare: (@Sendable (_ span: any Span, _ call: borrowing CallFrame) throws -> Void)? =
      nil
  ) -> HookDefinition {
    let spans = CallSpans(name, kind, values, tracer, prepare)
    var definition = HookDefinition(
      .instead, name: name ?? "span", priority: priority, when: conditions
    ) { call in try spans.run(&call) }
    definition.prepare = { _, _ in spans.codes.forgetWhatWasUnloaded() }
    return definition
  }
}
#endif
