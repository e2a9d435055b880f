internal import BlockABI
private import CLoadedImages.ReadableMemory
internal import TypeEncodings

/// Renders C values for people: the short name of the type, then the value.
///
/// The kernel is asked before memory behind a pointer is read.
private struct TextRenderer: ValueVisitor {
  let elementLimit = 32

  func visit(leaf slot: ValueSlot) -> String { unsafe slot.leafText }

  func visit(bits: BitFieldSlot) -> String { unsafe "\(bits.value)" }

  func visit(structure slot: ValueSlot, _ members: [String]) -> String {
    unsafe slot.recordText(members)
  }

  func visit(array slot: ValueSlot, _ elements: [String], count: Int) -> String {
    "[\(elements.joined(separator: ", "))\(count > elements.count ? ", …" : "")]"
  }

  func visit(unknown slot: ValueSlot, _ error: InvocationError) -> String { "?" }
}

extension ValueSlot {
  /// The number of bytes of a C string that are shown.
  private static let stringLimit = 256

  /// The value as text: the short name of its type, then the value.
  package var text: String {
    var renderer = TextRenderer()
    return unsafe (try? accept(&renderer)) ?? "?"
  }

  /// The text of a value without parts.
  fileprivate var leafText: String {
    switch unsafe kind {
    case .void: "void"
    case .bool: unsafe address.load(as: UInt8.self) == 0 ? "false" : "true"
    case .int8, .uint8: unsafe "\(shortName) \(integerText)\(characterText)"
    case .int16, .uint16, .int32, .uint32, .int64, .uint64, .int128, .uint128:
      unsafe "\(shortName) \(integerText)"
    case .float: unsafe "float \(address.load(as: Float.self))"
    case .double: unsafe "double \(address.load(as: Double.self))"
    case .longDouble: unsafe "long double \(LongDoubleFormat.load(address).value)"
    case .complexFloat, .complexDouble, .complexLongDouble: unsafe complexText
    case .cString: unsafe cStringText
    case .selector: unsafe selectorText
    case .pointer, .functionPointer, .class: unsafe pointerText(shortName)
    case .array: unsafe pointerText(shortName)
    case .object: unsafe objectText
    case .block: unsafe blockText
    case .union: unsafe "\(recordName)(\(hexadecimal))"
    case .struct, .vector, .bitField, .unknown: "?"
    }
  }

  private var selectorText: String {
    guard let pointer = unsafe pointer, let selector = unsafe Selector.at(pointer) else {
      return unsafe pointerText(shortName)
    }
    return "selector \(selector.name)"
  }

  private var shortName: String {
    switch unsafe kind {
    case .int8: "i8"
    case .uint8: "u8"
    case .int16: "i16"
    case .uint16: "u16"
    case .int32: "i32"
    case .uint32: "u32"
    case .int64: "i64"
    case .uint64: "u64"
    case .int128: "i128"
    case .uint128: "u128"
    case .functionPointer: "function"
    case .class: "class"
    case .selector: "selector"
    default: unsafe encoding.description
    }
  }

  private var integerText: String {
    if unsafe kind == .uint128 { return unsafe "\(address.loadUnaligned(as: UInt128.self))" }
    return unsafe integer.map { "\($0)" } ?? "?"
  }

  /// A printable character, for the integers that C also uses for characters.
  private var characterText: String {
    let byte = unsafe address.load(as: UInt8.self)
    guard (0x20..<0x7F).contains(byte) else { return "" }
    return " '\(Character(UnicodeScalar(byte)))'"
  }

  private var complexText: String {
    let halves = unsafe halves
    guard let real = unsafe halves.real.floatingPoint,
      let imaginary = unsafe halves.imaginary.floatingPoint
    else { return "?" }
    return "complex \(real)\(imaginary < 0 ? "-" : "+")\(abs(imaginary))i"
  }

  private func pointerText(_ name: String) -> String {
    guard let pointer = unsafe pointer else { return "null" }
    return unsafe "\(name) \(hexadecimal(pointer))"
  }

  private func hexadecimal(_ pointer: UnsafeMutableRawPointer) -> String {
    "0x" + String(UInt(bitPattern: pointer), radix: 16)
  }

  private var cStringText: String {
    guard let pointer = unsafe pointer else { return "null" }
    var isTerminated = false
    // SAFETY: the function reads no byte that the kernel says cannot be read.
    let length = unsafe cbr_readable_string_length(pointer, Self.stringLimit, &isTerminated)
    let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
    return unsafe Self.text(
      ofCString: bytes, isTerminated: isTerminated, at: UInt(bitPattern: pointer))
  }

  /// The text of a C string.
  ///
  /// - Parameters:
  ///   - bytes: Its first bytes.
  ///   - isTerminated: Whether it ends behind them.
  ///   - address: Its address; 0 for none.
  /// - Returns: The text.
  package static func text(
    ofCString bytes: some Collection<UInt8>, isTerminated: Bool, at address: UInt
  ) -> String {
    if address == 0 { return "null" }
    guard !bytes.isEmpty || isTerminated else {
      return "unreadable 0x" + String(address, radix: 16)
    }
    let text = unsafe escaped(String(decoding: bytes, as: UTF8.self))
    return "\"\(text)\"" + (isTerminated ? "" : "…")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      case "\r": escaped += "\\r"
      case _ where scalar.properties.generalCategory == .control:
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private var objectText: String {
    guard let pointer = unsafe pointer else { return "null" }
    guard unsafe cbr_is_readable(pointer) else {
      return unsafe "unreadable \(hexadecimal(pointer))"
    }
    // SAFETY: an encoded object that is no block is a Swift object on Linux.
    if unsafe BlockReference.isBlock(at: pointer) { return unsafe blockText }
    let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    if let value = (object as? SwiftValue)?.value { return unsafe Self.text(of: value) }
    return unsafe "\(type(of: object)) \(hexadecimal(pointer))"
  }

  /// The text of a Swift value: its type, and the value if that can be written as plain text.
  private static func text(of value: Any) -> String {
    let type = "\(type(of: value))"
    switch value {
    case let text as String: return "\(type) \"\(text.prefix(unsafe stringLimit))\""
    case let plain as any LosslessStringConvertible: return "\(type) \(plain)"
    default: return type
    }
  }

  private var blockText: String {
    guard let pointer = unsafe pointer else { return "null" }
    guard unsafe cbr_is_readable(pointer) else {
      return unsafe "unreadable \(hexadecimal(pointer))"
    }
    // SAFETY: the signature says that this is a block; it outlives the call that it was passed to.
    let block = unsafe Block(unsafePointer: pointer)
    let parameters = (try? block.signature)?.withoutFrameOffsets().description
    return unsafe "block \(parameters ?? "without signature") \(hexadecimal(pointer))"
  }

  private var recordName: String { unsafe encoding.record?.name ?? "" }

  /// The text of a structure of members with these texts.
  fileprivate func recordText(_ members: [String]) -> String {
    let texts = unsafe zip(encoding.valueMembers, members).map { member, value in
      member.name.map { "\($0): \(value)" } ?? value
    }
    let name = unsafe recordName
    return "{\(name)\(name.isEmpty || texts.isEmpty ? "" : " ")\(texts.joined(separator: ", "))}"
  }

  private var hexadecimal: String {
    unsafe UnsafeRawBufferPointer(start: address, count: layout.size).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
