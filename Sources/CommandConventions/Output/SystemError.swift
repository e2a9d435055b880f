import Glibc

/// What the system says of its errors.
package enum SystemError {
  /// The text of an error.
  package static func text(_ number: Int32) -> String {
    // SAFETY: the text lives until the thread's next call.
    unsafe strerror(number).map { unsafe String(cString: $0) } ?? "errno \(number)"
  }
}
