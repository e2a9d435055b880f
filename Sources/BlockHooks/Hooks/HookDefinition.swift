public import Invocations

/// A hook that is not installed: all that `Block.hook` takes, as a value.
///
/// It can be installed any number of times, on one block or several; each installation is a hook of
/// its own. See also `HookGroup`.
public struct HookDefinition: Sendable {
  /// Runs in each of the hook's positions.
  public typealias Handler = @Sendable (_ call: inout CallFrame) throws -> Void

  /// Where the handler runs.
  public var positions: HookPositions

  /// A name for descriptions and removal by name.
  public var name: String?

  /// Higher is further out.
  public var priority: Int

  /// Which calls run the handler.
  public var conditions: HookConditions

  /// Receives what the handler throws.
  public var onError: @Sendable (any Error) -> Void

  /// Runs in each position.
  public var handler: Handler

  /// When the hook of every block was installed that this belongs to; nil for one that somebody
  /// installs on a block, or a function, itself.
  package var everyBlock: InstallationTime?

  /// Describes a hook; the parameters are those of `Block.hook(_:name:priority:when:onError:_:)`.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
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
  /// - Parameter handler: Runs instead.
  @_disfavoredOverload
  public init(_ handler: @escaping Handler) { self.init(.instead, handler) }

  /// The positions that a chain runs the hook in.
  var positionsInChain: HookPositions {
    guard !conditions.isAlways, !positions.isDisjoint(with: .calls) else { return positions }
    return positions.subtracting(.calls).union(.instead)
  }

  /// Refuses what no block could be hooked with.
  ///
  /// - Throws: `noPosition`, `invalidCondition`.
  package func validate() throws(HookError) {
    guard !positions.isDisjoint(with: [.before, .instead, .after, .death]) else {
      throw HookError(.noPosition, "a hook needs at least one position, such as .before")
    }
    try conditions.validate()
  }
}
