#if Macros
public import MessageForwarding

/// Makes the methods of a class or an actor messages: its method table, and its typed selectors.
///
/// ```swift
/// @Messages
/// class Weather {
///   var unit = "C"
///   func degrees(_ city: String) -> Double { Double(city.count) }
/// }
/// try Weather.hook(\.degrees) { original, weather, city in try original(city) + 1 }
/// print(try Weather().send(\.degrees, "Oslo"))
/// try Weather().send("setUnit:", "F")
/// ```
///
/// The class conforms to `TypedMessageReceiver`. All its methods and properties are messages,
/// except private ones, overrides (which answer the message of what they override), and those with
/// the attribute ``NotSent()``. The compiler warns of members that cannot be messages, such as
/// generic methods.
///
/// A message has the name that `@objc` would give it, and its typed selector the method's base name
/// with the labels: `add(_:to:)` is sent as `add:to:`, and its selector is `\.addTo`;
/// ``SentAs(_:)`` and ``Named(_:)`` choose others. A property has selectors for its getter,
/// `\.unit`, and its setter, `\.setUnit`. Methods of a class that is isolated to a global actor are
/// isolated to it as messages. The receiver of class methods is the class, `Weather.classObject`.
/// Messages to an `actor` are awaited, like those to an `async` method.
///
/// A subclass needs the attribute if it adds messages, whose selectors are passed as values:
/// `Forecast.hook(Forecast.Messages().outlook) { … }`. The first type after a class's name is taken
/// for a superclass with messages, unless it is one of the standard library's protocols. After a
/// superclass without messages, or another protocol, the class says that it is a receiver itself:
/// `class Weather: Model, TypedMessageReceiver`.
@attached(member, names: named(methods), named(Messages))
@attached(extension, conformances: TypedMessageReceiver)
public macro Messages() = #externalMacro(module: "MessageMacrosPlugin", type: "MessagesMacro")

/// Makes the methods of a class or an actor messages, and its ordinary Swift calls too: they run
/// the hooks of the methods.
///
/// ```swift
/// @Messages(.calls)
/// class Weather {
///   func degrees(_ city: String) -> Double { 20 }
/// }
/// let hook = try Weather.hook(\.degrees) { original, weather, city in try original(city) + 1 }
/// print(Weather().degrees("Oslo"))  // 21, wherever it is called
/// ```
///
/// A call, a `send` and a recorded message run the same hooks, each once. Calls of `super` run the
/// hooks of the superclass only. Private methods and overrides are messages too; an override has
/// the typed selector of what it overrides. A subclass without the attribute inherits. A subclass
/// that overrides a method needs it: otherwise the override is no message, and a `send` runs the
/// inherited body.
///
/// If a hook throws an error that the method does not throw, a call writes it to standard error and
/// returns the answer of the method's body; `send` throws it. A call of a method without hooks
/// reads one word. The compiler warns of methods whose calls cannot run hooks, of initialisers,
/// subscripts and properties with accessors, unless they have the attribute ``NotSent()``. Methods
/// of extensions, which the macro does not see, and uses of stored properties run no hooks of
/// calls.
///
/// - Parameter kind: `.calls`.
@attached(member, names: named(methods), named(Messages), named(_Calls))
@attached(memberAttribute)
@attached(extension, conformances: TypedMessageReceiver)
public macro Messages(_ kind: MessagesKind) =
  #externalMacro(module: "MessageMacrosPlugin", type: "MessagesMacro")

/// What the attribute `Messages` turns into messages, beside what is sent.
public struct MessagesKind: Sendable {
  // A case of an enumeration fails an assertion of Swift 6.2 in compilers that have assertions.
  /// Ordinary Swift calls of the methods.
  public static var calls: MessagesKind { MessagesKind() }
}

/// Lets Swift calls of a method run the hooks of its messages; `@Messages(.calls)` adds this
/// attribute.
///
/// - Parameter slot: The name of the method's slot.
@attached(body)
@attached(peer, names: arbitrary)
public macro HookedCall(_ slot: StaticString) =
  #externalMacro(module: "MessageMacrosPlugin", type: "HookedCallMacro")

/// Lets the ordinary Swift calls of a function run hooks. They are installed on a target: the
/// function's name with a dollar.
///
/// ```swift
/// @Hookable func parse(_ text: String) -> Int { text.count }
///
/// struct Parser {
///   @Hookable mutating func read(_ text: String) -> Int { text.count }
/// }
/// let hook = try $parse.hook { original, text in try original(text) + 1 }
/// try Parser.$read.hook { original, parser, text in try original(parser, text) }
/// print(parse("four"))  // 5
/// ```
///
/// The function is free, or a method of a structure, an enumeration, a class or an actor, also in
/// an extension. ``HookableFunction`` says what hooks see; an opaque result, `some P`, is `any P`
/// for them, and a consumed or borrowed argument is a copy. The target of an operator has its name
/// between backticks: `` Sum.`$==` ``. The target of a generic function is a function of the
/// generic types, those of `some P` parameters last, as `$parse(Int.self)`: each specialisation has
/// its own hooks. A call without hooks reads one word. The compiler refuses functions that cannot
/// be hooked, and says the way round.
@attached(body)
@attached(peer, names: prefixed(`$`), prefixed(_body_), prefixed(_hooked_), prefixed(_Hooks_))
public macro Hookable() = #externalMacro(module: "MessageMacrosPlugin", type: "HookableMacro")

/// Lets the ordinary Swift calls of a method run hooks, in a generic type or an extension of a
/// protocol: each type has its own hooks.
///
/// ```swift
/// extension Sequence where Element == Int {
///   @Hookable(.eachType) func sum() -> Int { reduce(0, +) }
/// }
/// try [Int].$sum.hook { original, numbers in try original(numbers) + 1 }
/// ```
///
/// A call reads one word for all types, and looks its own type's hooks up while any such method has
/// some.
///
/// - Parameter kind: `.eachType`.
@attached(body)
@attached(peer, names: prefixed(`$`), prefixed(_body_), prefixed(_hooked_), prefixed(_Hooks_))
public macro Hookable(_ kind: HookableKind) =
  #externalMacro(module: "MessageMacrosPlugin", type: "HookableMacro")

/// Lets the ordinary Swift calls of a method run hooks, by a target with a given name: so each
/// overload can have its own target.
///
/// ```swift
/// struct Parser {
///   @Hookable func parse(_ text: String) -> Int { text.count }
///   @HookableAs("parseNumber") func parse(_ number: Int) -> Int { number }
/// }
/// try Parser.$parseNumber.hook { original, parser, number in try original(parser, number) + 1 }
/// ```
///
/// - Parameters:
///   - name: The name of the target, without the dollar.
///   - kind: `.eachType` for a method of a generic type, or in an extension of a protocol.
@attached(body)
@attached(peer, names: arbitrary)
public macro HookableAs(_ name: StaticString, _ kind: HookableKind? = nil) =
  #externalMacro(module: "MessageMacrosPlugin", type: "HookableMacro")

/// Methods that need an argument of the attribute `Hookable`.
public enum HookableKind {
  /// A method of a generic type or of a protocol's extension, which each type has by itself.
  case eachType
}

/// Lets the reads and writes of a stored property run hooks: its getter and its setter are targets.
///
/// ```swift
/// struct Heater {
///   @Hookable(.stored) var level = 3
/// }
/// let hook = try Heater.$level.get.hook { original, heater in try original(heater) + 1 }
/// try Heater.$level.set.hook { original, heater, level in try original(heater, min(level, 9)) }
/// ```
///
/// In a class with `@Messages(.calls)`, the getter and the setter are messages, as methods are: a
/// read, a `send` and a recorded message run the hooks of `\.level`, a write those of `\.setLevel`.
/// Each type that a generic type makes has its own hooks.
///
/// The macro moves the value to a private property, `_stored_level`. So synthesised conformances to
/// `Codable`, and mirrors, name that property: write
/// `enum CodingKeys: String, CodingKey { case _stored_level = "level" }`. Until `self` is complete,
/// an initialiser sets the property without hooks, and cannot read it. A use of a property without
/// hooks reads one word. A change in place reads the value, changes the copy and writes it: an
/// array is copied by each append.
///
/// - Parameter kind: `.stored`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(
  peer,
  names: prefixed(`$`), prefixed(_stored_), prefixed(_body_), prefixed(_hooked_), prefixed(_sent_),
  prefixed(_Hooks_), prefixed(_SetterHooks_))
public macro Hookable(_ kind: HookablePropertyKind) =
  #externalMacro(module: "MessageMacrosPlugin", type: "HookablePropertyMacro")

/// The uses of a property that the attribute `Hookable` makes hookable.
public enum HookablePropertyKind {
  /// The reads and writes of a stored property.
  case stored
}

/// Makes the typed selector of a method that is isolated to an actor: anyone may send the message,
/// so its arguments and its answer are `Sendable`.
///
/// - Parameter selector: The selector.
/// - Returns: The same selector.
@inlinable
public func isolatedSelector<Typed: TypedSelector>(_ selector: Typed) -> Typed
where Typed.Arguments: Sendable, Typed.Outcome: Sendable {
  selector
}

/// Marks a method or a property that is no message, in a class or an actor with the attribute
/// `Messages`.
@attached(peer)
public macro NotSent() = #externalMacro(module: "MessageMacrosPlugin", type: "MarkerMacro")
#endif
