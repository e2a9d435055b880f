private import BlockABI

/// What the compiler wrote about one method that a class adds to its table.
struct MethodDescriptor: Hashable, Sendable {
  private let address: RuntimeAddress

  /// The class that declares the method.
  let owner: ClassDescriptor

  /// The place of the method's code, in words from the address point of the metadata.
  let slot: Int

  static let size = 8

  /// The kinds of methods in a table.
  enum Kind: UInt32 {
    case method, initializer, getter, setter, modifyCoroutine, readCoroutine
  }

  init(_ address: RuntimeAddress, declaredBy owner: ClassDescriptor, slot: Int) {
    self.address = address
    self.owner = owner
    self.slot = slot
  }

  private var flags: UInt32 { address.load(at: 0) }

  /// Nil for kinds that came after these.
  var kind: Kind? { Kind(rawValue: flags & 0xF) }

  var isInstanceMethod: Bool { flags & 0x10 != 0 }
  var isAsync: Bool { flags & 0x40 != 0 }

  /// The declarations of methods that lie one behind the other, as their symbols give them.
  ///
  /// - Returns: For each method its declaration; nil where it has no symbol, or several.
  static func declarations(of methods: [MethodDescriptor]) -> [String?] {
    guard let first = methods.first else { return [] }
    // SAFETY: the symbols are looked for by address; nothing is read there.
    let names = unsafe CodeSymbol.mangledNames(
      from: first.address.pointer, length: methods.count * size)
    return methods.indices.map { index in
      let symbols = names[index * size, default: []].filter { $0.hasSuffix("Tq") }
      guard let symbol = symbols.first, symbols.count == 1,
        let text = CodeSymbol.demangled(symbol), text.hasPrefix(prefix)
      else { return nil }
      return String(text.dropFirst(prefix.count))
    }
  }

  private static let prefix = "method descriptor for "
}
