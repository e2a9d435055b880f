import Invocations
import TypeEncodings

/// What makes calls and code for call interfaces.
///
/// A new engine is covered by naming it here and saying how it calls and how it is called.
enum Engine: String, CaseIterable {
  case libffi

  /// Calls a function.
  ///
  /// ## Safety
  /// As for `CallInterface.call`.
  @unsafe
  func call(
    _ function: UnsafeRawPointer, _ interface: CallInterface,
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) {
    switch self {
    case .libffi: unsafe interface.call(function, arguments, result)
    }
  }

  /// Makes code that hands its calls to a receiver, which must own it.
  func makeCode(
    _ interface: CallInterface, receiver: any CallReceiver
  ) throws -> ExecutableClosure {
    switch self {
    case .libffi: try ExecutableClosure(interface, receiver: receiver)
    }
  }
}

/// A receiver that passes calls on to a function, through the same engine.
@safe
final class ForwardingReceiver: CallReceiver {
  private let engine: Engine
  private let interface: CallInterface
  private let function: UnsafeRawPointer
  private(set) var closure: ExecutableClosure?

  /// Makes code of the interface's signature.
  ///
  /// ## Safety
  /// There must be a function of that signature at the address.
  @unsafe
  init(_ engine: Engine, _ interface: CallInterface, to function: UnsafeRawPointer) throws {
    self.engine = engine
    self.interface = interface
    unsafe self.function = unsafe function
    closure = try engine.makeCode(interface, receiver: self)
  }

  @unsafe
  func receive(
    _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ result: UnsafeMutableRawPointer
  ) -> AnyObject? {
    unsafe engine.call(function, interface, arguments, result)
    return nil
  }
}
