public import BlockHooks
internal import BlockRuntimeSuggestions
internal import Invocations
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

  /// Hooks a method: a handler runs before, after or in place of it, for the class's instances and
  /// those of every loaded subclass that inherits it.
  ///
  /// Order, conditions, errors and tokens are those of hooks of blocks; see
  /// `Block.hook(_:name:priority:when:onError:_:)`. Argument 0 of a call is the receiver, 1 the
  /// first parameter. The hooks of a class are outside those that it inherits.
  ///
  /// - Parameters:
  ///   - method: The name with its labels, or the declaration.
  ///   - positions: The positions in which the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; 0 if not given.
  ///   - conditions: The calls that run the handler; all if not given.
  ///   - onError: Receives the errors that the handler throws. Writes to standard error if not
  ///     given.
  ///   - handler: Runs in each position, on the caller's thread.
  /// - Returns: The token that removes the hook. Dropping it does not.
  /// - Throws: As `method(_:)`; the method's `refusal`; `noExecutableMemory`, `protectedMemory`.
  ///
  /// ## Safety
  /// The method must not be declared `consuming`: such a method owns its receiver, which nothing in
  /// the program records.
  @unsafe
  @discardableResult
  public func hook(
    _ method: String, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(SwiftMethodError) -> Hook {
    try HookedSlots.install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler),
      on: self.method(method), of: metadata)
  }

  /// Hooks a method: a stored handler runs instead of it.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `hook(_:_:name:priority:when:onError:_:)`.
  ///
  /// ## Safety
  /// The method must not be declared `consuming`.
  @unsafe
  @_disfavoredOverload
  @discardableResult
  public func hook(
    _ method: String, _ handler: @escaping HookDefinition.Handler
  ) throws(SwiftMethodError) -> Hook {
    // SAFETY: the caller guarantees what the other function requires.
    unsafe try hook(method, .instead, handler)
  }

  /// The class's own hooks of a method, outermost first.
  ///
  /// - Parameter method: The name with its labels, or the declaration.
  /// - Returns: The hooks.
  /// - Throws: As `method(_:)`.
  public func hooks(of method: String) throws(SwiftMethodError) -> [Hook] {
    HookedSlots.hooks(of: try self.method(method), metadata)
  }
}
