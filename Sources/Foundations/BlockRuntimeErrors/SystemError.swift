private import Glibc

/// The system's texts of its error numbers (`errno`).
package enum SystemError {
  /// The system's text for an error, such as `No such file or directory`.
  package static func text(_ number: Int32) -> String {
    // SAFETY: the text lives until the thread's next call of strerror; it is copied at once.
    unsafe String(cString: strerror(number))
  }
}
