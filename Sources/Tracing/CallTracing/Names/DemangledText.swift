/// A demangled name, or a part of one, of which the beginning may have been read.
struct DemangledText {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  private init(_ rest: ArraySlice<UInt8>) { self.rest = rest }

  /// What was not read yet.
  var string: String { String(decoding: rest, as: UTF8.self) }

  var isEmpty: Bool { rest.isEmpty }

  /// The next byte.
  var first: UInt8? { rest.first }

  /// Whether a text comes next.
  func hasPrefix(_ text: String) -> Bool { rest.starts(with: text.utf8) }

  /// Reads a text if it comes next.
  mutating func skip(_ text: String) -> Bool {
    guard hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Reads bytes while a condition holds.
  mutating func read(while holds: (UInt8) -> Bool) -> String {
    let read = rest.prefix(while: holds)
    rest = rest.dropFirst(read.count)
    return String(decoding: read, as: UTF8.self)
  }

  /// Reads the digits that come next.
  mutating func readDigits() -> String {
    read { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Reads what is in the brackets that come next, and the brackets; nil if they are not closed.
  ///
  /// - Returns: The text between the brackets.
  mutating func readGroup() -> DemangledText? {
    var depth = Depth()
    guard let end = rest.indices.first(where: { !depth.isInside(after: rest[$0]) }),
      end > rest.startIndex
    else { return nil }
    defer { rest = rest[(end + 1)...] }
    return DemangledText(rest[(rest.startIndex + 1)..<end])
  }

  /// The parts between separators outside of all brackets.
  func split(at separator: String) -> [DemangledText] {
    let separator = Array(separator.utf8)
    var (depth, parts, start) = (Depth(), [DemangledText](), rest.startIndex)
    for index in rest.indices where index >= start {
      if !depth.isInside, rest[index...].starts(with: separator) {
        parts.append(DemangledText(rest[start..<index]))
        start = index + separator.count
      } else {
        _ = depth.isInside(after: rest[index])
      }
    }
    return parts + [DemangledText(rest[start...])]
  }

  /// What follows a text where that occurs first; nil if it does not.
  func after(_ text: String) -> DemangledText? {
    let index = rest.indices.first { rest[$0...].starts(with: text.utf8) }
    return index.map { DemangledText(rest[($0 + text.utf8.count)...]) }
  }

  /// How many brackets are open; arrows of function types and operators have none.
  private struct Depth {
    private var count = 0
    private var last: UInt8 = 0
    private var isOperator = false

    var isInside: Bool { count > 0 }

    mutating func isInside(after byte: UInt8) -> Bool {
      isOperator = last == UInt8(ascii: ".") || isOperator && byte != UInt8(ascii: " ")
      isOperator = isOperator && "<>=!+-*/%^&|~?".utf8.contains(byte)
      switch byte {
      case _ where isOperator: break
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): count += 1
      case UInt8(ascii: ">") where last == UInt8(ascii: "-"): break
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ">"):
        count = max(count - 1, 0)
      default: break
      }
      last = byte
      return isInside
    }
  }
}
