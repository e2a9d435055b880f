private import CLoadedImages.BuildIDs
private import CLoadedImages.Symbols

/// Where code stands in the file of a program or library.
package struct CodePlace: Hashable, Sendable {
  /// The path at which the file is found.
  package let file: String

  /// The address as it stands in the file.
  package let address: UInt

  /// The beginning of the build ID of the image that was loaded from the file; 0 if it has none.
  package let buildID: UInt64

  package init(file: String, address: UInt, buildID: UInt64) {
    self.file = file
    self.address = address
    self.buildID = buildID
  }

  /// Where the closure is that this code calls, if the code is a forwarder: a function that the
  /// compiler made, which passes what the closure captures.
  ///
  /// - Returns: The place of the closure or, where it was inlined, those of the function's
  ///   instructions; empty for other code.
  package func closures() -> [CodePlace] {
    // SAFETY: the path is null-terminated for the duration of the call.
    let forwarder = unsafe cbr_find_forwarder(file, address)
    let size = UInt(min(forwarder.size, Self.forwarderLimit))
    let addresses =
      forwarder.target != 0
      ? [forwarder.target] : Array(stride(from: address, to: address + size, by: 4))
    return addresses.map { CodePlace(file: file, address: $0, buildID: buildID) }
  }

  /// How much of a forwarder is looked through, in bytes.
  private static let forwarderLimit = 1024

  /// The beginning of the build ID of a file; 0 if it has none, or cannot be read.
  package static func buildID(ofFile path: String) -> UInt64 {
    // SAFETY: the path is null-terminated for the duration of the call.
    unsafe cbr_build_id_of_file(path)
  }
}
