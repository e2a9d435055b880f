private import BlockRuntimeErrors
internal import CCallTracing.TraceCounts

/// Functions of a program whose calls are counted in a file, for a reader in another process.
@safe
package struct CountedCalls {
  /// A function whose calls are counted.
  package struct Function {
    /// Its symbol.
    package let symbol: String

    /// The path of the program or shared library.
    package let image: String

    /// Creates a function.
    package init(symbol: String, image: String) {
      self.symbol = symbol
      self.image = image
    }
  }

  /// How many sets of counters there are: a thread counts in one of them.
  package static let setCount = 16

  /// How many functions there may be.
  package static let functionLimit = 1 << 16

  /// The counters of all sets, which are mapped until the process ends.
  package let counters: UnsafeMutablePointer<UInt64>

  /// Creates the file, which stays this process's until that ends.
  ///
  /// - Parameters:
  ///   - directory: The directory in which the reader looks for it.
  ///   - size: How many counters a set has.
  ///   - functions: The functions by the places of their counters.
  /// - Throws: `outputUnavailable`.
  package init(
    directory: String, size: Int, functions: [(place: Int, function: Function)]
  ) throws(TraceError) {
    let text = functions.map { "\($0.place) \($0.function.symbol) \($0.function.image)\n" }.joined()
    var numbers: UnsafeMutablePointer<UInt64>?
    // SAFETY: the strings are null-terminated for the duration of the call.
    let error = unsafe cbr_trace_counts_create(
      directory, UInt64(size), UInt64(Self.setCount), text, &numbers)
    guard error == 0, let numbers = unsafe numbers else {
      let reason = SystemError.text(error)
      throw TraceError(
        .outputUnavailable,
        "cannot create a file in \(directory): \(reason); give a directory that has room")
    }
    unsafe counters = unsafe numbers
  }
}
