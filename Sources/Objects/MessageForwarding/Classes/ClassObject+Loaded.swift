internal import LoadedClasses

extension ClassObject {
  /// The loaded Swift classes that inherit from a class, or conform to a protocol:
  /// `objc_copyClassList`.
  ///
  /// ```swift
  /// let plugins = ClassObject.loaded(as: (any Plugin.Type).self).map { $0.init() }
  /// let pages = ClassObject.loaded(as: Page.Type.self)  // Page and its subclasses
  /// let all = ClassObject.loaded(as: AnyClass.self)
  /// ```
  ///
  /// These are all classes of the program and of its libraries, in no certain order, also private
  /// classes and classes that receive no messages. Generic classes are missing, but not their
  /// subclasses that are not generic; so are the classes that `DynamicClass` makes. Of libraries
  /// that are opened later, `onLoad(of:_:)` of the product `SymbolInterposing` reports the classes.
  ///
  /// Any thread may call this function. The first call completes the metadata of all classes, and
  /// looks up a conformance of each: 10 microseconds a class; later calls take a few nanoseconds a
  /// class.
  ///
  /// - Parameter type: The type of the classes: `Page.Type.self`, `(any Plugin.Type).self`.
  /// - Returns: The classes.
  public static func loaded<Classes>(as type: Classes.Type) -> [Classes] {
    var known: Set<ClassDescriptor> = []
    return ClassMetadata.loaded(as: type, besides: &known)
  }

  /// The loaded Swift class with a given name: `objc_getClass`, `NSClassFromString`.
  ///
  /// A class that `DynamicClass` made is found by `DynamicClass.named(_:)`.
  ///
  /// - Parameter name: The name behind that of the module, as `String(reflecting: Page.self)` gives
  ///   it: `App.Page`.
  /// - Returns: The class; nil if there is none, or if it is generic.
  public static func loaded(named name: String) -> AnyClass? {
    loaded(as: AnyClass.self).first { _typeName($0, qualified: true) == name }
  }
}
