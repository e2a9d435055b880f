/// Functions that cannot be hooked.
enum ReservedFunctions {
  /// Why a function cannot be hooked; nil if it can.
  static func refusal(of symbol: String) -> String? {
    if returningTwice.contains(symbol) {
      return "\(symbol) returns twice, or never, so that its handlers could not end"
    }
    if memory.contains(symbol) || prefixes.contains(where: symbol.hasPrefix) {
      return "\(symbol) is called on the way to every handler, which would never arrive"
    }
    return nil
  }

  private static let returningTwice: Set<String> = [
    "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp",
    "__longjmp_chk", "vfork", "getcontext", "setcontext", "swapcontext",
  ]

  private static let memory: Set<String> = [
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "strcmp", "__memcpy_chk",
    "__memmove_chk", "__memset_chk", "__tls_get_addr", "__errno_location",
  ]

  /// Prefixes of the functions of the Swift runtime, of the unwinder and of C++ exceptions.
  private static let prefixes = ["swift_", "_swift_", "__swift_", "_Unwind_", "__cxa_"]
}
