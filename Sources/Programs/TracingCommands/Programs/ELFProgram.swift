import BlockRuntimeErrors
import CommandOptionsAndResults
import Glibc

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
  private let sections: [Elf64_Shdr]

  /// An `Elf64_Dyn`, whose union Swift takes for unsafe.
  private struct DynamicEntry: BitwiseCopyable {
    let tag: Int64
    let value: UInt64
  }

  /// Reads the headers of a file whose identity is this machine's.
  ///
  /// - Throws: `programDamaged`.
  init(_ file: ProgramFile) throws(Failure) {
    self.file = file
    let header: Elf64_Ehdr = try file.value(at: 0, of: "its header")
    isPositionIndependent = header.e_type == ET_DYN
    interpreter = try Self.interpreter(file, header)
    sections = try Self.sections(file, header)
  }

  /// Whether it has a symbol table of all its functions, which stripping removes.
  var hasSymbols: Bool { sections.contains { $0.sh_type == SHT_SYMTAB } }

  /// Whether it contains the tracer, as the note of `StaticTracing` says.
  ///
  /// - Throws: `programDamaged`.
  var containsTracer: Bool {
    get throws(Failure) {
      let (headerSize, limit) = (12, UInt64(4096))
      for section in sections where section.sh_type == SHT_NOTE && section.sh_size < limit {
        let note = try file.bytes(at: section.sh_offset, count: section.sh_size, of: "its notes")
        if note.dropFirst(headerSize).starts(with: "BlockRuntime\0".utf8) { return true }
      }
      return false
    }
  }

  /// The first function found that the program itself defines, among some names.
  ///
  /// - Throws: `programDamaged`.
  func defines(anyOf names: [String]) throws(Failure) -> String? {
    let names = names.map { ($0, Array($0.utf8) + [0]) }
    for table in sections where table.sh_type == SHT_SYMTAB || table.sh_type == SHT_DYNSYM {
      let text = try text(of: table, "its symbols")
      let symbols: [Elf64_Sym] = try file.values(
        at: table.sh_offset, size: table.sh_size, of: "its symbol table")
      for symbol in symbols {
        // Undefined symbols are imports.
        let isFunction = [STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC].contains(Int32(symbol.st_info & 0xF))
        let start = Int(symbol.st_name)
        guard symbol.st_shndx != SHN_UNDEF, isFunction, start < text.count else { continue }
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
    guard let dynamic = sections.first(where: { $0.sh_type == SHT_DYNAMIC }) else { return false }
    let text = try text(of: dynamic, "its libraries")
    let entries: [DynamicEntry] = try file.values(
      at: dynamic.sh_offset, size: dynamic.sh_size, of: "its dynamic section")
    let name = Array(library.utf8) + [0]
    return entries.contains { entry in
      guard entry.tag == DT_NEEDED, let start = Int(exactly: entry.value), start < text.count
      else { return false }
      return text[start...].starts(with: name)
    }
  }

  /// The names that the entries of a section refer to.
  private func text(of section: Elf64_Shdr, _ owners: String) throws(Failure) -> [UInt8] {
    guard sections.indices.contains(Int(section.sh_link)) else {
      throw file.damaged("\(owners) have no names")
    }
    let strings = sections[Int(section.sh_link)]
    return try file.bytes(at: strings.sh_offset, count: strings.sh_size, of: "\(owners)' names")
  }

  private static func interpreter(
    _ file: ProgramFile, _ header: Elf64_Ehdr
  ) throws(Failure) -> String? {
    let (count, size) = (Int(header.e_phnum), Int(header.e_phentsize))
    guard size == MemoryLayout<Elf64_Phdr>.size, (1...1170).contains(count) else {
      throw file.damaged("its header counts \(count.of("segment")) of \(size) bytes")
    }
    let segments: [Elf64_Phdr] = try file.values(
      at: header.e_phoff, size: UInt64(count * size), of: "the table of its segments")
    // A program whose loadable segments are not in the file would crash.
    for segment in segments where segment.p_type == PT_LOAD {
      let (end, isTooLarge) = segment.p_offset.addingReportingOverflow(segment.p_filesz)
      guard !isTooLarge, end <= file.size else {
        throw file.damaged("a segment should end at byte \(end), of \(file.size)")
      }
    }
    guard let loader = segments.first(where: { $0.p_type == PT_INTERP }) else { return nil }
    guard (2...4096).contains(loader.p_filesz) else {
      throw file.damaged("its loader's path takes \(loader.p_filesz.of("byte"))")
    }
    let text = try file.bytes(at: loader.p_offset, count: loader.p_filesz, of: "its loader's path")
    guard text.last == 0 else { throw file.damaged("its loader's path has no end") }
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func sections(
    _ file: ProgramFile, _ header: Elf64_Ehdr
  ) throws(Failure) -> [Elf64_Shdr] {
    guard header.e_shoff != 0 else { return [] }
    guard header.e_shentsize == MemoryLayout<Elf64_Shdr>.size else {
      throw file.damaged("its header has sections of \(header.e_shentsize) bytes")
    }
    // If the header cannot hold the number of sections, the first section has it.
    var count = UInt64(header.e_shnum)
    if count == 0 {
      let first: Elf64_Shdr = try file.value(at: header.e_shoff, of: "its first section")
      count = first.sh_size
    }
    let (size, isTooLarge) = count.multipliedReportingOverflow(by: UInt64(header.e_shentsize))
    guard !isTooLarge else { throw file.damaged("it counts \(count) sections") }
    return try file.values(at: header.e_shoff, size: size, of: "the table of its sections")
  }
}
