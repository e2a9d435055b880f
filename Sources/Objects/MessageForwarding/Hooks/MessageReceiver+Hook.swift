public import BlockHooks
internal import BlockRuntimeSuggestions
public import Invocations

extension MessageReceiver {
  /// Hooks a method of the class: a handler runs before, after or in place of it, for every
  /// instance and for every subclass that inherits it.
  ///
  /// Hooks of methods have the same order, conditions, errors and tokens as those of blocks; see
  /// `Block.hook(_:name:priority:when:onError:_:)`. Argument 0 of a call is the receiver, 1 the
  /// selector, 2 the first parameter.
  ///
  /// The hooks of an instance are outside of those of its class, and those of a class outside of
  /// the inherited method with its hooks; each group has its own order. The override of a subclass
  /// is a separate method.
  ///
  /// A hook applies to the signature that the method has at the installation. While the class has a
  /// method of another signature, after `replaceMethod(_:)`, messages skip the hook.
  ///
  /// Errors that the method throws are thrown to the sender. Handlers find such an error as
  /// `call.error` in place of a result, and may set a result with `setResult(_:)` or replace the
  /// error with `setError(_:)`.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws; if not given, errors are written to standard
  ///     error.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `noSuchMethod`, `invalidMethod`, `signatureConflict`, and the errors of hooks, such
  ///   as `noPosition` and `tooManyHooks`.
  @discardableResult
  public static func hook(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler),
      on: selector)
  }

  /// Hooks a method of the class: a stored handler runs instead of it.
  ///
  /// - Parameters:
  ///   - selector: The method, which the class has or inherits.
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `hook(_:_:name:priority:when:onError:_:)`.
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
  ///   - handler: Runs instead of the method.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of hooking a method of the class.
  @_disfavoredOverload
  @discardableResult
  public func hook(
    _ selector: Selector, _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try hook(selector, .instead, handler)
  }

  /// Hooks a method of this object only, by the rules for methods of a class.
  ///
  /// The hook is removed when the object dies. On a `ClassObject` this hooks a class method.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws; if not given, errors are written to standard
  ///     error.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of hooking a method of the class.
  @discardableResult
  public func hook(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(MessageError) -> Hook {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler),
      on: selector)
  }

  /// Installs a hook that is described by a value on a method of the class.
  ///
  /// - Parameters:
  ///   - definition: The hook; it may be installed any number of times.
  ///   - selector: The method, which the class has or inherits.
  /// - Returns: The token that removes this installation.
  /// - Throws: The errors of `hook(_:_:name:priority:when:onError:_:)`.
  @discardableResult
  public static func install(
    _ definition: HookDefinition, on selector: Selector
  ) throws(MessageError) -> Hook {
    try classObject.install(definition, on: selector)
  }

  /// Installs a hook that is described by a value on a method of this object only.
  ///
  /// On a `ClassObject` this hooks a method of the class's instances.
  ///
  /// - Parameters:
  ///   - definition: The hook; it may be installed any number of times.
  ///   - selector: The method.
  /// - Returns: The token that removes this installation.
  /// - Throws: The errors of hooking a method of the class.
  @discardableResult
  public func install(
    _ definition: HookDefinition, on selector: Selector
  ) throws(MessageError) -> Hook {
    // The class may add the method in `resolveMethod(_:)`, as for a message.
    _ = MethodLookup.resolve(self, selector)
    let itself = _messageClass
    if itself.isClassItself {
      return try itself.methods.hookedMethod(selector).install(definition, selector)
    }
    return try InstanceMethods.hookedMethod(selector, of: self).install(definition, selector)
  }

  /// The hooks of a method that run for this object only, outermost first.
  ///
  /// The hooks of its class, which run too, are `Page.hooks(of:)`; the hooks that a `ClassObject`
  /// has for its instances are `instanceHooks(of:)`.
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
  /// Installs a hook that is described by a value on a method of the instances.
  ///
  /// - Parameters:
  ///   - definition: The hook.
  ///   - selector: The method.
  /// - Returns: The token.
  /// - Throws: The errors of `MessageReceiver.hook`.
  @discardableResult
  public func install(
    _ definition: HookDefinition, on selector: Selector
  ) throws(MessageError) -> Hook {
    resolve(selector)
    return try instanceMethods.hookedMethod(selector).install(definition, selector)
  }

  /// The hooks of a method of the instances, outermost first, without inherited hooks.
  ///
  /// - Parameter selector: The method.
  /// - Returns: The hooks.
  public func instanceHooks(of selector: Selector) -> [Hook] {
    instanceMethods.hookedMethod(existing: selector)?.hooks ?? []
  }
}

extension ClassObject {
  /// Calls `resolveMethod(_:)` of the Swift class if its instances do not have the method.
  func resolve(_ selector: Selector) {
    guard instanceMethods.innerMethod(selector) == nil else { return }
    _ = (swiftClass as? any MessageReceiver.Type)?.resolveMethod(selector)
  }
}

extension MethodDictionary {
  /// The hooked method of a name; created if there is none.
  ///
  /// - Throws: `noSuchMethod`, `signatureConflict`, and the errors of `HookedMethod`.
  func hookedMethod(_ selector: Selector) throws(MessageError) -> HookedMethod {
    guard let implementation = innerMethod(selector) else { throw noSuchMethod(selector) }
    let known = hookedMethod(existing: selector)
    if let known, try known.fits(implementation.interface, selector) { return known }
    return keep(
      try HookedMethod(
        selector, implementation,
        hooksChanged: { [weak self] in self?.hooksChanged(selector) },
        inner: hookedSlot(selector).inner, of: receiverClass),
      selector, inPlaceOf: known)
  }

  func noSuchMethod(_ selector: Selector) -> MessageError {
    let known = allSelectors
    return MessageError(.noSuchMethod, subject: selector.name) {
      let hint = Suggestion.nearest(to: selector.name, in: known.map(\.name))
      return "there is no method \(selector) to hook or exchange; declare it in the class's table"
        + (hint.map { ", or did you mean \($0)?" } ?? "")
    }
  }
}
