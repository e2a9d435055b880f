package import Invocations

/// Finds the code of hooked calls, and remembers its names.
///
/// While a hook is installed, its code stays loaded: `forgetWhatWasUnloaded()` must be called
/// before each installation of the hook.
package final class CalledCodes: Sendable {
  private let codes = TracedCodes(nil)
  private let options = TraceOptions()

  /// Creates an empty table.
  package init() {}

  /// Forgets all names if any code was unloaded, because other code may be at the same addresses.
  package func forgetWhatWasUnloaded() { codes.forgetWhatWasUnloaded() }

  /// The code that a call reaches if every hook proceeds, and its name in other systems.
  ///
  /// - Parameter call: The call.
  /// - Returns: The code, and a name of few different values: the class and the selector of a
  ///   method, the short name of a function, the signature of code without a name.
  package func code(of call: borrowing CallFrame) -> (name: String, subject: TraceSubject) {
    let subject = codes.code(of: call, options).recorded.subject
    return (Self.methodName(of: call) ?? subject.shortName ?? subject.title, subject)
  }

  /// The class of the receiver, and the selector; nil for calls of other code than methods.
  private static func methodName(of call: borrowing CallFrame) -> String? {
    guard call.hiddenArgumentCount == 2,
      let selector = try? call.argument(1, as: Selector.self)
    else { return nil }
    guard let receiver = try? call.argument(0, as: AnyObject.self) else { return selector.name }
    return "\(type(of: receiver)).\(selector.name)"
  }
}
