/// The components of a key path in memory, as the standard library lays them out (`KeyPath.swift`,
/// `MetadataValues.h`).
///
/// Only what is recognised is read. A buffer must not be used longer than its key path.
struct KeyPathBuffer {
  /// A computed property of a class: how it is identified, and read.
  struct ComputedProperty {
    /// The word that identifies the property.
    let word: UInt
    /// The function that reads the property: see `cbr_call_key_path_getter`.
    let getter: UInt
    /// Whether arguments follow.
    let hasArguments: Bool
    /// The offset of what follows.
    let end: Int
  }

  /// The offset of the first component.
  static let first = Layout.word

  private let address: UInt
  private let header: UInt32

  /// The offset behind the last component.
  let end: Int

  init(_ keyPath: AnyKeyPath) {
    address = UInt(bitPattern: ObjectIdentifier(keyPath)) + UInt(Layout.buffer)
    // SAFETY: a key-path object has a header of two words, a word for Objective-C, and its buffer:
    // a header, and the components, whose number of bytes is in that header.
    header = unsafe UnsafePointer<UInt32>(bitPattern: address).unsafelyUnwrapped.pointee
    end = Layout.word + Int(header & Layout.sizeMask)
  }

  /// At least the number of computed properties among the components.
  var mostComputedProperties: Int { end / (Layout.getterSize + Layout.word) }

  /// Whether there is one component.
  var isSingle: Bool { header & Layout.isSingle != 0 }

  /// The word at an offset; nil if the buffer ends before the word does.
  func word(at offset: Int) -> UInt? { load(offset) }

  /// The computed property at an offset.
  func computedProperty(at offset: Int) -> ComputedProperty? {
    guard let kind: UInt32 = load(offset), kind & Layout.kindMask == Layout.computedByAddress,
      let word = word(at: offset + Layout.word),
      let getter = self.word(at: offset + 2 * Layout.word)
    else { return nil }
    let accessors = kind & Layout.isSettable == 0 ? Layout.getterSize : Layout.setterSize
    guard offset + accessors <= end else { return nil }
    return ComputedProperty(
      word: word, getter: getter, hasArguments: kind & Layout.hasArguments != 0,
      end: offset + accessors)
  }

  /// Whether the component at an offset reads what an optional value wraps, or else ends the path.
  func isOptionalChain(at offset: Int) -> Bool {
    load(offset).map { (kind: UInt32) in kind & Layout.optionalMask == Layout.chain } ?? false
  }

  /// Whether the component at an offset is the last, and makes the value an optional one.
  func isOptionalWrap(at offset: Int) -> Bool {
    guard end == offset + MemoryLayout<UInt32>.size, let kind: UInt32 = load(offset) else {
      return false
    }
    return kind & Layout.optionalMask == Layout.wrap
  }

  private func load<Word: FixedWidthInteger>(_ offset: Int) -> Word? {
    guard offset + MemoryLayout<Word>.size <= end else { return nil }
    // SAFETY: the buffer has as many bytes; components and types are aligned.
    return unsafe UnsafePointer<Word>(bitPattern: address + UInt(offset))?.pointee
  }

  private enum Layout {
    static let word = MemoryLayout<UInt>.size
    static let buffer = 3 * word

    // The buffer's header.
    static let sizeMask: UInt32 = 0x00FF_FFFF
    static let isSingle: UInt32 = 0x2000_0000

    // The component's header: its kind, and the kind of its identifier, which has been resolved.
    static let kindMask: UInt32 = 0x7F30_000F
    static let computedByAddress: UInt32 = 0x0200_0000
    static let hasArguments: UInt32 = 0x0008_0000
    static let isSettable: UInt32 = 0x0040_0000

    // A computed component: its header, its identifier, a getter, a setter.
    static let getterSize = 3 * word
    static let setterSize = 4 * word

    // An optional component: its header alone.
    static let optionalMask: UInt32 = 0x7FFF_FFFF
    static let chain: UInt32 = 0x0400_0000
    static let wrap: UInt32 = 0x0400_0001
  }
}
