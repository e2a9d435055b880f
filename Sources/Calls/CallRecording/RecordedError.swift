internal import Invocations

/// The record of an error that a recorded call threw: its type and its description.
public struct RecordedError: Error, Hashable, Sendable {
  /// The name of the error's type with its module, as `Shop.CartError`.
  public let typeName: String

  /// The error's description; that of an error of Foundation has its domain and its code.
  public let text: String

  /// Makes the record of an error.
  init(_ error: any Error) {
    typeName = TypeName.lasting(type(of: error))
    text = "\(error)"
  }

  /// Reads what `append` wrote.
  init(_ bytes: inout ByteReader<RecordingError>) throws(RecordingError) {
    typeName = try bytes.text()
    text = try bytes.text()
  }

  /// Writes the error.
  ///
  /// - Returns: False if one of its texts is longer than the format can say.
  func append(to bytes: inout [UInt8]) -> Bool {
    bytes.append(counted: typeName.utf8) && bytes.append(counted: text.utf8)
  }
}

extension RecordedError: CustomStringConvertible {
  /// The error's description, on one line.
  public var description: String { text.onOneLine }
}
