public import BlockABI
private import BlockRuntimeThreads
internal import CSymbolInterposing.ImportSlots
private import Invocations

/// A word of a loaded object through which it calls a function of another object, or takes its
/// address.
///
/// Specification: System V ABI, AMD64 supplement, relocations `R_X86_64_JUMP_SLOT` and
/// `R_X86_64_GLOB_DAT`.
public struct ImportSlot: Hashable, Sendable {
  /// The function's name.
  public let symbol: String

  /// The version of the symbol that the object requires, nil if none.
  public let version: String?

  /// The path of the object that imports it.
  public let image: String

  /// Whether the object calls through the slot; else it takes the function's address from there.
  public let isCall: Bool

  /// Whether the loader has bound the slot; under lazy binding it does so at the first call.
  ///
  /// False while the object is being loaded, and for a weak symbol that no object defines.
  public let isBound: Bool

  /// Whether the loader has relocated the slot; false while its object is still being loaded.
  let isRelocated: Bool

  /// The address of the slot.
  public let address: UInt

  /// The slot's value when it was listed: the address of the function, or of code that replaces it.
  public let value: UInt

  /// The function that the slot leads to, nil if no image holds it.
  public var target: CodeSymbol? {
    // SAFETY: the address is only looked up.
    unsafe UnsafeRawPointer(bitPattern: value).flatMap { unsafe CodeSymbol(at: $0) }
  }

  /// Whether the slot led to hooks when it was listed.
  public let isHooked: Bool

  private init(_ slot: cbr_import_slot) {
    // SAFETY: the strings live as long as their object, which stays loaded during the visit.
    symbol = unsafe String(cString: slot.symbol)
    version = unsafe slot.version.map { unsafe String(cString: $0) }
    let name = unsafe String(cString: slot.image)
    image = name.isEmpty ? ImageFilter.program : name
    isCall = unsafe slot.is_call
    isBound = unsafe slot.is_bound
    isRelocated = unsafe slot.is_relocated
    address = unsafe UInt(bitPattern: slot.place)
    value = unsafe UInt(bitPattern: slot.value)
    isHooked = InterposedAddresses.contains(value)
  }

  /// The slots of loaded objects.
  ///
  /// - Parameters:
  ///   - symbol: The function's name; every function's if not given.
  ///   - images: The objects whose slots are listed; all if not given.
  /// - Returns: The slots, those of one object together, the program's first.
  public static func all(of symbol: String? = nil, in images: ImageFilter = .all) -> [ImportSlot] {
    ReentrancyGuard.ignoringThread {
      var slots: [ImportSlot] = []
      // SAFETY: each slot is copied during the visit.
      unsafe LoadedSlots.visit(symbol) { unsafe slots.append(ImportSlot($0)) }
      return images.isAll ? slots : slots.filter { images.admits($0.image) }
    }
  }
}

extension ImportSlot: CustomStringConvertible {
  /// The image's file, the symbol with its version, and the kind of the slot.
  public var description: String {
    let file = image.split(separator: "/").last.map(String.init) ?? image
    let name = version.map { "\(symbol)@\($0)" } ?? symbol
    let states = [
      isCall ? "call" : "address", isBound ? nil : "not bound", isHooked ? "hooked" : nil,
    ]
    return "\(file): \(name) (\(states.compactMap { $0 }.joined(separator: ", ")))"
  }
}

extension ImportSlot {
  /// The function that calls through the slot reach if nothing is hooked, nil if there is none.
  ///
  /// The property calls the loader.
  package var definition: UInt? {
    let function = InterposedAddresses.function(behind: value)
    // SAFETY: the addresses are only looked up, and the result is not dereferenced.
    guard isBound, let address = unsafe UnsafeRawPointer(bitPattern: function) else {
      return unsafe Self.find(symbol, version, UnsafeRawPointer(bitPattern: address))
    }
    return unsafe cbr_behind_stub(address).map { UInt(bitPattern: $0) }
  }

  /// The function that the program would be bound to.
  ///
  /// - Parameters:
  ///   - symbol: The name.
  ///   - version: Its version, nil for the default.
  /// - Returns: Its address, nil if no object that the program sees defines it.
  static func findDefinition(of symbol: String, version: String?) -> UInt? {
    // SAFETY: the string is null-terminated during the call; the result is not dereferenced.
    guard version == nil else { return unsafe find(symbol, version, nil) }
    return unsafe cbr_find_default(symbol).map { UInt(bitPattern: $0) }
  }

  private static func find(
    _ symbol: String, _ version: String?, _ place: UnsafeRawPointer?
  ) -> UInt? {
    // SAFETY: the strings are null-terminated during the call; the result is not dereferenced.
    return unsafe cbr_find_definition(symbol, version, place).map { UInt(bitPattern: $0) }
  }
}
