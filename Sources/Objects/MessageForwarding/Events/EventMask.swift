/// A set of events of up to 64 kinds, which the sending class declares.
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

  /// Creates a mask from its bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates a mask of one kind of event.
  ///
  /// - Parameter bit: The kind's number, from 0 to 63; for other numbers the mask is empty.
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
