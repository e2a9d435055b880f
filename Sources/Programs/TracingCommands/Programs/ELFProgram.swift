import BlockRuntimeErrors
import CommandOptionsAndResults

/// The parts of a 64-bit ELF file that tell how it is loaded, and which functions it defines.
struct ELFProgram {
  /// The first bytes of the file; they give the machine, which is checked before the rest is read.
  struct Identity {
    /// Whether the file begins with the ELF magic number.
    let isELF: Bool

    /// The machine and the word size, for messages.
    let machine: String

    /// Whether machine, word size and byte order are those of this process.
    let isOurs: Bool

    /// Whether it is a program, position-independent or not, rather than an object file or a core.
    let isProgram: Bool

    /// Reads the first bytes of a file.
    init(_ bytes: [UInt8]) {
      isELF = bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46])
      guard isELF, bytes.count >= 20 else {
        (machine, isOurs, isProgram) = ("no machine", false, false)
        return
      }
      let (bits, isLittle) = (bytes[4] == 1 ? "32-bit " : "", bytes[5] == 1)
      let number = UInt16(bytes[isLittle ? 18 : 19]) | UInt16(bytes[isLittle ? 19 : 18]) << 8
      machine = bits + (Self.machines[number] ?? "machine \(number)")
      isOurs = bytes[4] == 2 && isLittle && number == ELFProgram.machine
      let kind = bytes[isLittle ? 16 : 17]
      isProgram = kind == 2 || kind == 3
    }

    private static let machines: [UInt16: String] = [
      3: "i386", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 22: "s390", 40: "ARM", 62: "x86-64",
      183: "AArch64", 243: "RISC-V", 258: "LoongArch",
    ]
  }

  #if arch(x86_64)
  /// The machine of this process: its number, its name and its dynamic loader.
  static let machine: UInt16 = 62
  static let (machineName, loader) = ("x86-64", "ld-linux-x86-64.so.2")
  #elseif arch(arm64)
  /// The machine of this process: its number, its name and its dynamic loader.
  static let machine: UInt16 = 183
  static let (machineName, loader) = ("AArch64", "ld-linux-aarch64.so.1")
  #endif

  /// The path of the dynamic loader, nil for a program that is linked statically.
  let interpreter: String?

  /// Whether it is position-independent.
  let isPositionIndependent: Bool

  private let file: ProgramFile
  private let sections: [Section]

  private struct Section {
    let type: UInt32
    let offset: UInt64
    let size: UInt64
    let link: Int
  }

  /// Reads the headers of a file whose identity is this machine's.
  ///
  /// - Throws: `programDamaged`.
  init(_ file: ProgramFile) throws(Failure) {
    self.file = file
    let header = Fields(try file.bytes(at: 0, count: 64, of: "its header"))
    isPositionIndependent = header.half(16) == 3
    interpreter = try Self.interpreter(file, header)
    sections = try Self.sections(file, header)
  }

  /// Whether it has a symbol table of all its functions, which stripping removes.
  var hasSymbols: Bool { sections.contains { $0.type == 2 } }

  /// The first function found that the program itself defines, among some names.
  ///
  /// - Throws: `programDamaged`.
  func defines(anyOf names: [String]) throws(Failure) -> String? {
    for table in sections where table.type == 2 || table.type == 11 {
      guard sections.indices.contains(table.link) else {
        throw file.damaged("its symbols have no names")
      }
      let names = names.map { ($0, Array($0.utf8) + [0]) }
      let symbols = Fields(
        try file.bytes(at: table.offset, count: table.size, of: "its symbol table"))
      let strings = sections[table.link]
      let text = try file.bytes(at: strings.offset, count: strings.size, of: "its symbols' names")
      for symbol in stride(from: 0, to: symbols.count - 23, by: 24) {
        // Undefined symbols are imports; functions have the type NOTYPE, FUNC or GNU_IFUNC.
        let type = symbols.byte(symbol + 4) & 0xF
        guard symbols.half(symbol + 6) != 0, type == 0 || type == 2 || type == 10 else { continue }
        let start = Int(symbols.word(symbol))
        guard start < text.count else { continue }
        for (name, bytes) in names where text[start] == bytes[0] {
          if text[start...].starts(with: bytes) { return name }
        }
      }
    }
    return nil
  }

  /// Whether it depends on a library; false if it has no section table.
  ///
  /// - Throws: `programDamaged`.
  func needs(_ library: String) throws(Failure) -> Bool {
    guard let dynamic = sections.first(where: { $0.type == 6 }) else { return false }
    guard sections.indices.contains(dynamic.link) else {
      throw file.damaged("its libraries have no names")
    }
    let entries = Fields(
      try file.bytes(at: dynamic.offset, count: dynamic.size, of: "its dynamic section"))
    let strings = sections[dynamic.link]
    let text = try file.bytes(at: strings.offset, count: strings.size, of: "its libraries' names")
    let name = Array(library.utf8) + [0]
    for entry in stride(from: 0, to: entries.count - 15, by: 16) where entries.long(entry) == 1 {
      guard let start = Int(exactly: entries.long(entry + 8)), start < text.count else { continue }
      if text[start...].starts(with: name) { return true }
    }
    return false
  }

  private static func interpreter(
    _ file: ProgramFile, _ header: Fields
  ) throws(Failure) -> String? {
    let count = Int(header.half(56))
    guard header.half(54) == 56, (1...1170).contains(count) else {
      throw file.damaged("its header counts \(count.of("segment")) of \(header.half(54)) bytes")
    }
    let table = Fields(
      try file.bytes(
        at: header.long(32), count: UInt64(count) * 56, of: "the table of its segments"))
    var path: String?
    for segment in stride(from: 0, to: table.count, by: 56) {
      let (offset, size) = (table.long(segment + 8), table.long(segment + 32))
      switch table.word(segment) {
      case 1:
        // A program whose loadable segments are not in the file would crash.
        let (end, isTooLarge) = offset.addingReportingOverflow(size)
        guard !isTooLarge, end <= file.size else {
          throw file.damaged("a segment should end at byte \(end), of \(file.size)")
        }
      case 3 where path == nil:
        guard (2...4096).contains(size) else {
          throw file.damaged("its loader's path takes \(size.of("byte"))")
        }
        let text = try file.bytes(at: offset, count: size, of: "its loader's path")
        guard text.last == 0 else { throw file.damaged("its loader's path has no end") }
        path = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      default: continue
      }
    }
    return path
  }

  private static func sections(
    _ file: ProgramFile, _ header: Fields
  ) throws(Failure) -> [Section] {
    let offset = header.long(40)
    guard offset != 0 else { return [] }
    guard header.half(58) == 64 else {
      throw file.damaged("its header has sections of \(header.half(58)) bytes")
    }
    // If the header cannot hold the number of sections, the first section has it.
    var count = UInt64(header.half(60))
    if count == 0 {
      count = Fields(try file.bytes(at: offset, count: 64, of: "its first section")).long(32)
    }
    let (size, isTooLarge) = count.multipliedReportingOverflow(by: 64)
    guard !isTooLarge else { throw file.damaged("it counts \(count) sections") }
    let table = Fields(try file.bytes(at: offset, count: size, of: "the table of its sections"))
    return stride(from: 0, to: table.count, by: 64).map { section in
      Section(
        type: table.word(section + 4), offset: table.long(section + 24),
        size: table.long(section + 32), link: Int(table.word(section + 40)))
    }
  }
}

/// Bytes read as little-endian numbers; an offset past the end traps, so callers check it first.
private struct Fields {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func byte(_ offset: Int) -> UInt8 { bytes[offset] }

  func half(_ offset: Int) -> UInt16 { number(offset) }

  func word(_ offset: Int) -> UInt32 { number(offset) }

  func long(_ offset: Int) -> UInt64 { number(offset) }

  private func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
    var number: Number = 0
    for index in 0..<Number.bitWidth / 8 {
      number |= Number(truncatingIfNeeded: bytes[offset + index]) << Number(8 * index)
    }
    return number
  }
}
