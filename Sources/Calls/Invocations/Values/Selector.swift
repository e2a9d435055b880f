private import CInvocations.Selectors
public import TypeEncodings

/// The name of a message, such as `page:didLoad:`; equal selectors are the same pointer.
///
/// Each name is stored once, and never freed. The corresponding Objective-C type is `SEL`.
@safe
public struct Selector: Hashable, Sendable {
  // SAFETY: immutable, and so is the C string at the address, which is never freed.
  @usableFromInline nonisolated(unsafe) package let address: UnsafeRawPointer

  // SAFETY: the caller passes the address of a stored name.
  private init(address: UnsafeRawPointer) { unsafe self.address = unsafe address }

  /// Finds the selector of a name, or stores the name; Objective-C's `sel_registerName`.
  ///
  /// - Parameter name: The name; a zero byte ends it.
  public init(_ name: String) {
    // SAFETY: the C string is valid during the call, which copies it.
    unsafe address = unsafe name.withCString { unsafe cbr_selector_named($0) }
  }

  /// Finds the selector of a name that is already stored.
  ///
  /// - Parameter name: The name.
  /// - Returns: Nil if no selector has that name.
  public static func known(_ name: String) -> Selector? {
    // SAFETY: the C string is valid during the call; the result is the address of a stored name.
    unsafe name.withCString { unsafe cbr_selector_known($0) }.map { unsafe Selector(address: $0) }
  }

  /// The selector at a C pointer, such as argument 1 of a method.
  ///
  /// - Parameter pointer: Any address; it is only compared.
  /// - Returns: Nil if the address is not that of a selector.
  public static func at(_ pointer: UnsafeRawPointer) -> Selector? {
    // SAFETY: the address is compared with those of stored names.
    unsafe cbr_selector_is(pointer) ? unsafe Selector(address: pointer) : nil
  }

  /// The name; Objective-C's `sel_getName`.
  public var name: String {
    // SAFETY: the stored name is a C string.
    unsafe String(cString: address.assumingMemoryBound(to: CChar.self))
  }

  /// How many arguments a message of this name has: one for each colon.
  public var argumentCount: Int { name.utf8.count { $0 == UInt8(ascii: ":") } }

  // SAFETY: the address is that of a stored name, which is never freed.
  /// The name as a C string that is never freed; a method receives it as argument 1.
  public var pointer: UnsafeRawPointer { unsafe address }

  /// Whether two selectors have the same name: one comparison of pointers.
  @inlinable
  public static func == (first: Self, second: Self) -> Bool {
    // SAFETY: the addresses are only compared.
    unsafe first.address == second.address
  }

  /// Hashes the pointer.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    // SAFETY: the address is only hashed.
    hasher.combine(unsafe UInt(bitPattern: address))
  }
}

extension Selector: ExpressibleByStringLiteral {
  /// Finds the selector of a literal, or stores its name; later uses find it by the literal's
  /// address.
  public init(stringLiteral name: StaticString) {
    // SAFETY: the literal's bytes are valid for the life of the image, and are copied.
    unsafe address =
      if name.hasPointerRepresentation {
        unsafe cbr_selector_literal(name.utf8Start, name.utf8CodeUnitCount)
      } else {
        unsafe name.description.withCString { unsafe cbr_selector_named($0) }
      }
  }
}

extension Selector: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension Selector: TypeEncodable {
  /// The encoding `:`.
  public static var typeEncoding: TypeEncoding { TypeEncoding(.primitive(.selector)) }
}

extension Selector: SlotConvertible {
  static func load(from slot: ValueSlot) throws(InvocationError) -> Selector {
    // SAFETY: the slot is valid during the call; the pointer in it is only compared.
    guard unsafe slot.kind == .selector else { throw unsafe slot.mismatch(Selector.self) }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the selector is NULL; ask for a Selector?")
    }
    guard let selector = unsafe Selector.at(pointer) else {
      throw unsafe slot.error(
        .typeMismatch, "the selector belongs to another runtime; ask for an UnsafeRawPointer")
    }
    return selector
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // SAFETY: the slot is valid during the call; the name is never freed.
    guard unsafe slot.kind == .selector else { throw unsafe slot.mismatch(Selector.self) }
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: address)
  }
}
