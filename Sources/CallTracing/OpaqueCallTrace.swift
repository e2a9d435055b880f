package import Invocations

/// Records calls of code whose signature is not known: when, where and how long, without arguments.
package final class OpaqueCallTrace: Sendable {
  private let tracer: Tracer
  private let code: TracedCode

  /// Traces the calls of some code; nil if the tracer's patterns leave it out.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls.
  ///   - address: The code.
  package init?(_ tracer: Tracer, codeAt address: UnsafeRawPointer?) {
    guard let interface = try? CallInterface.of("v@?") else { return nil }
    tracer.codes.forgetWhatWasUnloaded()
    code = unsafe tracer.codes.code(
      at: address, interface, hidden: 1, tracer.options, signature: "")
    guard code.isIncluded else { return nil }
    self.tracer = tracer
  }

  /// Records that a call begins, on the current thread.
  package func begin() -> OpaqueCall { tracer.begin(code) }

  /// Notes that it was left without an end.
  package func abandon(_ call: OpaqueCall) { tracer.abandon(call) }

  /// Records that it ends.
  package func end(_ call: OpaqueCall) { tracer.end(call, of: code) }
}
