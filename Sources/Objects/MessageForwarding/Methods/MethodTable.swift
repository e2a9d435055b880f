/// The methods of one class, without those that it inherits.
///
/// ```swift
/// class Page: MessageReceiver {
///   var title = ""
///   func didLoad(_ count: Int32) {}
///   class var methods: MethodTable {
///     MethodTable(Page.self) {
///       Method("didLoad:", Page.didLoad)
///       Method.property("title", \Page.title)
///     }
///   }
/// }
/// ```
///
/// A class's table is read when messages first use the class, and not again later.
public struct MethodTable: Sendable {
  let owner: AnyClass

  /// The methods in the order of the list.
  public let methods: [Method]

  /// Creates the table of a class.
  ///
  /// - Parameters:
  ///   - owner: The class that declares the table, by its name: `Self.self` would make a copy of
  ///     the table for each subclass. A subclass that declares no table inherits it.
  ///   - methods: The methods; of several with the same selector the last is used. Without a list,
  ///     the class has no methods of its own.
  public init(
    _ owner: any MessageReceiver.Type, @MethodList _ methods: () -> [Method] = { [] }
  ) {
    self.owner = owner
    self.methods = methods()
  }

  /// Checks that all methods are valid.
  ///
  /// - Throws: The error of the first invalid method.
  public func validate() throws(MessageError) {
    for method in methods { _ = try method.implementation.interface }
  }
}

/// Collects the methods of a list, such as that of a `MethodTable`.
@resultBuilder
public enum MethodList {
  /// One method.
  public static func buildExpression(_ method: Method) -> [Method] { [method] }

  /// Several methods, such as a property's.
  public static func buildExpression(_ methods: [Method]) -> [Method] { methods }

  /// All methods of a list.
  public static func buildBlock(_ methods: [Method]...) -> [Method] { methods.flatMap { $0 } }

  /// The methods of a loop.
  public static func buildArray(_ methods: [[Method]]) -> [Method] { methods.flatMap { $0 } }

  /// The methods of an `if` without an `else`.
  public static func buildOptional(_ methods: [Method]?) -> [Method] { methods ?? [] }

  /// The methods of an `if` with an `else`.
  public static func buildEither(first methods: [Method]) -> [Method] { methods }

  /// The methods of an `else`.
  public static func buildEither(second methods: [Method]) -> [Method] { methods }
}
