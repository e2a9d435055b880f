/// A structure.
public struct Strange {
  /// A class inside of another type.
  public class Inner {}
}

/// A protocol.
public protocol Shape {}

/// Methods that cannot be hooked, each for a reason of its own.
open class Refused {
  /// Creates an object.
  public init() {}
  open func throwing(_ value: Int) throws -> Int { value }
  open func suspending() async -> Int { 1 }
  open func generic<Value>(_ value: Value) {}
  open func changing(_ value: inout Int) {}
  open func pair() -> (Int, Int) { (1, 2) }
  open func text(_ value: String) {}
  open func closure(_ body: (Int) -> Int) {}
  open func structure(_ value: Strange) {}
  open func nested(_ value: Strange.Inner) {}
  open func existential(_ value: any Shape) {}
  open func optional(_ value: Int?) {}
  open func consuming(_ value: consuming Refused) {}
  open func object() -> Refused { self }
  open func address() -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
  }
  open func itself() -> Self { self }
  open func six(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int) {}
  open func many(_ values: Int...) {}
  open class func ofClass() {}
  open func `spaced (x: Swift.Int) -> ()`() {}
  open func größe(_ value: Int) -> Int { value }
  open var next: Refused?
  open var computed: Int { 1 }
  open var failing: Int { get throws { 1 } }
  open subscript(index: Int) -> Int { index }
  /// Is in no table.
  public final func isFinal() {}
}

open class Generic<Value> {
  /// Creates an object.
  public init() {}
  open func get() -> Int { 1 }
}

open class OfGeneric: Generic<Int> {
  open func own() -> Int { 2 }
}
