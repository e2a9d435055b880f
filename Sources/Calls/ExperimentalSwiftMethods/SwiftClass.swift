internal import BlockRuntimeSuggestions
internal import LoadedClasses

/// An experiment: a Swift class whose methods can be hooked in the table through which Swift calls
/// them.
///
/// The module's page lists which calls and methods these are. Calls of final methods, and calls
/// whose target the optimiser knows, do not use the table.
public struct SwiftClass: Sendable {
  /// The methods in the class's table that have a symbol, inherited ones first.
  public let methods: [SwiftMethod]

  private let metadata: ClassMetadata

  /// Finds the methods of a class.
  ///
  /// - Parameter type: The class, such as `Page.self`.
  /// - Throws: `unsupportedClass` for a generic class.
  public init(_ type: AnyClass) throws(SwiftMethodError) {
    metadata = ClassMetadata(type)
    guard let descriptor = metadata.descriptor, !descriptor.isGeneric else {
      throw SwiftMethodError(
        .unsupportedClass,
        "\(metadata.name) is generic, or was made at run time: its methods' types are not known; "
          + "hook those of a subclass or superclass that is not")
    }
    methods = metadata.lineage.compactMap(\.descriptor).reversed().flatMap {
      SwiftMethod.methods(declaredBy: $0)
    }
  }

  /// Finds a method by its name.
  ///
  /// - Parameter name: The name with its labels, such as `didLoad(count:)` or `title.getter`, or
  ///   the whole declaration, which distinguishes overloaded methods.
  /// - Returns: The method, even if it cannot be hooked.
  /// - Throws: `noSuchMethod`, `ambiguousMethod`, `noSymbol`.
  public func method(_ name: String) throws(SwiftMethodError) -> SwiftMethod {
    let found = methods.filter { $0.name == name || $0.declaration == name }
    guard found.count < 2 else {
      throw SwiftMethodError(
        .ambiguousMethod,
        "\(name) is the name of \(found.count) methods; choose by declaration: "
          + found.map(\.declaration).joined(separator: ", "))
    }
    if let method = found.first { return method }
    guard !methods.isEmpty else {
      throw SwiftMethodError(
        .noSymbol,
        "\(metadata.name) has no methods that can be found: all are final, or the program "
          + "is stripped; keep its symbols")
    }
    let hint = Suggestion.nearest(to: name, in: methods.map(\.name))
    throw SwiftMethodError(
      .noSuchMethod,
      "\(metadata.name) has no method \(name) in its table, which lacks final ones"
        + (hint.map { "; did you mean \($0)?" } ?? ""))
  }

  /// A method, to be hooked for the class's instances and those of every loaded subclass that
  /// inherits it.
  ///
  /// - Parameter method: The name with its labels, or the declaration.
  /// - Returns: The target.
  /// - Throws: As `method(_:)`.
  ///
  /// ## Safety
  /// The method must not be declared `consuming`: such a method owns its receiver, which nothing in
  /// the program records.
  @unsafe
  public func target(_ method: String) throws(SwiftMethodError) -> SwiftMethodTarget {
    SwiftMethodTarget(method: try self.method(method), owner: metadata)
  }
}
