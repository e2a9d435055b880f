public import Invocations
internal import ObjectLifetimes

/// A protocol described at run time: the messages that a delegate answers, with their signatures.
///
/// ```swift
/// let pages = try MessageProtocol("PageDelegate", [
///   .required("page:didLoad:", signature: "v@:@i"),
///   .optional("pageShouldClose:", taking: Page.self, returning: Bool.self),
/// ])
/// ```
///
/// A protocol is immutable, and inherits only from protocols that were created before: there are no
/// cycles. Two protocols may have the same name.
///
/// The corresponding Objective-C type is `Protocol`; the initialiser corresponds to
/// `protocol_addMethodDescription`, `protocol_addProtocol` and `objc_registerProtocol`.
public final class MessageProtocol: Sendable {
  /// The name: `protocol_getName`.
  public let name: String

  /// The protocols from which it inherits methods: `protocol_copyProtocolList`.
  public let inherited: [MessageProtocol]

  /// The methods that it declares itself, in order: `protocol_copyMethodDescriptionList`.
  public let ownMethods: [MethodDescription]

  private struct Name: Hashable {
    let selector: Selector
    let isClassMethod: Bool
  }

  private let own: [Name: MethodDescription]
  private let depth: Int

  /// The most levels: protocols release those from which they inherit, each level on the stack.
  private static let depthLimit = 100

  /// The key by which objects store their delegate for this protocol.
  let delegateKey: AssociationKey<DynamicDelegate>

  /// Creates a protocol.
  ///
  /// - Parameters:
  ///   - name: The name, for error messages.
  ///   - inherited: The protocols from which it inherits methods.
  ///   - methods: The methods.
  /// - Throws: `invalidProtocol` if two methods have the same name, if inheritance is too deep, or
  ///   if a method's signature is invalid or does not fit the name's colons; `underlyingError` is
  ///   then the error of the signature.
  public init(
    _ name: String, inheriting inherited: [MessageProtocol] = [], _ methods: [MethodDescription]
  ) throws(MessageError) {
    depth = 1 + (inherited.map(\.depth).max() ?? 0)
    guard depth <= Self.depthLimit else {
      throw MessageError(
        .invalidProtocol,
        "\(name) inherits through \(depth) protocols, more than the \(Self.depthLimit) allowed")
    }
    var own: [Name: MethodDescription] = [:]
    for method in methods {
      do {
        _ = try CallInterface.cached(for: method.checkedSignature.get())
      } catch {
        let message = (error as? MessageError)?.message ?? "\(method.selector): \(error)"
        throw MessageError(
          .invalidProtocol, "\(name): \(message)", selector: method.selector, underlying: error)
      }
      let key = Name(selector: method.selector, isClassMethod: method.isClassMethod)
      guard own.updateValue(method, forKey: key) == nil else {
        throw MessageError(
          .invalidProtocol, "\(name) declares \(method) twice; leave one out",
          selector: method.selector)
      }
    }
    self.name = name
    delegateKey = AssociationKey("delegate of \(name)")
    self.inherited = inherited
    self.own = own
    ownMethods = methods
  }

  /// Finds an own or inherited method by its name: `protocol_getMethodDescription`.
  ///
  /// If several protocols declare the method, a required declaration is preferred to an optional
  /// one; of several, the protocol's own is preferred to the inherited ones, and these count in
  /// their order.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - isClassMethod: Whether to find a class method.
  /// - Returns: The method; nil if no protocol declares it.
  public func method(
    _ selector: Selector, ofClass isClassMethod: Bool = false
  ) -> MethodDescription? {
    let name = Name(selector: selector, isClassMethod: isClassMethod)
    let found = lineage.compactMap { $0.own[name] }
    return found.first(where: \.isRequired) ?? found.first
  }

  /// All methods, own and inherited, each name once.
  public var allMethods: [MethodDescription] {
    var seen: Set<Name> = []
    return lineage.flatMap(\.ownMethods).filter {
      seen.insert(Name(selector: $0.selector, isClassMethod: $0.isClassMethod)).inserted
    }.compactMap { method($0.selector, ofClass: $0.isClassMethod) }
  }

  /// Whether this protocol conforms to another: `protocol_conformsToProtocol`.
  ///
  /// - Parameter other: The other protocol.
  /// - Returns: Whether it is this protocol, or one from which this protocol inherits.
  public func conforms(to other: MessageProtocol) -> Bool { lineage.contains { $0 === other } }

  /// The protocol and all from which it inherits, each once.
  private var lineage: [MessageProtocol] {
    var seen: Set<ObjectIdentifier> = []
    var found: [MessageProtocol] = []
    var open = [self]
    while let next = open.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
      found.append(next)
      open += next.inherited.reversed()
    }
    return found
  }
}

extension MessageProtocol: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
