internal import BlockABI
internal import Invocations
internal import TypeEncodings

/// A closure that gets the call's frame, as an implementation of any signature.
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

  override func code() throws(MessageError) -> UnsafeRawPointer { unsafe function.address }

  override func run(_ frame: inout CallFrame) throws {
    // SAFETY: whoever made the function vouched for its signature, which is the frame's.
    unsafe frame.call(function.address)
  }
}

/// A block as an implementation: `imp_implementationWithBlock`.
final class BlockImplementation: Implementation, @unchecked Sendable {
  /// Which of the method's arguments the block gets, as its parameters.
  enum Parameters {
    /// The receiver, then those behind the selector.
    case receiverAndArguments
    /// Those behind the selector.
    case arguments
  }

  let block: Block
  private let signature: Result<MethodSignature, MessageError>
  private let parameters: Parameters

  /// - Parameters:
  ///   - block: The block.
  ///   - parameters: What it gets.
  ///   - signature: The method's signature; if not given, what the block's says.
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
            "the block of a method takes the receiver, an object, as its first parameter: it is \(own)"
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
    // SAFETY: the signatures were derived from each other, or compared.
    unsafe frame.call(block, own, passing: indices)
  }
}

extension Implementation {
  /// A method that could not be made: whoever sends its message learns why.
  static func invalid(_ message: String, _ selector: Selector) -> Implementation {
    FrameImplementation(
      .failure(MessageError(.invalidMethod, "`\(selector)`: \(message)", selector: selector))
    ) { _ in }
  }
}
