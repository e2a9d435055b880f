private import CSymbolInterposing.VForkedCalls

/// Calls of hooked functions in children of `vfork`, which use their parent's thread and never return
/// from `_exit` and `execve`.
enum VForkedCalls {
  /// What takes the place of `vfork` while anything is hooked, so that the parent is not left inside of
  /// its children's calls; nil where the platform has none.
  static let replacement: SlotReplacement? = {
    guard let definition = ImportSlot.findDefinition(of: "vfork", version: nil),
      // SAFETY: the address is code that is never freed, and is not followed here.
      let code = unsafe cbr_vfork_code()
    else { return nil }
    let address = UInt(bitPattern: code)
    InterposedAddresses.insert(address, for: definition)
    return SlotReplacement(
      symbol: "vfork", definition: definition, resting: definition, code: address)
  }()
}
