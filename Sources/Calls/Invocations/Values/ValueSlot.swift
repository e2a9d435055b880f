private import Glibc
package import TypeEncodings

// SAFETY: a slot's address is valid for its layout while the slot is used; the code that makes a
// slot guarantees that.
/// The memory of one argument or result, with its type.
@unsafe
package struct ValueSlot {
  /// Where in a call a value stands.
  package enum Place: Hashable {
    case argument(Int)
    case result
    /// Inside the record or array of an argument, or of the result.
    case member(argument: Int?)
    /// In memory that belongs to no call.
    case memory
  }

  package let encoding: TypeEncoding
  package let layout: TypeLayout
  package let place: Place
  package let address: UnsafeMutableRawPointer

  package init(
    _ encoding: TypeEncoding, _ layout: TypeLayout, _ place: Place,
    at address: UnsafeMutableRawPointer
  ) {
    unsafe self.encoding = encoding
    unsafe self.layout = layout
    unsafe self.place = place
    unsafe self.address = unsafe address
  }

  package var kind: TypeEncoding.Kind { unsafe encoding.kind }

  /// Whether the value is one pointer, of whatever kind.
  var isPointer: Bool { unsafe kind.isPointer || isDecayedArray }

  /// Whether the slot holds an array argument, which C passes as a pointer.
  var isDecayedArray: Bool {
    guard case .argument = unsafe place, case .array = unsafe encoding.type else { return false }
    return true
  }

  /// The pointer in the slot, which must hold one.
  var pointer: UnsafeMutableRawPointer? {
    get { unsafe address.load(as: UnsafeMutableRawPointer?.self) }
    nonmutating set {
      unsafe address.storeBytes(of: newValue, as: UnsafeMutableRawPointer?.self)
    }
  }

  func error(
    _ code: ErrorCode, _ text: String, underlying: (any Error)? = nil
  ) -> InvocationError {
    switch unsafe place {
    case .argument(let index), .member(let index?):
      InvocationError(
        code, "argument \(index): \(text)", at: .argument(index), underlying: underlying)
    case .result, .member(nil):
      InvocationError(code, "result: \(text)", underlying: underlying)
    case .memory:
      InvocationError(code, text, underlying: underlying)
    }
  }

  /// The error of a Swift type that does not fit the slot's type.
  func mismatch(_ type: Any.Type) -> InvocationError {
    unsafe error(
      .typeMismatch,
      "a Swift \(type) is asked for or given, the signature says \(encoding) (\(kind.rawValue))")
  }
}

/// Objects to which the values of a call point, and which nobody else keeps; they are released with
/// this value.
package struct KeptValues {
  private var objects: [AnyObject] = []

  package init() {}

  package var isEmpty: Bool { objects.isEmpty }

  package mutating func keep(_ object: AnyObject) { objects.append(object) }

  /// Keeps all that another keeps.
  mutating func keep(all other: KeptValues) { objects += other.objects }

  /// All that is kept, as one object; nil if there is nothing.
  var owner: AnyObject? {
    objects.count < 2 ? objects.first : KeptObjects(objects)
  }
}

/// Several objects that are kept as one.
private final class KeptObjects {
  let objects: [AnyObject]

  init(_ objects: [AnyObject]) { self.objects = objects }
}

/// A C string in memory of its own.
@safe
final class CStringCopy {
  // SAFETY: the memory is initialised in `init`, and freed in `deinit`.
  let address: UnsafeMutablePointer<CChar>

  /// Copies bytes, which should hold no zero, and ends them with one.
  init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      // SAFETY: the memory has room for every byte, and for the zero after them.
      unsafe (memory + index).initialize(to: CChar(bitPattern: byte))
    }
    unsafe (memory + bytes.count).initialize(to: 0)
    unsafe address = unsafe memory
  }

  /// Copies a C string.
  ///
  /// ## Safety
  /// There must be a C string at the address.
  @unsafe
  convenience init(copying string: UnsafePointer<CChar>) {
    // SAFETY: the caller vouches for the string.
    let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
    unsafe self.init(bytes)
  }

  // SAFETY: users of the string retain this object.
  deinit { unsafe address.deallocate() }
}
