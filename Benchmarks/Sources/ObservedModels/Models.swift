public import KeyValueObserving

// In a module of their own, and open: their properties are set through the vtable, as those of a
// library's class are by a program.

/// A class without observers.
open class PlainModel {
  /// The property that is set.
  open var value = 0

  /// An array that is appended to.
  open var items: [Int] = []

  /// Makes an object.
  public init() {}
}

/// A class that calls the closures of an array when its property has been set.
open class DidSetModel {
  /// Called with each new value.
  public final var observers: [(Int) -> Void] = []

  /// The property that is set.
  open var value = 0 {
    didSet { for observer in observers { observer(value) } }
  }

  /// Makes an object.
  public init() {}
}

/// A class with properties that can be observed.
open class ObservedModel: KeyValueObservable {
  /// The property that is set.
  @Observed open var value = 0

  /// A property with a value that is counted.
  @Observed open var text = ""

  /// An array that is appended to.
  @Observed open var items: [Int] = []

  /// The link of a path.
  @Observed open var address: ObservedAddress

  /// Makes an object.
  public init() { address = ObservedAddress() }
}

/// The end of a path.
open class ObservedAddress: KeyValueObservable {
  /// The property that is set.
  @Observed open var city = 0

  /// Makes an object.
  public init() {}
}

/// The beginning of a path with two links more than that of an observed model.
open class ObservedGroup: KeyValueObservable {
  /// The link of a path.
  @Observed open var company = ObservedCompany()

  /// Makes an object.
  public init() {}
}

/// A link between a group and a model.
open class ObservedCompany: KeyValueObservable {
  /// The link of a path.
  @Observed open var model = ObservedModel()

  /// Makes an object.
  public init() {}
}

/// The beginning of a path with three links more.
open class ObservedUnion: KeyValueObservable {
  /// The link of a path.
  @Observed open var group = ObservedGroup()

  /// Makes an object.
  public init() {}
}

/// A plain class with a text.
open class PlainTextModel {
  /// The property that is set.
  open var text = ""

  /// Makes an object.
  public init() {}
}

/// The classes that are measured; a caller cannot see that no subclass is made.
public enum Models {
  /// A plain object.
  @inline(never) public static func plain() -> PlainModel { PlainModel() }
  /// A plain object with a text.
  @inline(never) public static func plainText() -> PlainTextModel { PlainTextModel() }
  /// An object with an array of closures.
  @inline(never) public static func didSet() -> DidSetModel { DidSetModel() }
  /// An object that can be observed.
  @inline(never) public static func observed() -> ObservedModel { ObservedModel() }
  /// The beginning of a path of four properties.
  @inline(never) public static func group() -> ObservedGroup { ObservedGroup() }
  /// The beginning of a path of five properties.
  @inline(never) public static func union() -> ObservedUnion { ObservedUnion() }
}
