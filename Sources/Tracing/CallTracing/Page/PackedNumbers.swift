/// A column of numbers in few bytes.
///
/// Each number is stored as its difference to the one before, and equal differences that follow
/// each other as one with their number: columns of constants and of ascending numbers take next to
/// nothing, times a few bytes each.
///
/// A difference is a byte, in which bit 0 says that a repetition follows, bit 1 that the difference
/// is negative, bits 2 to 6 are its lowest bits, and bit 7 says that the next byte has seven more;
/// a repetition is a number of seven bits a byte. JavaScript has 53 bits for a number, which limits
/// the values.
struct PackedNumbers {
  private(set) var count = 0
  private var bytes: [UInt8] = []
  private var last: Int64 = 0

  /// The difference that was appended last, and how often it was repeated; nil at the beginning.
  private var pending: (difference: Int64, repeats: UInt64)?

  /// The largest magnitude of a value.
  static let limit: Int64 = 1 << 52

  /// Appends a number, at most the limit.
  mutating func append(_ number: some BinaryInteger) {
    let value = max(-Self.limit, min(Int64(clamping: number), Self.limit))
    let difference = value - last
    last = value
    count += 1
    if let pending, pending.difference == difference {
      self.pending?.repeats = pending.repeats + 1
      return
    }
    Self.flush(pending, to: &bytes)
    pending = (difference, 0)
  }

  /// The bytes of all numbers.
  var packed: [UInt8] {
    var packed = bytes
    Self.flush(pending, to: &packed)
    return packed
  }

  private static func flush(
    _ pending: (difference: Int64, repeats: UInt64)?, to bytes: inout [UInt8]
  ) {
    guard let pending else { return }
    let magnitude = pending.difference.magnitude
    let flags: UInt8 = (pending.repeats > 0 ? 1 : 0) | (pending.difference < 0 ? 2 : 0)
    let rest = magnitude >> 5
    bytes.append(flags | UInt8(truncatingIfNeeded: magnitude & 31) << 2 | (rest > 0 ? 128 : 0))
    if rest > 0 { bytes.append(varint: rest) }
    if pending.repeats > 0 { bytes.append(varint: pending.repeats) }
  }
}

extension PackedNumbers: TraceJSON {
  /// Appends the bytes as a JSON string in base64.
  func append(to text: inout TraceText) {
    let data = packed
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var base64: [UInt8] = [UInt8(ascii: "\"")]
    base64.reserveCapacity((data.count + 2) / 3 * 4 + 2)
    for place in stride(from: 0, to: data.count, by: 3) {
      let part = data[place..<min(place + 3, data.count)]
      var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
      for digit in 0..<4 {
        bits = digit == 0 ? bits << 8 : bits << 6
        base64.append(digit > part.count ? UInt8(ascii: "=") : digits[Int(bits >> 26)])
      }
    }
    base64.append(UInt8(ascii: "\""))
    text.append(base64[...])
  }
}

/// Lists of numbers as two columns: where each ends, and the numbers of all.
struct PackedLists: TraceJSONObject {
  private var (ends, numbers) = (PackedNumbers(), PackedNumbers())

  init(_ lists: [[Int32]]) {
    for list in lists {
      for number in list { numbers.append(number) }
      ends.append(numbers.count)
    }
  }

  func appendMembers(to text: inout TraceText) {
    text.append("count", ends.count)
    text.append("ends", ends)
    text.append("total", numbers.count)
    text.append("texts", numbers)
  }
}

/// What is known of each call of a page, a column a fact.
///
/// Times are in nanoseconds, starts from the first call's. The others are numbers of the tables, -1
/// for none; the sender is the lane of the thread that sent a block, and the callers are those of
/// what was not sent to a queue.
struct TracePageColumns: TraceJSONObject {
  enum Name: Int, CaseIterable {
    case start, duration, sequence, depth, lane, subject, arguments, result, ending
    case queue, sending, sender, waited, task, callers
  }

  private var all = Name.allCases.map { _ in PackedNumbers() }

  subscript(name: Name) -> PackedNumbers {
    get { all[name.rawValue] }
    _modify { yield &all[name.rawValue] }
  }

  func appendMembers(to text: inout TraceText) {
    for name in Name.allCases { text.append("\(name)", self[name]) }
  }
}
