public import BlockHooks

/// A target of hooks: a function, or a method of any type, whose ordinary Swift calls run the
/// hooks.
///
/// The attribute `@Hookable` of the module `MessageMacros` makes one for a function, by the name
/// with a dollar: of `func parse(_ text: String) -> Int`, typed hooks are installed by
/// `$parse.hook { original, text in try original(text) + 1 }`, and definitions by
/// `$parse.install(.printing())`.
///
/// In a call that handlers see, argument 0 is the ``HookedFunctionObject``, 1 the function's name
/// as a selector, and 2 the first parameter. For a method, argument 2 is the value, the object or
/// the type that it is called on, in an ``InoutArgument`` if the method is mutating. A handler may
/// throw what the function throws. Any other error of a handler is written to standard error, and
/// the outcome is that of the function's body.
///
/// Hooks may be installed, removed and run on all threads. `Handler` is the type of typed hooks,
/// which the compiler does not infer from a list of arguments of any length.
public struct HookableFunction<Arguments, Outcome, Handler>: HookTarget, Sendable,
  CustomStringConvertible
{
  /// Makes a body that runs a handler around another body.
  public typealias Wrapping =
    @Sendable (Handler) ->
    @Sendable (MethodBody<Arguments, Outcome>) -> MethodBody<
      Arguments, Outcome
    >

  private let function: HookedFunctionObject
  private let wrapping: Wrapping

  /// Creates the target, in code that `@Hookable` writes.
  ///
  /// - Parameters:
  ///   - function: The function, with these types.
  ///   - wrapping: Makes the body of a typed hook.
  public init(_ function: HookedFunctionObject, wrapping: @escaping Wrapping) {
    (self.function, self.wrapping) = (function, wrapping)
  }

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: As `MethodTarget.install(_:)`.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(MessageError) -> Hook {
    try function.target(function.selector).install(definition)
  }

  /// The function's hooks, outermost first.
  public var hooks: [Hook] { function.target(function.selector).hooks }

  /// The function's full name.
  public var description: String { function.name }

  /// Hooks the function by a closure with its types, by the rules for methods of a class.
  ///
  /// - Parameters:
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - handler: Runs instead of the function, with the function and the arguments.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: `invalidCondition`, `tooManyHooks`.
  @discardableResult
  public func hook(
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    _ handler: Handler
  ) throws(MessageError) -> Hook {
    // `install` of a `ClassObject` hooks the methods of instances.
    let receiver: any MessageReceiver = function
    return try receiver.install(
      TypedHookRequest(
        function.selector, of: HookedFunctionObject.self, Arguments.self, Outcome.self, [], name,
        priority, conditions,
        TypedImplementation.wrapping(function.selector, wrapping(handler))))
  }
}
