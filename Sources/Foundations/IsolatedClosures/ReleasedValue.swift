/// The last reference to a value, to be released where the value belongs.
struct ReleasedValue: Hashable, Sendable {
  private let address: UInt

  /// Takes over a reference.
  init<Value: AnyObject>(_ reference: Unmanaged<Value>) {
    address = unsafe UInt(bitPattern: reference.toOpaque())
  }

  /// Releases the reference; to be called once, by its one owner.
  func free() {
    // SAFETY: the address is that of an object, whose reference this is.
    guard let value = unsafe UnsafeRawPointer(bitPattern: address) else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(value).release()
  }
}
