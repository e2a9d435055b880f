#if Macros
/// A class or an actor whose methods become messages.
struct MessageClass {
  let name: String

  /// The access of the members that the class gets.
  let access: String

  /// The type that is taken for a superclass with messages; nil if there is none.
  let superclass: String?

  /// The words before the table, such as `override class`, and an attribute if it names deprecated
  /// methods.
  let tableModifiers: String
  let methods: [MessageMethod]
}
#endif
