internal import Invocations

/// The answer to an async message: an object whose `value` a task awaits.
///
/// ```swift
/// final class Weather: MessageReceiver, Sendable {
///   func degrees(_ city: String) async throws -> Double { 21 }
///   class var methods: MethodTable { MethodTable(Weather.self) { Method("degrees:", Weather.degrees) } }
/// }
/// let degrees: Double = try await Weather().send(async: "degrees:", "Rome")
/// ```
///
/// `send(async:)` sends a message and awaits its answer. To everything else, an async message is a
/// message whose answer is an object of this class: hooks may await and replace that answer;
/// proxies, delegates, recordings and invocations pass it on.
///
/// The method runs in the task that awaits the answer, and is cancelled with it. A message whose
/// answer is ignored, as where it is sent with `send` as a statement, or later by a timer, runs the
/// method in a task of its own, and reports its error on standard error, or to `onError` of the
/// delayed message. The method does not run if the answer is taken as an object and not awaited: by
/// `returning: AsyncAnswer<Double>.self`, by `send(_:values:)`, or as the result of an invocation.
///
/// The corresponding methods of Objective-C have a completion handler.
public final class AsyncAnswer<Outcome: Sendable>: Sendable {
  private let body: @Sendable () async throws -> Outcome

  /// Creates an answer.
  ///
  /// - Parameter body: Computes the answer; runs once for each time that the answer is awaited.
  public init(_ body: @escaping @Sendable () async throws -> Outcome) { self.body = body }

  /// The answer, for which the method runs now.
  ///
  /// - Throws: What the method throws.
  public var value: Outcome { get async throws { try await body() } }
}
