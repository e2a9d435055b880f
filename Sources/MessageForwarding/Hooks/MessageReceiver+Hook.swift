public import BlockHooks
internal import BlockRuntimeSpelling
public import Invocations

extension MessageReceiver {
  /// Hooks a method of the class: a handler runs before, after or in place of it, for every instance
  /// and for every subclass that inherits it.
  ///
  /// Hooks are those of blocks: the same order, conditions, errors and tokens; see
  /// `Block.hook(_:name:priority:when:onError:_:)`. Argument 0 of a call is the receiver, 1 the
  /// selector, 2 the first parameter.
  ///
  /// The hooks of an instance are outside of those of its class, and those of a class outside of what
  /// it inherits, with its hooks; each group has its own order. A method that a subclass overrides is
  /// another one.
  ///
  /// A hook holds for the signature that the method has when it is installed. While the class has a
  /// method of another one, after `replaceMethod(_:)`, messages pass the hook by.
  ///
  /// What the method throws passes on to the sender. Handlers find it as `call.error` in place of a
  /// result, and may answer with `setResult(_:)` or replace it with `setError(_:)`.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping it does not.
  /// - Throws: `noSuchMethod`, `invalidMethod`, `signatureConflict`; the codes of a refused hook, such as
  ///   `noPosition` and `tooManyHooks`.
  @discardableResult
  public static func hook(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try classObject.install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler),
      on: selector)
  }

  /// Hooks a method of the class: a stored handler runs instead of it.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - handler: Runs instead.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `hook(_:_:name:priority:when:onError:_:)`.
  @_disfavoredOverload
  @discardableResult
  public static func hook(
    _ selector: Selector, _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try hook(selector, .instead, handler)
  }

  /// Hooks a method of this object only: a stored handler runs instead of it.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - handler: Runs instead.
  /// - Returns: The token that removes the hook.
  /// - Throws: As for a class.
  @_disfavoredOverload
  @discardableResult
  public func hook(
    _ selector: Selector, _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try hook(selector, .instead, handler)
  }

  /// Hooks a method of this object only: see the class's.
  ///
  /// The hook ends with the object. On a `ClassObject` it hooks a class method.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook.
  /// - Throws: As for a class.
  @discardableResult
  public func hook(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    let definition = HookDefinition(
      positions, name: name, priority: priority, when: conditions, onError: onError, handler)
    // The class may make the method, as for a message.
    _ = MethodLookup.resolve(self, selector)
    let itself = _messageClass
    if itself.isClassItself {
      return try itself.methods.hookedMethod(selector).install(definition, selector)
    }
    return try InstanceMethods.hookedMethod(selector, of: self).install(definition, selector)
  }

  /// The hooks of a method that run for this object only, outermost first: what `hooks` is of a block.
  ///
  /// Those of its class are `Page.hooks(of:)`, which run too; those that a `ClassObject` has for its
  /// instances are `instanceHooks(of:)`.
  ///
  /// - Parameter selector: The method.
  /// - Returns: The hooks.
  public func hooks(of selector: Selector) -> [Hook] {
    let itself = _messageClass
    if itself.isClassItself { return itself.methods.hookedMethod(existing: selector)?.hooks ?? [] }
    return InstanceMethods.existing(selector, of: self)?.hooks ?? []
  }

  /// The class's own hooks of a method, outermost first.
  ///
  /// - Parameter selector: The method.
  /// - Returns: The hooks.
  public static func hooks(of selector: Selector) -> [Hook] {
    classObject.instanceHooks(of: selector)
  }
}

extension ClassObject {
  /// Hooks a method of the instances, described by a value.
  ///
  /// - Parameters:
  ///   - definition: The hook.
  ///   - selector: The method.
  /// - Returns: The token.
  /// - Throws: As `MessageReceiver.hook`.
  @discardableResult
  public func install(
    _ definition: HookDefinition, on selector: Selector
  ) throws(MessageError) -> Hook {
    resolve(selector)
    return try instanceMethods.hookedMethod(selector).install(definition, selector)
  }

  /// The hooks of a method of the instances, outermost first, without those that are inherited.
  ///
  /// - Parameter selector: The method.
  /// - Returns: The hooks.
  public func instanceHooks(of selector: Selector) -> [Hook] {
    instanceMethods.hookedMethod(existing: selector)?.hooks ?? []
  }
}

extension ClassObject {
  /// Has the Swift class make a method of its instances that there is none of.
  func resolve(_ selector: Selector) {
    guard instanceMethods.below(selector) == nil else { return }
    _ = (swiftClass as? any MessageReceiver.Type)?.resolveMethod(selector)
  }
}

extension MethodDictionary {
  /// The hooked method of a name; made where there is none.
  ///
  /// - Throws: `noSuchMethod`, `signatureConflict`, and those of a hook.
  func hookedMethod(_ selector: Selector) throws(MessageError) -> HookedMethod {
    guard let implementation = below(selector) else { throw noSuchMethod(selector) }
    let known = hookedMethod(existing: selector)
    if let known, try known.fits(implementation.interface, selector) { return known }
    return keep(
      try HookedMethod(
        selector, implementation.interface,
        hooksChanged: { [weak self] in self?.hooksChanged(selector) },
        below: { [weak self] in self?.below(selector) }),
      selector, inPlaceOf: known)
  }

  func noSuchMethod(_ selector: Selector) -> MessageError {
    MessageError(.noSuchMethod, subject: selector.name) {
      let hint = Spelling.nearest(to: selector.name, in: self.allSelectors.map(\.name))
      return "there is no method \(selector) to hook or exchange; declare it in the class's table"
        + (hint.map { ", or did you mean \($0)?" } ?? "")
    }
  }
}
