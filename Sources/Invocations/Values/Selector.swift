private import CInvocations.Selectors
public import TypeEncodings

// SAFETY, for the whole file: a selector's text is never freed, and never changes.

/// The name of a message, such as `page:didLoad:`, kept once: equal selectors are the same pointer.
///
/// Names live as long as the program. The corresponding Objective-C type is `SEL`.
@safe
public struct Selector: Hashable, Sendable {
  // SAFETY: the address is immutable.
  @usableFromInline nonisolated(unsafe) package let address: UnsafeRawPointer

  private init(address: UnsafeRawPointer) { unsafe self.address = unsafe address }

  /// Finds or keeps a name: `sel_registerName`.
  ///
  /// - Parameter name: The name; what follows a zero byte is left out.
  public init(_ name: String) {
    unsafe address = unsafe name.withCString { unsafe cbr_selector_named($0) }
  }

  /// Finds a name that is kept already.
  ///
  /// - Parameter name: The name.
  /// - Returns: Nil if no selector has that name.
  public static func known(_ name: String) -> Selector? {
    unsafe name.withCString { unsafe cbr_selector_known($0) }.map { unsafe Selector(address: $0) }
  }

  /// The selector that a pointer of C code is, such as argument 1 of a method.
  ///
  /// - Parameter pointer: Any address; it is compared, and not followed.
  /// - Returns: Nil if it is none.
  public static func at(_ pointer: UnsafeRawPointer) -> Selector? {
    unsafe cbr_selector_is(pointer) ? unsafe Selector(address: pointer) : nil
  }

  /// The name: `sel_getName`.
  public var name: String {
    unsafe String(cString: address.assumingMemoryBound(to: CChar.self))
  }

  /// How many arguments a message of this name has: one for each colon.
  public var argumentCount: Int { name.utf8.count { $0 == UInt8(ascii: ":") } }

  /// The name in C, for as long as the program runs; it is what a method gets as argument 1.
  public var pointer: UnsafeRawPointer { unsafe address }

  /// Whether two selectors have the same name: one comparison of pointers.
  @inlinable
  public static func == (first: Self, second: Self) -> Bool {
    unsafe first.address == second.address
  }

  /// Hashes the pointer.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(unsafe UInt(bitPattern: address))
  }
}

extension Selector: ExpressibleByStringLiteral {
  /// Finds or keeps the name of a literal; after the first time by the literal's address.
  public init(stringLiteral name: StaticString) {
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
    guard unsafe slot.kind == .selector else { throw unsafe slot.mismatch(Selector.self) }
    guard let pointer = unsafe slot.pointer else {
      throw unsafe slot.error(.unexpectedNull, "the selector is NULL; ask for a Selector?")
    }
    guard let selector = unsafe Selector.at(pointer) else {
      throw unsafe slot.error(
        .typeMismatch, "the selector is another runtime's; ask for an UnsafeRawPointer")
    }
    return selector
  }

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    guard unsafe slot.kind == .selector else { throw unsafe slot.mismatch(Selector.self) }
    unsafe slot.pointer = unsafe UnsafeMutableRawPointer(mutating: address)
  }
}
