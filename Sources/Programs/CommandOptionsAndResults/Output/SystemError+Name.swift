@_exported public import BlockRuntimeErrors
private import Invocations

extension SystemError {
  /// The name of an error, such as `ENOENT`; nil if it has none.
  package static func name(_ number: Int32) -> String? {
    // SAFETY: that is the function's declaration, which Swift does not import; its names are
    // constants.
    guard let name = unsafe try? CFunction("const char *strerrorname_np(int)"),
      let text: UnsafePointer<CChar>? = unsafe try? name(number)
    else { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }
}
