internal import CodeSymbols
internal import Invocations

/// Where code is in an image's file, as a stream has it.
struct StreamPlace {
  private let address: UInt64
  private let buildID: UInt64

  init(_ body: inout RecordBody) throws(DamagedRecord) {
    address = try body.integer()
    buildID = try body.integer()
  }

  /// The place in an image; nil if that has no file which is known.
  func code(in image: String?) -> CodePlace? {
    guard address != 0, let image, image.hasPrefix("/") else { return nil }
    return CodePlace(file: image, address: UInt(address), buildID: buildID)
  }
}

extension RecordBody {
  /// Reads the path of an image's file: a process has one for its program that names another one's
  /// in other processes.
  mutating func image(of program: String) throws(DamagedRecord) -> String {
    let path = try name()
    return path == "/proc/self/exe" ? program : path
  }
}
