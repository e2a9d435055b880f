public import Invocations

/// A hook that is not installed: the parameters of `HookTarget.hook` as a value.
///
/// It can be installed any number of times, on one target or several; each installation is a
/// separate hook. See also `HookGroup`.
public struct HookDefinition: Sendable {
  /// A hook's handler, which runs in each of the hook's positions.
  public typealias Handler = @Sendable (_ call: inout CallFrame) throws -> Void

  /// Where the handler runs.
  public var positions: HookPositions

  /// A name for descriptions and removal by name.
  public var name: String?

  /// A hook of a higher priority is outside of those of lower ones.
  public var priority: Int

  /// Which calls run the handler.
  public var conditions: HookConditions

  /// Receives what the handler throws.
  public var onError: @Sendable (any Error) -> Void

  /// Runs in each position.
  public var handler: Handler

  /// The installation time of the hook of every block that this hook belongs to; nil for a hook
  /// that is installed on one block or function.
  package var everyBlock: InstallationTime?

  /// Whether the hook skips calls of its function that the function's own handlers make, because
  /// the calls of the handler are hooked: it could run without end.
  package var skipsOwnCalls = false

  /// Adapts the definition to a target, under no lock, before each installation; nil if it needs no
  /// adapting.
  ///
  /// The function may change the handler, the positions and the name, and throw why the target
  /// cannot have the hook. If code was unloaded, it must forget what it has recorded by addresses
  /// of code.
  package var prepare:
    (@Sendable (inout HookDefinition, borrowing InstallationPoint) throws(HookError) -> Void)?

  /// Why no blocks can have the hook as a hook of every block; nil if they can.
  package var refusalOfEveryBlock: (@Sendable () -> HookError)?

  /// Why the hook cannot be a hook of every message; nil if it can.
  package var refusalOfEveryMessage: (@Sendable () -> HookError)?

  /// Makes the observer of blocks without a usable signature, on which a hook of every block cannot
  /// be installed, by the address of their code; nil if their calls are not observed.
  package var makeObserver: (@Sendable (_ code: UInt) -> (any OpaqueCallObserver)?)?

  /// Describes a hook; the parameters are those of
  /// `HookTarget.hook(_:name:priority:when:onError:_:)`.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws; if not given, errors are written to standard
  ///     error.
  ///   - handler: Runs in each position.
  public init(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping Handler
  ) {
    self.positions = positions
    self.name = name
    self.priority = priority
    self.conditions = conditions
    self.onError = onError
    self.handler = handler
  }

  /// Describes a hook that runs instead, given as a stored handler.
  ///
  /// - Parameter handler: Runs instead of the block.
  @_disfavoredOverload
  public init(_ handler: @escaping Handler) { self.init(.instead, handler) }

  /// The positions in which a chain runs the hook: a hook with conditions runs its handler inside
  /// of an instead-handler.
  var positionsInChain: HookPositions {
    guard !conditions.isAlways, !positions.isDisjoint(with: .calls) else { return positions }
    return positions.subtracting(.calls).union(.instead)
  }

  /// Checks that there is a position, and that the conditions are valid.
  ///
  /// - Throws: `noPosition`, `invalidCondition`.
  package func validate() throws(HookError) {
    guard !positions.isDisjoint(with: [.before, .instead, .after, .death]) else {
      throw HookError(.noPosition, "a hook needs at least one position, such as .before")
    }
    try conditions.validate()
  }
}
