public import BlockABI
public import Invocations
internal import TypeEncodings

/// Exceptions from a protocol's declaration that a method of a delegate may make.
public struct ImplementOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The method may take fewer arguments than the message has: it is called with the first ones.
  public static let prefix = ImplementOptions(rawValue: 1)

  /// The message may be one that the protocol does not declare: it has the method's own signature.
  public static let undeclared = ImplementOptions(rawValue: 2)
}

extension DynamicDelegate {
  /// Implements a message by a block, which replaces the message's previous method.
  ///
  /// The block is called with the message's arguments, without receiver and selector. Its types are
  /// compared with the protocol's by `TypeEncoding.isCompatible(with:)` in this call, not at the
  /// first message.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - block: The block, which must be safe to call from every thread that sends. A stack block
  ///     is copied.
  ///   - options: Exceptions from the protocol's declaration.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod` if the
  ///   block has no signature, or its arguments do not fit the colons of an undeclared name.
  @discardableResult
  public func implement(
    _ selector: Selector, with block: Block, options: ImplementOptions = []
  ) throws(MessageError) -> DelegateMethod {
    let block = block.copied()
    let own: MethodSignature
    do throws(BlockError) { own = try block.requireSignature() } catch {
      throw Self.refused(error, selector)
    }
    let types = own.arguments.dropFirst().map(\.encoding)
    let method = MethodSignature(
      result: own.result, arguments: (MethodSignature.hidden + types).map { .init($0) })
    return try implement(selector, method, "block", options) { signature, _ in
      BlockImplementation(block, .arguments, signature: signature)
    }
  }

  /// Implements a message by a block, or removes its method if the block is nil:
  /// `-implementMethod:withBlock:`.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - block: The block; nil removes the message's method.
  ///   - options: Exceptions from the protocol's declaration.
  /// - Returns: The token that removes the method; nil if there is no block.
  /// - Throws: The errors of `implement(_:with:options:)` with a block.
  @_disfavoredOverload
  @discardableResult
  public func implement(
    _ selector: Selector, with block: Block?, options: ImplementOptions = []
  ) throws(MessageError) -> DelegateMethod? {
    guard let block else {
      removeMethod(selector)
      return nil
    }
    return try implement(selector, with: block, options: options) as DelegateMethod
  }

  /// Implements a message by a `@convention(block)` value.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - value: The value.
  ///   - options: Exceptions from the protocol's declaration.
  /// - Returns: The token that removes the method.
  /// - Throws: The errors of `implement(_:with:options:)` with a `Block`; `invalidMethod` if the
  ///   value is not a block.
  @_disfavoredOverload
  @_transparent
  @discardableResult
  public func implement<Value>(
    _ selector: Selector, with value: borrowing Value, options: ImplementOptions = []
  ) throws(MessageError) -> DelegateMethod {
    let block: Block
    do throws(BlockError) { block = try Block(value) } catch {
      throw DynamicDelegate.refused(error, selector)
    }
    return try implement(selector, with: block, options: options)
  }

  @usableFromInline
  static func refused(_ error: BlockError, _ selector: Selector) -> MessageError {
    MessageError(.invalidMethod, of: selector, error.message, underlying: error)
  }

  /// Removes the method of a message, which is then forwarded to the real delegate.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether there was a method.
  @discardableResult
  public func removeMethod(_ selector: Selector) -> Bool {
    ownMethods.remove(nil, selector) != nil
  }

  /// Removes all methods that are implemented on the delegate.
  public func removeAllMethods() {
    for selector in ownMethods.ownSelectors { removeMethod(selector) }
  }

  /// The method that is implemented on the delegate for a message:
  /// `-blockImplementationForMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The method, with its block; nil if there is none.
  public func implementation(for selector: Selector) -> DelegateMethod? {
    guard let own = ownMethods.ownImplementation(selector),
      let signature = try? own.interface.signature
    else { return nil }
    return DelegateMethod(self, own, selector, signature)
  }

  /// The messages that are implemented on the delegate, in alphabetical order.
  public var implementedSelectors: [Selector] {
    ownMethods.ownSelectors.sorted { $0.name < $1.name }
  }

  /// Implements a message by an implementation whose signature fits.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - own: The signature of the block or closure, as that of a method.
  ///   - kind: The word for the block or closure in error messages.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - make: Creates the implementation; called with the method's signature, and whether the
  ///     block or closure takes fewer arguments.
  /// - Returns: The token.
  /// - Throws: `undeclaredSelector`, `typeMismatch`, `invalidMethod`, `unsupportedType`.
  func implement(
    _ selector: Selector, _ own: MethodSignature, _ kind: String, _ options: ImplementOptions,
    _ make: (MethodSignature, _ isPrefix: Bool) -> Implementation
  ) throws(MessageError) -> DelegateMethod {
    let signature = try signature(of: selector, own, kind, options)
    let implementation = make(signature, own.arguments.count < signature.arguments.count)
    _ = try implementation.interface
    ownMethods.set(implementation, selector, replacing: true)
    return DelegateMethod(self, implementation, selector, signature)
  }

  /// The signature of a method that is being implemented: the protocol's, with which its own must
  /// be compatible, or its own if the protocol declares none.
  private func signature(
    of selector: Selector, _ own: MethodSignature, _ kind: String, _ options: ImplementOptions
  ) throws(MessageError) -> MethodSignature {
    if let declared = try declaration(of: selector)?.signature {
      let differences = own.differences(
        fromMethod: declared, kind, allowingPrefix: options.contains(.prefix))
      guard differences.isEmpty else {
        throw MessageError(.typeMismatch, of: selector, differences.joined(separator: "; "))
      }
      return declared
    }
    guard options.contains(.undeclared) else {
      let hint = nearestDeclared(to: selector)().map { ", did you mean \($0)?" } ?? ""
      throw MessageError(
        .undeclaredSelector,
        "\(messageProtocol) declares no \(isClassReceiver ? "class " : "")method \(selector); declare "
          + "it, implement it as .undeclared\(hint.isEmpty ? "" : " or")\(hint)", selector: selector
      )
    }
    if let error = selector.mismatch(own.arguments.count - 2, takenBy: "the \(kind)") {
      throw error
    }
    let hooks = InstanceMethods.existing(of: self)?.methodHooks(existing: selector)
    if let hooked = hooks?.framedSignature,
      hooked.withoutFrameOffsets() != own.withoutFrameOffsets()
    {
      throw MessageError(
        .typeMismatch,
        "\(selector) is hooked as \(hooked), the \(kind) makes it \(own)", selector: selector
      )
    }
    return own
  }
}

extension MethodSignature {
  /// The types of a method's receiver and selector.
  static var hidden: [TypeEncoding] {
    [TypeEncoding(.object(className: nil)), TypeEncoding(.primitive(.selector))]
  }

  /// Compares a method's signature with the one that a protocol declares.
  ///
  /// - Parameters:
  ///   - declared: The declared signature.
  ///   - kind: The word for the owner of this signature in error messages.
  ///   - allowsPrefix: Whether this signature may have fewer arguments.
  /// - Returns: The incompatible differences in words.
  func differences(
    fromMethod declared: MethodSignature, _ kind: String, allowingPrefix allowsPrefix: Bool
  ) -> [String] {
    var declared = declared.withoutFrameOffsets()
    let (count, given) = (arguments.count - 2, declared.arguments.count - 2)
    if allowsPrefix, count < given { declared.arguments.removeLast(given - count) }
    var texts = differences(from: declared, ours: kind, theirs: "protocol").map {
      // The numbers in the text do not count receiver and selector.
      $0.position != .argumentCount
        ? $0.description
        : "argument count: \(kind) takes \(count), protocol gives \(given)"
          + (count < given ? "; with .prefix it may take fewer" : "")
    }
    let pairs = zip(arguments, declared.arguments).map { ($0.encoding, $1.encoding) }
    for (place, (own, theirs)) in ([(result, declared.result)] + pairs).enumerated() {
      // Values of Swift types are passed as objects, whose encodings are all compatible.
      guard let type = own.swiftValueTypeName, let other = theirs.swiftValueTypeName, type != other
      else { continue }
      texts.append(
        (place == 0 ? "result" : "argument \(place - 1)")
          + ": \(kind) has \(type), protocol has \(other)")
    }
    return texts
  }
}
