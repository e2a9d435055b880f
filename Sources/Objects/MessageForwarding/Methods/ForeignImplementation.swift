internal import BlockABI
internal import Invocations
internal import TypeEncodings

/// A closure that is called with the frame of the call, as an implementation of any signature.
final class FrameImplementation: Implementation, @unchecked Sendable {
  private let signature: Result<MethodSignature, MessageError>
  private let body: @Sendable (inout CallFrame) throws -> Void

  init(
    _ signature: Result<MethodSignature, MessageError>,
    _ body: @escaping @Sendable (inout CallFrame) throws -> Void
  ) {
    self.signature = signature
    self.body = body
    super.init()
  }

  override func makeSignature() throws(MessageError) -> MethodSignature { try signature.get() }

  override func run(_ frame: inout CallFrame) throws { try body(&frame) }
}

/// A C function as an implementation: `IMP`.
final class FunctionImplementation: Implementation, @unchecked Sendable {
  private let function: CFunction

  init(_ function: CFunction) {
    self.function = function
    super.init()
  }

  override func makeSignature() throws(MessageError) -> MethodSignature { function.signature }

  override func makeInterface() throws(MessageError) -> CallInterface { function.interface }

  // SAFETY: the creator of the function guarantees that its code stays valid.
  override func code() throws(MessageError) -> UnsafeRawPointer { unsafe function.address }

  override func run(_ frame: inout CallFrame) throws {
    // SAFETY: the creator of the function guarantees its signature, which is the frame's.
    unsafe frame.call(function.address)
  }
}

/// A block as an implementation: `imp_implementationWithBlock`.
final class BlockImplementation: Implementation, @unchecked Sendable {
  /// The arguments of the method that are passed to the block.
  enum Parameters {
    /// The receiver, then the arguments after the selector.
    case receiverAndArguments
    /// The arguments after the selector.
    case arguments
  }

  let block: Block
  private let signature: Result<MethodSignature, MessageError>
  private let parameters: Parameters

  /// Creates the implementation.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - parameters: The arguments that are passed to the block.
  ///   - signature: The method's signature; if not given, it is derived from the block's.
  init(_ block: Block, _ parameters: Parameters, signature: MethodSignature? = nil) {
    self.block = block
    self.parameters = parameters
    self.signature = signature.map { .success($0) } ?? Self.signature(of: block)
    super.init()
  }

  private static func signature(of block: Block) -> Result<MethodSignature, MessageError> {
    Result { () throws(MessageError) in
      do throws(BlockError) {
        let own = try block.requireSignature()
        guard own.arguments.count > 1, own.arguments[1].encoding.kind == .object else {
          throw BlockError(
            .typeMismatch,
            "the first parameter of a method's block is the receiver, an object; this is \(own)"
          )
        }
        let arguments =
          [own.arguments[1].encoding, TypeEncoding(.primitive(.selector))]
          + own.arguments.dropFirst(2).map(\.encoding)
        return MethodSignature(result: own.result, arguments: arguments.map { .init($0) })
      } catch {
        throw MessageError(.invalidMethod, error.message, underlying: error)
      }
    }
  }

  override func makeSignature() throws(MessageError) -> MethodSignature { try signature.get() }

  override func run(_ frame: inout CallFrame) throws {
    let own = try block.callInterface
    let count = own.argumentCount - 1
    let indices =
      switch parameters {
      case .receiverAndArguments: [0] + Array(2..<(count + 1))
      case .arguments: Array(2..<(count + 2))
      }
    // SAFETY: the method's signature was derived from the block's, or they were compared; the frame
    // has the method's.
    unsafe frame.call(block, own, passing: indices)
  }
}

extension Implementation {
  /// An invalid method, whose messages throw the reason.
  static func invalid(_ message: String, _ selector: Selector) -> Implementation {
    invalid(MessageError(.invalidMethod, of: selector, message))
  }

  static func invalid(_ error: MessageError) -> Implementation {
    FrameImplementation(.failure(error)) { _ in }
  }
}
