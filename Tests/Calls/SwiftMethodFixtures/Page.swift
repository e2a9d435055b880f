/// Methods of every kind that can be hooked: what they are given they note, and compute with.
open class Page {
  /// What the methods were given.
  public var seen: [String] = []
  open var count = 3
  /// Creates a page.
  public init() {}

  private func note(_ values: Any...) {
    seen.append(values.map { "\($0)" }.joined(separator: " "))
  }

  open func didLoad(count: Int, _ scale: Double) -> Double {
    note(count, scale)
    return Double(count) * scale
  }

  open func close() { note("closed") }
  open func negate(_ flag: Bool) -> Bool { !flag }

  open func mix(
    _ a: Int8, _ b: Float, _ c: UInt16, _ d: Double, _ e: Bool, _ f: Int64, _ g: UInt32,
    _ h: Double, _ i: Double, _ j: Float, _ k: Double, _ l: Double, _ m: Double
  ) -> UInt64 {
    note(a, b, c, d, e, f, g, h, i, j, k, l, m)
    return UInt64(bitPattern: f &+ Int64(a)) &+ UInt64(c) &+ UInt64(g)
  }

  open func byte(_ a: UInt8, _ b: Int16, _ c: Int32, _ d: UInt, _ e: Int) -> Int8 {
    note(a, b, c, d, e)
    return Int8(truncatingIfNeeded: e)
  }

  open func short(_ a: Int) -> Int16 { Int16(truncatingIfNeeded: a) }
  open func unsignedByte(_ a: Int) -> UInt8 { UInt8(truncatingIfNeeded: a) }
  open func half(_ value: Float) -> Float { value / 2 }

  open func find(
    _ start: UnsafePointer<Int32>, _ end: UnsafeMutableRawPointer?
  ) -> UnsafePointer<Int32>? {
    unsafe end == nil ? nil : start + 1
  }

  open func attach(_ other: Page?, to parent: Page) -> Int {
    note(other.map { "\(type(of: $0))" } ?? "none", type(of: parent))
    return (other?.count ?? -1) + parent.count
  }

  open func draw(_ value: Int) -> Int { value }
  open func draw(_ value: Double) -> Double { value }

  /// Calls itself through the table: what is `open` may be overridden elsewhere.
  public func loadTwice() -> Double { didLoad(count: 1, 1) + didLoad(count: 2, 1) }
}

open class InheritingPage: Page {}
open class DeeperPage: InheritingPage {}

open class OverridingPage: Page {
  open override func didLoad(count: Int, _ scale: Double) -> Double {
    super.didLoad(count: count, scale) + 100
  }
}

/// Its instances' classes are made when they are first used.
open class GenericPage<Item>: Page {
  /// What makes the class another one for each type.
  public var item: Item?
}
/// A class below a generic one.
public final class PageOfNumbers: GenericPage<Int> {}

/// Calls come to a class through protocols too.
public protocol Loading { func didLoad(count: Int, _ scale: Double) -> Double }
extension Page: Loading {}

open class Tracked: Page {
  private let onDeinit: () -> Void
  /// Creates a page that tells of its end.
  public init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}
