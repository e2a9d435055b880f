public import BlockHooks
internal import BlockRuntimeSpelling
public import Invocations

/// An experiment: a Swift class whose methods can be hooked where Swift calls them by the class's
/// table.
///
/// Which calls these are, and which methods, the module's page says. Final methods, and calls whose
/// target the optimiser knows, do not go through the table.
public struct SwiftClass: Sendable {
  /// All methods of the class's table that have a symbol, inherited ones first.
  public let methods: [SwiftMethod]

  private let metadata: ClassMetadata

  /// Looks at a class.
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
  /// - Parameter name: The name with its labels, such as `didLoad(count:)` or `title.getter`, or the
  ///   whole declaration, which tells overloaded methods apart.
  /// - Returns: The method, which may be one that cannot be hooked.
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
    let hint = Spelling.nearest(to: name, in: methods.map(\.name))
    throw SwiftMethodError(
      .noSuchMethod,
      "\(metadata.name) has no method \(name) in its table, where final ones are not"
        + (hint.map { "; did you mean \($0)?" } ?? ""))
  }

  /// Hooks a method: a handler runs before, after or in place of it, for the class's instances and
  /// those of every loaded subclass that inherits it.
  ///
  /// Hooks are those of blocks: the same order, conditions, errors and tokens; see
  /// `Block.hook(_:name:priority:when:onError:_:)`. Argument 0 of a call is the receiver, 1 the first
  /// parameter. The hooks of a class are outside of those it inherits.
  ///
  /// - Parameters:
  ///   - method: The name with its labels, or the declaration.
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position, on the caller's thread.
  /// - Returns: The token that removes the hook. Dropping it does not.
  /// - Throws: As `method(_:)`; why the method cannot be hooked; `noExecutableMemory`, `protectedMemory`.
  ///
  /// ## Safety
  /// The method must not be declared `consuming`: that changes who owns the receiver, and leaves no
  /// trace in the program.
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
  ///   - handler: Runs instead.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `hook(_:_:name:priority:when:onError:_:)`.
  ///
  /// ## Safety
  /// As there.
  @unsafe
  @_disfavoredOverload
  @discardableResult
  public func hook(
    _ method: String, _ handler: @escaping HookDefinition.Handler
  ) throws(SwiftMethodError) -> Hook {
    // SAFETY: the caller vouches for the method.
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
