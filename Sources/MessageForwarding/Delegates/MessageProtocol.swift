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
/// It never changes, and inherits from protocols that were there before: there are no cycles. Two
/// protocols of one name are two.
///
/// The corresponding Objective-C type is `Protocol`; `protocol_addMethodDescription`,
/// `protocol_addProtocol` and `objc_registerProtocol` are the initialiser.
public final class MessageProtocol: Sendable {
  /// The name: `protocol_getName`.
  public let name: String

  /// The protocols whose methods it has too: `protocol_copyProtocolList`.
  public let inherited: [MessageProtocol]

  /// The methods that it declares itself, in order: `protocol_copyMethodDescriptionList`.
  public let ownMethods: [MethodDescription]

  private struct Name: Hashable {
    let selector: Selector
    let isClassMethod: Bool
  }

  private let own: [Name: MethodDescription]
  private let depth: Int
  private static let depthLimit = 100

  /// Under which objects have their delegate for this protocol.
  let delegateKey: AssociationKey<DynamicDelegate>

  /// Describes a protocol.
  ///
  /// - Parameters:
  ///   - name: The name, for messages of errors.
  ///   - inherited: The protocols whose methods it has too.
  ///   - methods: The methods.
  /// - Throws: `invalidProtocol` if two methods have the same name, or one has a signature that is
  ///   none, or does not fit the name's colons; `underlyingError` is then that error.
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
        _ = try CallInterface.cached(for: method.result.get())
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

  /// Finds a method by its name, inherited ones too: `protocol_getMethodDescription`.
  ///
  /// Where several protocols declare it, one that requires it comes before one that does not; else
  /// the protocol's own, then those that it inherits, in their order.
  ///
  /// - Parameters:
  ///   - selector: The name.
  ///   - isClassMethod: Whether a method of classes is meant.
  /// - Returns: Nil if no protocol declares it.
  public func method(
    _ selector: Selector, ofClass isClassMethod: Bool = false
  ) -> MethodDescription? {
    let name = Name(selector: selector, isClassMethod: isClassMethod)
    let found = lineage.compactMap { $0.own[name] }
    return found.first(where: \.isRequired) ?? found.first
  }

  /// All methods, inherited ones too, each name once.
  public var allMethods: [MethodDescription] {
    var seen: Set<Name> = []
    return lineage.flatMap(\.ownMethods).filter {
      seen.insert(Name(selector: $0.selector, isClassMethod: $0.isClassMethod)).inserted
    }.compactMap { method($0.selector, ofClass: $0.isClassMethod) }
  }

  /// Whether who conforms to this protocol conforms to another: `protocol_conformsToProtocol`.
  ///
  /// - Parameter other: The other protocol.
  /// - Returns: Whether it is this protocol, or one that it inherits from.
  public func conforms(to other: MessageProtocol) -> Bool { lineage.contains { $0 === other } }

  /// The protocol and all that it inherits from, each once.
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
