internal import CKeyValueObserving.Observing

/// A class whose properties have names at run time: `NSKeyValueCoding`.
///
/// It lists its keys once; a subclass adds its own.
///
/// ```swift
/// class Person: KeyValueCoding {
///   @Observed var name = ""
///   @Observed var address: Address?
///   class var keys: KeyTable { ["name": \Person.name, "address": \Person.address] }
/// }
/// class Student: Person {
///   @Observed var school = ""
///   override class var keys: KeyTable { super.keys + ["school": \Student.school] }
/// }
/// let city = try person.value(forKeyPath: "address.city")
/// ```
///
/// A key path is keys with dots between them. Its links are objects of such classes, and
/// dictionaries with strings as keys; where one is nil, the value is nil. `self` is the link itself.
/// A key after an array, a set or another collection gives its members' values, in an array in
/// which nil has its place. Values are never doubly optional, and there is no `NSNull`.
///
/// An operator after a collection makes one value of it, of its members or of what the keys behind
/// the operator give for each. For a dictionary it takes the values.
///
/// - `@count`: How many members there are. Keys behind it are keys of the number.
/// - `@sum`: An `Int` if all are integers, otherwise a `Double`; 0 of nothing.
/// - `@avg`: A `Double`; nil counts as 0, as in Foundation; 0 of nothing.
/// - `@min`, `@max`: Of `Comparable` values of one type, leaving nil out; nil of nothing.
/// - `@unionOfObjects`: All, leaving nil out.
/// - `@distinctUnionOfObjects`: Those that differ, in the order of their first appearance.
///
/// Collections may lie within collections 32 levels deep, with 2^20 members below the first level.
/// Properties are as safe to use on several threads by their names as by themselves.
public protocol KeyValueCoding: KeyValueObservable {
  /// The class's keys, its superclass's among them; the same at each call.
  static var keys: KeyTable { get }
}

extension KeyValueCoding {
  /// The value of a key: `value(forKey:)`.
  ///
  /// - Parameter key: One of the class's keys.
  /// - Returns: The value; nil if it is nil.
  /// - Throws: `KeyValueError` if the class does not list the key.
  public func value(forKey key: String) throws(KeyValueError) -> Any? {
    let path = StringKeyPath(key: key)
    return try KeyPathReader(path, tracker).value(of: self, path.components[0])
  }

  /// The value of a key path: `value(forKeyPath:)`.
  ///
  /// A getter that calls it can be observed as one that reads the properties itself.
  ///
  /// - Parameter keyPath: Keys and operators with dots between them.
  /// - Returns: The value; nil if it, or a link, is nil.
  /// - Throws: `KeyValueError` if the string is no key path, a key is not listed, or an operator
  ///   does not fit.
  public func value(forKeyPath keyPath: String) throws(KeyValueError) -> Any? {
    try KeyPathReader(StringKeyPath(keyPath), tracker).value(of: self)
  }

  /// Sets the value of a key, by its setter, which tells observers: `setValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value, of the key's type, or a number that it holds exactly; nil only where
  ///     that is optional.
  ///   - key: One of the class's keys.
  /// - Throws: `KeyValueError` if the class does not list the key, it cannot be set, or the value
  ///   is of another type.
  public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
    try KeyPathWriter(path: StringKeyPath(key: key)).set(value, of: self)
  }

  /// Sets the value of a key path, by the setter of its last object: `setValue(_:forKeyPath:)`.
  ///
  /// In a dictionary a key is set or, with nil, removed, and the property that has the dictionary
  /// is set once.
  ///
  /// - Parameters:
  ///   - value: The value, of the last key's type, or a number that it holds exactly; nil only
  ///     where that is optional.
  ///   - keyPath: Keys with dots between them.
  /// - Throws: `KeyValueError` if the path cannot be followed, a link is nil, the last key cannot
  ///   be set, or the value is of another type.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
    try KeyPathWriter(path: StringKeyPath(keyPath)).set(value, of: self)
  }

  private var tracker: DependencyTracker? { cbr_observing_is_plain() ? nil : .current }
}
