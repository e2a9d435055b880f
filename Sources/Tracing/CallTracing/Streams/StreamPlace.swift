internal import CodeSymbols
internal import Invocations

/// Where code is in an image's file, as a stream has it.
struct StreamPlace {
  private let address: UInt64
  private let buildID: UInt64

  init(_ body: inout ByteReader<DamagedRecord>) throws(DamagedRecord) {
    address = try body.integer()
    buildID = try body.integer()
  }

  /// The place in the file of an image; nil if that is not known.
  ///
  /// - Parameters:
  ///   - image: The path of the image, by which a program need not be found.
  ///   - program: The path of the program.
  /// - Returns: The place.
  func code(in image: String?, of program: String) -> CodePlace? {
    guard address != 0, let image else { return nil }
    let file = image.hasPrefix("/") ? image : program
    return file.isEmpty ? nil : CodePlace(file: file, address: UInt(address), buildID: buildID)
  }
}
