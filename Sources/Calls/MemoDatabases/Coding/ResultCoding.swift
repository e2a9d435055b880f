#if Database
private import Foundation
internal import Invocations

/// The way in which objects that a block returns are stored.
///
/// Numbers, C strings and records of them need no coding.
public struct ResultCoding: Sendable {
  /// The name, which distinguishes the rows of different codings.
  let name: String

  let encode: @Sendable (AnyObject) throws -> [UInt8]?

  /// Makes the object, of the Swift type of a name that the signature may have.
  let decode: @Sendable (_ bytes: [UInt8], _ typeName: String?) throws -> AnyObject?

  /// Creates a coding.
  ///
  /// - Parameters:
  ///   - name: The name of the coding; results stored under another name are not found.
  ///   - encode: Makes bytes of a result. It runs in the call that has made it, on its thread,
  ///     without a lock held; a result for which it throws is returned, and not stored.
  ///   - decode: Makes a result of bytes. It runs in the call that is answered, on its thread,
  ///     without a lock held; a call for which it throws runs the block. The object may be returned
  ///     on any thread.
  public init(
    name: String, encode: @escaping @Sendable (AnyObject) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> AnyObject
  ) {
    self.name = name
    self.encode = { try encode($0) }
    self.decode = { bytes, _ in try decode(bytes) }
  }

  /// Stores results of a Codable type as JSON: Swift values that are returned as `Any` or as
  /// objects, and objects of Swift classes.
  ///
  /// A result of another type is not stored. A value must equal what it is decoded to.
  ///
  /// - Parameter type: The type.
  /// - Returns: The coding, which has the type's name.
  public static func codable<Value: Codable & SendableMetatype>(
    _ type: Value.Type
  ) -> ResultCoding {
    let name = SwiftValue.name(of: type)
    return ResultCoding(
      internalName: "JSON of \(TypeName.lasting(type))",
      encode: { object in
        let value = (object as? SwiftValue).map(\.value) ?? object
        guard let value = value as? Value else { return nil }
        return try JSON.encode(value)
      },
      decode: { bytes, typeName in
        let value = try JSON.decode(Value.self, from: bytes)
        return typeName == name && !(Value.self is AnyClass)
          ? SwiftValue(value) : value as AnyObject
      })
  }

  /// Stores text in UTF-8, and returns it as `NSString`, as Swift's blocks return a `String`.
  public static let text = ResultCoding(
    internalName: "text",
    encode: { object in (object as? NSString).map { Array(($0 as String).utf8) } },
    decode: { bytes, _ in
      String(validating: bytes, as: UTF8.self).map { NSString(string: $0) }
    })

  private init(
    internalName name: String, encode: @escaping @Sendable (AnyObject) throws -> [UInt8]?,
    decode: @escaping @Sendable ([UInt8], String?) throws -> AnyObject?
  ) {
    self.name = name
    self.encode = encode
    self.decode = decode
  }
}
#endif
