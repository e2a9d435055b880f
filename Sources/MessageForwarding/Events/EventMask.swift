/// Which events a handler is for, or which are sent: up to 64 kinds, which whoever sends them names.
///
/// ```swift
/// extension EventMask {
///   static let touchDown = EventMask(bit: 0)
///   static let touchUp = EventMask(bit: 1)
/// }
/// ```
///
/// The corresponding type of UIKit is `UIControlEvents`.
public struct EventMask: OptionSet, Hashable, Sendable {
  /// One bit for each kind of event.
  public let rawValue: UInt64

  /// Makes a mask of bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes a mask of one kind of event.
  ///
  /// - Parameter bit: Its number, from 0 to 63; the mask is empty for any other.
  public init(bit: Int) { rawValue = (0..<64).contains(bit) ? 1 << UInt64(bit) : 0 }

  /// Events of all kinds.
  public static let all = EventMask(rawValue: .max)
}

extension EventMask: CustomStringConvertible {
  /// The numbers of the bits.
  public var description: String {
    let bits = (0..<64).filter { contains(EventMask(bit: $0)) }
    return "events [\(bits.map(String.init).joined(separator: ", "))]"
  }
}
