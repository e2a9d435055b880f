/// Thousands of generic classes, made at run time of combinations of a few types.
enum TaggedClasses {
  static let count = 4096

  private static let digits: [any Digit.Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self,
    UInt32.self, UInt64.self, Float.self, Double.self, String.self, Character.self, Bool.self,
    Substring.self,
  ]

  static func make(_ index: Int, content: AnyObject? = nil) -> AnyObject {
    digits[index & 15].followed(by: digits[index >> 4 & 15])
      .followed(by: digits[index >> 8 & 15]).makeObject(content)
  }
}

private protocol Digit: SendableMetatype {}

private enum Pair<First: Digit, Second: Digit>: Digit {}

extension Digit {
  fileprivate static func followed(by next: any Digit.Type) -> any Digit.Type {
    next.preceded(by: Self.self)
  }

  private static func preceded<First: Digit>(by first: First.Type) -> any Digit.Type {
    Pair<First, Self>.self
  }

  fileprivate static func makeObject(_ content: AnyObject?) -> AnyObject {
    Tagged<Self>(content: content)
  }
}

extension Int: Digit {}
extension Int8: Digit {}
extension Int16: Digit {}
extension Int32: Digit {}
extension Int64: Digit {}
extension UInt: Digit {}
extension UInt8: Digit {}
extension UInt16: Digit {}
extension UInt32: Digit {}
extension UInt64: Digit {}
extension Float: Digit {}
extension Double: Digit {}
extension String: Digit {}
extension Character: Digit {}
extension Bool: Digit {}
extension Substring: Digit {}
