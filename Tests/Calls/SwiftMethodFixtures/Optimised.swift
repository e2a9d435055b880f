/// Calls within a module, which the optimiser knows more about.

class Internal { @inline(never) func value(_ x: Int) -> Int { x } }

/// A class that no other module knows.
public func internalClass() -> AnyClass { Internal.self }
/// Calls a method of it.
@inline(never) public func callOfInternal() -> Int { Internal().value(1) }

open class Open {
  /// Creates an object.
  public init() {}
  @inline(never) open func value(_ x: Int) -> Int { x }
}

/// Calls a method of an object of any class.
@inline(never) public func callOfOpen(_ object: Open) -> Int { object.value(1) }
/// Calls a method of an object of a known class.
@inline(never) public func callOfNewOpen() -> Int { Open().value(1) }

/// A class that other modules cannot inherit from.
public class Public {
  /// Creates an object.
  public init() {}
  /// Gives back what it is given.
  @inline(never) public func value(_ x: Int) -> Int { x }
}

/// Calls a method of an object.
@inline(never) public func callOfPublic(_ object: Public) -> Int { object.value(1) }
