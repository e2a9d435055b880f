/// A class whose properties can be observed: `NSKeyValueObserving`.
///
/// Conforming costs nothing; a property becomes observable by `@Observed`, or by manual
/// notifications. Any expression that a key path names can be observed: properties, paths through
/// other objects and optionals, computed properties.
///
/// ```swift
/// let token = person.observe(\.address?.city, options: [.old, .new]) { person, change in
///   print(change)
/// }
/// token.remove()
/// ```
///
/// A key path with a computed property or another object on the way depends on the observable
/// properties that its getters read. It is evaluated when it is observed, and whenever one of these
/// changes; such getters must have no side effects. A property that is changed manually calls
/// `willRead(_:)` in its getter, so that paths through it are notified of its changes.
///
/// The key path of an inherited property from a subclass, `\Student.name`, differs from that of the
/// declaring class, `\Person.name`, but names the same property: manual changes and the removal of
/// observers accept either. It is observed as a path, which takes longer: where that matters,
/// observe the object as its superclass, `(student as Person).observe(\.name)`. Entries of
/// dependent keys must use the declaring class's key path. If a subclass overrides an observed
/// property, observers receive the values of the superclass's property. A computed property that
/// only returns another property is a different property.
///
/// A key path may have arguments, as in `\.[key]`. They are hashed and compared while no lock is
/// held, and retained as long as the key path is observed.
///
/// Actors cannot conform: Swift has no key paths to their properties; use `$name.changes()`
/// instead. A property that is neither observable nor changed manually may be observed, but its
/// observers are never called.
public protocol KeyValueObservable: PropertyOwner {
  /// The dependencies of the class's properties that their getters do not show; none by default.
  ///
  /// The list is read once for each class.
  static var dependentKeys: DependentKeys { get }
}

extension KeyValueObservable {
  /// No dependencies.
  public static var dependentKeys: DependentKeys { [:] }
}
