#if Macros
/// Makes the key table of a class: its properties, by their names.
///
/// ```swift
/// @Keys
/// class Person: KeyValueCoding {
///   @Observed var name = ""
///   var age = 0
/// }
/// @Keys
/// class Student: Person {
///   var school = ""
/// }
/// print(Student.keys.names)  // ["age", "name", "school"]
/// ```
///
/// All properties of instances have keys, except private ones, overrides, and those whose getters
/// are `async` or throw. A property with a private setter can be set by its key, as an instance
/// variable can in Objective-C. The first type after a class's name is taken for a superclass with
/// keys, unless it is one of the standard library's protocols, or the class says that it conforms
/// to `KeyValueCoding` itself: `class Person: Model, KeyValueCoding`. A class of a global actor
/// conforms on that actor: `@MainActor class Person: @MainActor KeyValueCoding`. The macro does not
/// see the properties of extensions, and warns of those within `#if`, which have no keys. The
/// attribute `@Messages` may stand beside this one. The macro needs the package's trait `Macros`.
@attached(member, names: named(keys))
@attached(extension, conformances: KeyValueCoding)
public macro Keys() = #externalMacro(module: "MessageMacrosPlugin", type: "KeysMacro")
#else
/// Stands in for the macro without the trait: a global actor, because the name of one may be an
/// attribute.
@available(
  *, unavailable,
  message: "@Keys is empty without a trait of the package: traits: [\"Macros\"]"
)
@globalActor
public actor Keys {
  /// The actor that the attribute names.
  public static let shared = Keys()
}
#endif
