private import BlockABI
internal import LoadedClasses

// Blocks say by the names of their helpers what they hold; no helper is called.
extension ReferenceReader {
  /// Reads the references that a block holds.
  mutating func readBlock(_ place: Place) {
    guard place.isReadableHeader, unsafe BlockReference.isBlock(at: place.pointer) else {
      return noteUnknown("")
    }
    // SAFETY: there is a block at the place.
    let block = unsafe Block(unsafePointer: place.pointer)
    if let attachment = block.attachment {
      found.append(FoundReference(path: "", node: HeapNode(attachment as AnyObject)))
    }
    // A block without a helper captures only bytes.
    guard block.kind != .global, let helper = unsafe block.disposeHelper else { return }
    let name = unsafe CodeSymbol(at: helper)?.mangledName ?? ""
    let captures = Block.thunkedCodeOffset
    if name.hasPrefix("block_destroy_helper"), block.size == captures + 16 {
      // A Swift block: the code of a closure, and its context.
      noteClosure("closure", at: place + captures)
    } else if name.hasPrefix("$s8BlockABI") {
      note("owner", place.place(at: captures))
    } else if name.hasPrefix("__destroy_helper_block_") {
      readCaptures(place, name)
    } else {
      noteUnknown("captures")
    }
  }

  /// Reads the captures of a block from clang, whose helper is named after them: in
  /// `__destroy_helper_block_8_32b40r`, 8 is an alignment, b a block, and r a `__block` variable.
  private mutating func readCaptures(_ block: Place, _ helper: String) {
    let list = helper.utf8.dropFirst("__destroy_helper_block_".utf8.count)
      .drop { $0 != UInt8(ascii: "_") }.dropFirst()
    var rest = list[...]
    while !rest.isEmpty {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest[digits.endIndex...]
      let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      rest = rest[letters.endIndex...]
      guard let offset = Int(String(decoding: digits, as: UTF8.self)), offset % 8 == 0,
        let letter = letters.first
      else { return noteUnknown("captures") }
      let path = "capture at \(offset)"
      switch letter {
      case UInt8(ascii: "b"): note(path, block.place(at: offset), isBlock: true)
      case UInt8(ascii: "o"), UInt8(ascii: "s"): note(path, block.place(at: offset))
      case UInt8(ascii: "w"): note(path, .weak, block + offset, nil)
      case UInt8(ascii: "r"): readVariable(path, block.place(at: offset))
      // A value of C++ or a record: its letters and digits say nothing of what it holds.
      default: return noteUnknown("captures from \(offset) on")
      }
    }
  }

  /// Reads a `__block` variable, which is in memory of its own if the block is on the heap.
  private mutating func readVariable(_ path: String, _ variable: Place?) {
    // Its header: isa, forwarding, flags, size, and helpers if the variable needs them.
    guard let variable, variable.isReadableHeader, let current = variable.place(at: 8),
      current.isReadableHeader
    else { return noteUnknown(path) }
    let hasHelpers = current.load(UInt32.self, at: 16) & 1 << 25 != 0
    guard hasHelpers else { return }
    let value = current.place(at: 40)
    if let value, value.isReadableHeader, unsafe BlockReference.isBlock(at: value.pointer) {
      note(path, value, isBlock: true)
    } else if value != nil {
      noteUnknown(path)
    }
  }
}
