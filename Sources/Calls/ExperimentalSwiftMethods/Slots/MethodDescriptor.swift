private import BlockABI
internal import LoadedClasses

/// The compiler's constant description of one method that a class adds to its table.
struct MethodDescriptor: Hashable, Sendable {
  private let address: RuntimeAddress

  /// The class that declares the method.
  let owner: ClassDescriptor

  /// The position of the method's code, in words from the address point of the metadata.
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

  /// Nil for kinds that this list lacks.
  var kind: Kind? { Kind(rawValue: flags & 0xF) }

  var isInstanceMethod: Bool { flags & 0x10 != 0 }
  var isAsync: Bool { flags & 0x40 != 0 }

  /// The declarations of methods whose descriptors are adjacent, from their symbols.
  ///
  /// - Returns: The declaration of each method; nil if it has no symbol, or several.
  static func declarations(of methods: [MethodDescriptor]) -> [String?] {
    guard let first = methods.first else { return [] }
    // SAFETY: symbols are searched by address; the memory is not read.
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

extension ClassDescriptor {
  /// The methods that the class adds to those it inherits.
  ///
  /// Empty for a generic class, and where the slots are not constant.
  var methods: [MethodDescriptor] {
    guard let table = methodTable else { return [] }
    let first = Int(table.load(UInt32.self, at: 0))
    let count = Int(table.load(UInt32.self, at: 4))
    return (0..<count).map { index in
      MethodDescriptor(
        table + 8 + index * MethodDescriptor.size, declaredBy: self, slot: first + index)
    }
  }
}
