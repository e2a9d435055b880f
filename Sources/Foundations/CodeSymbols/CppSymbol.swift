private import Glibc

/// The symbols of C++ functions, as the Itanium C++ ABI mangles them.
package enum CppSymbol {
  private typealias Demangle =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<CInt>
    ) -> UnsafeMutablePointer<CChar>?

  /// `__cxa_demangle` of the C++ library; nil if the process has none.
  private static let demangle: Demangle? = {
    // SAFETY: the C++ ABI fixes the function's type; the C++ library is not unloaded, because
    // Swift's library needs it.
    unsafe dlsym(nil, "__cxa_demangle").map { unsafe unsafeBitCast($0, to: Demangle.self) }
  }()

  /// Finds the demangler now: threads that name code later must not wait for the loader.
  package static func prepare() { unsafe _ = demangle }

  /// The declaration of a C++ function, or `block #1 in` and that of the function that contains the
  /// block; nil for symbols of neither.
  package static func demangled(_ symbol: String) -> String? {
    if symbol.hasPrefix("_Z") { return declaration(symbol) }
    // Clang names a block by the symbol of its function, with two underscores, and its number if it
    // is not the first.
    guard symbol.hasPrefix("___Z"),
      let match = symbol.dropFirst(2).wholeMatch(of: /(.+)_block_invoke(?:_(\d+))?/),
      let function = declaration(String(match.output.1))
    else { return nil }
    return "block #\(match.output.2 ?? "1") in \(function)"
  }

  private static func declaration(_ symbol: String) -> String? {
    guard let demangle = unsafe demangle else { return nil }
    var status: CInt = 0
    // SAFETY: the function reads the C string, and returns another that the caller owns.
    guard let text = unsafe demangle(symbol, nil, nil, &status) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
