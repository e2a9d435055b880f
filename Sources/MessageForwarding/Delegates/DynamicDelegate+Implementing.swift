public import BlockABI
public import Invocations
internal import TypeEncodings

extension DynamicDelegate {
  /// Has a block answer a message, in the place of the method that did.
  ///
  /// The block gets the message's arguments, without receiver and selector. Its types are compared with
  /// the protocol's by `TypeEncoding.isCompatible(with:)`, now and not at the first message.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - block: The block, which must be safe to call from every thread that sends. A stack block is
  ///     copied.
  ///   - options: What else the method may be.
  /// - Returns: The token that removes it.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod` if the block
  ///   has no signature, or one that is undeclared does not fit the name's colons.
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

  /// Has a block answer a message, or nothing if there is none: `-implementMethod:withBlock:`.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - block: The block; nil removes what answers the message now.
  ///   - options: What else the method may be.
  /// - Returns: The token that removes it; nil if there is no block.
  /// - Throws: As for a block.
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

  /// Has a `@convention(block)` value answer a message.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - value: The value.
  ///   - options: What else the method may be.
  /// - Returns: The token that removes it.
  /// - Throws: As for a block; `invalidMethod` if the value is none.
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
    MessageError(
      .invalidMethod, "`\(selector)`: \(error.message)", selector: selector, underlying: error)
  }

  /// Removes the method that answers a message: the real delegate gets it then.
  ///
  /// - Parameter selector: The message.
  /// - Returns: Whether there was one.
  @discardableResult
  public func removeMethod(_ selector: Selector) -> Bool {
    ownMethods.remove(nil, selector) != nil
  }

  /// Removes all methods implemented here.
  public func removeAllMethods() {
    for selector in ownMethods.ownSelectors { removeMethod(selector) }
  }

  /// The method that is implemented here for a message: `-blockImplementationForMethod:`.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The method, with its block; nil if there is none.
  public func implementation(for selector: Selector) -> DelegateMethod? {
    guard let own = ownMethods.ownImplementation(selector),
      let signature = try? own.interface.signature
    else { return nil }
    return DelegateMethod(self, own, selector, signature)
  }

  /// The messages that are implemented here, in alphabetical order.
  public var implementedSelectors: [Selector] {
    ownMethods.ownSelectors.sorted { $0.name < $1.name }
  }

  /// Has an implementation answer a message, if its signature fits.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - own: The signature, as that of a method.
  ///   - kind: What it is, for the differences.
  ///   - options: What else it may be.
  ///   - make: Makes it; gets the method's signature, and whether it takes fewer arguments.
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

  /// The signature of a method to come: the protocol's, which its own must fit.
  private func signature(
    of selector: Selector, _ own: MethodSignature, _ kind: String, _ options: ImplementOptions
  ) throws(MessageError) -> MethodSignature {
    if let declared = try declaration(of: selector)?.signature {
      let differences = own.differences(
        fromMethod: declared, kind, allowingPrefix: options.contains(.prefix))
      guard differences.isEmpty else {
        throw MessageError(
          .typeMismatch, "`\(selector)`: \(differences.joined(separator: "; "))", selector: selector
        )
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
    guard own.arguments.count == selector.argumentCount + 2 else {
      throw MessageError(
        .invalidMethod,
        "`\(selector)`: the name has \(selector.argumentCount) colons, the \(kind) takes "
          + "\(own.arguments.count - 2) arguments; a selector has one for each", selector: selector)
    }
    if let hooked = try InstanceMethods.existing(selector, of: self)?.interface.signature,
      hooked.withoutFrameOffsets() != own.withoutFrameOffsets()
    {
      throw MessageError(
        .typeMismatch,
        "\(selector) is or was hooked as \(hooked), the \(kind) makes it \(own)", selector: selector
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

  /// What keeps this method's signature from standing for another.
  ///
  /// - Parameters:
  ///   - declared: The other, which a protocol gives.
  ///   - kind: What this signature belongs to.
  ///   - allowsPrefix: Whether it may take fewer arguments.
  /// - Returns: The differences in words.
  func differences(
    fromMethod declared: MethodSignature, _ kind: String, allowingPrefix allowsPrefix: Bool
  ) -> [String] {
    var declared = declared.withoutFrameOffsets()
    let (count, given) = (arguments.count - 2, declared.arguments.count - 2)
    if allowsPrefix, count < given { declared.arguments.removeLast(given - count) }
    var texts = differences(from: declared, ours: kind, theirs: "protocol").map {
      // Receiver and selector, which the one does not take, are not counted.
      $0.position != .argumentCount
        ? $0.description
        : "argument count: \(kind) takes \(count), protocol gives \(given)"
          + (count < given ? "; with .prefix it may take fewer" : "")
    }
    let pairs = zip(arguments, declared.arguments).map { ($0.encoding, $1.encoding) }
    for (place, (own, theirs)) in ([(result, declared.result)] + pairs).enumerated() {
      // Values of Swift types travel as objects, which all fit each other.
      guard let type = own.swiftValueTypeName, let other = theirs.swiftValueTypeName, type != other
      else { continue }
      texts.append(
        (place == 0 ? "result" : "argument \(place - 1)")
          + ": \(kind) has \(type), protocol has \(other)")
    }
    return texts
  }
}
