internal import CKeyValueObserving.Observing

/// A class whose properties have names at run time: `NSKeyValueCoding`.
///
/// The class lists its keys; a subclass adds its own.
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
/// A key path is a sequence of keys, separated by dots. It leads through objects of such classes,
/// and through dictionaries with strings as keys; if one of these is nil, the value is nil. The key
/// `self` names the object itself. The value of a key after an array, a set or another collection
/// is an array of the members' values, which contains nil for a member whose value is nil. Values
/// are never doubly optional, and there is no `NSNull`.
///
/// An operator after a collection combines its members, or the values of the keys after the
/// operator for each member, into one value. For a dictionary it combines the dictionary's values.
///
/// - `@count`: The number of members. Keys after it are ignored, as in Foundation.
/// - `@sum`: An `Int` if all values are integers, otherwise a `Double`; 0 for no values.
/// - `@avg`: A `Double`; nil counts as 0, as in Foundation; 0 for no values.
/// - `@min`, `@max`: For `Comparable` values of one type, without nil; nil for no values.
/// - `@unionOfObjects`: All values, without nil.
/// - `@distinctUnionOfObjects`: The distinct values, in the order of their first appearance.
/// - `@unionOfArrays`, `@distinctUnionOfArrays`: The same for the elements of values that are
///   collections themselves, such as `offices.@unionOfArrays.members`.
/// - `@unionOfSets`, `@distinctUnionOfSets`: These elements as a `Set<AnyHashable>`.
///
/// Keys and operators are applied one after the other, as in GNUstep: `offices.members` is an array
/// of arrays, and `offices.members.@count` the number of these arrays.
///
/// Collections may be nested 32 levels deep, with 2^20 members after the first level. Access by
/// name needs the same protection on several threads as access to the properties themselves.
public protocol KeyValueCoding: KeyValueObservable, KeyedPropertyOwner {
  /// The class's keys, including those of its superclass; the same at each call.
  static var keys: KeyTable { get }

  /// The value of a key that the class does not list: `valueForUndefinedKey:`.
  ///
  /// Like the other methods of this protocol, it can be implemented by the class that declares the
  /// conformance, and overridden in its subclasses. Otherwise it throws `undefinedKeyError(_:)`.
  ///
  /// ```swift
  /// class Options: KeyValueCoding {
  ///   @Observed var values: [String: String] = [:]
  ///   class var keys: KeyTable { [:] }
  ///   func value(forUndefinedKey key: String) -> Any? { values[key] }
  ///   func setValue(_ value: Any?, forUndefinedKey key: String) { values[key] = value as? String }
  /// }
  /// ```
  ///
  /// - Parameter key: The key.
  /// - Returns: The value; nil if it is nil.
  /// - Throws: A `KeyValueError`, or another error, which becomes the underlying error of an
  ///   `unknownKey`.
  func value(forUndefinedKey key: String) throws -> Any?

  /// Sets the value of a key that the class does not list: `setValue:forUndefinedKey:`.
  ///
  /// By default it throws `undefinedKeyError(_:)`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Throws: A `KeyValueError`, or another error, which becomes the underlying error of an
  ///   `unknownKey`.
  func setValue(_ value: Any?, forUndefinedKey key: String) throws

  /// Sets a key whose type is not optional to nil: `setNilValueForKey:`.
  ///
  /// By default it throws a `typeMismatch`.
  ///
  /// - Parameter key: The key.
  /// - Throws: A `KeyValueError`, or another error, which becomes the underlying error of a
  ///   `typeMismatch`.
  func setNilValue(forKey key: String) throws

  /// Validates a value before it is set: `validateValue:forKey:error:`.
  ///
  /// As in Foundation, `setValue(_:forKey:)` does not call it. By default it is
  /// `validateType(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Returns: The value to set: the same, or a corrected one.
  /// - Throws: Why the value is not valid: any error.
  func validateValue(_ value: Any?, forKey key: String) throws -> Any?
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
  /// A getter that calls it can be observed like one that reads the properties directly.
  ///
  /// - Parameter keyPath: Keys and operators, separated by dots.
  /// - Returns: The value; nil if it, or a value on the path, is nil.
  /// - Throws: `KeyValueError` if the string is not a key path, a key is not listed, or an operator
  ///   cannot be applied.
  public func value(forKeyPath keyPath: String) throws(KeyValueError) -> Any? {
    try KeyPathReader(StringKeyPath(keyPath), tracker).value(of: self)
  }

  /// Sets the value of a key, by its setter, which notifies observers: `setValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value: of the key's type, or a number that this type represents exactly; nil
  ///     only if the type is optional.
  ///   - key: One of the class's keys.
  /// - Throws: `KeyValueError` if the class does not list the key, the key cannot be set, or the
  ///   value has the wrong type.
  public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
    try KeyPathWriter(path: StringKeyPath(key: key)).set(value, of: self)
  }

  /// Sets the value of a key path, by the setter of its last object: `setValue(_:forKeyPath:)`.
  ///
  /// If the path ends in a dictionary, its key is set or, for nil, removed, and the property that
  /// contains the dictionary is set once.
  ///
  /// - Parameters:
  ///   - value: The value: of the last key's type, or a number that this type represents exactly;
  ///     nil only if the type is optional.
  ///   - keyPath: Keys, separated by dots.
  /// - Throws: `KeyValueError` if the path cannot be followed, a value on it is nil, the last key
  ///   cannot be set, or the value has the wrong type.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
    try KeyPathWriter(path: StringKeyPath(keyPath)).set(value, of: self)
  }

  private var tracker: DependencyTracker? { cbr_observing_is_plain() ? nil : .current }
}
