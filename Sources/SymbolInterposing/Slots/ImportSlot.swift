public import BlockABI
private import BlockRuntimeThreads
internal import CSymbolInterposing.ImportSlots
private import Invocations

// SAFETY, for the whole file: the loader keeps an object's strings while it is visited; a slot's place
// and value are compared, and never followed.

/// A word of a loaded object through which it calls a function of another object, or takes its address.
///
/// Specification: System V ABI, AMD64 supplement, relocations `R_X86_64_JUMP_SLOT` and
/// `R_X86_64_GLOB_DAT`.
public struct ImportSlot: Hashable, Sendable {
  /// The function's name.
  public let symbol: String

  /// The version of the symbol that the object asks for, nil if none.
  public let version: String?

  /// The path of the object that imports it.
  public let image: String

  /// Whether the object calls through the slot; else it takes the function's address from there.
  public let isCall: Bool

  /// Whether the loader has bound the slot; under lazy binding it does so at the first call.
  ///
  /// It has not where the object is still being loaded, nor where nobody defines a weak symbol.
  public let isBound: Bool

  /// Whether the loader has relocated the slot: its object may still be being loaded.
  let isRelocated: Bool

  /// Where the slot is.
  public let address: UInt

  /// What it held when it was listed: the address of the function, or of code that stands in for it.
  public let value: UInt

  /// The function that the slot leads to, nil where no image holds it.
  public var target: CodeSymbol? {
    unsafe UnsafeRawPointer(bitPattern: value).flatMap { unsafe CodeSymbol(at: $0) }
  }

  /// Whether it led to hooks when it was listed.
  public let isHooked: Bool

  private init(_ slot: cbr_import_slot) {
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
      unsafe SlotCache.visit(symbol) { unsafe slots.append(ImportSlot($0)) }
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
