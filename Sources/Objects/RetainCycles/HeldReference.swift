public import BlockABI
internal import BlockRuntimeThreads
internal import LoadedClasses

/// A reference that an object, a block or a closure has to something else.
public struct HeldReference: CustomStringConvertible {
  /// How a reference holds its object.
  public enum Ownership: String, Hashable, Sendable {
    /// It keeps the object alive.
    case strong
    /// It is nil once the object has ended.
    case weak
    /// It must not be used once the object has ended: `unowned`.
    case unowned
    /// It is an address: `unowned(unsafe)`.
    case unmanaged
    /// There may be references that cannot be seen, because nothing describes the memory.
    case unknown
  }

  /// Where the reference is in its holder: `onLoad`, `pages[2]`, `capture 0`; captures have no
  /// names.
  public let name: String

  /// What it refers to: the class of the object, the function of a closure or a block, or else the
  /// declared type.
  public let typeName: String

  /// How it holds what it refers to.
  public let ownership: Ownership

  /// The object of a strong or weak reference; nil for closures, blocks, and objects that have
  /// ended.
  public let object: AnyObject?

  /// The name, the ownership and the type's name.
  public var description: String { "\(name): \(ownership.rawValue) \(typeName)" }

  init(_ found: FoundReference) {
    typeName = found.target
    ownership = found.ownership
    switch found.ownership {
    case .strong: object = found.node?.object
    case .weak: object = found.weakObject
    default: object = nil
    }
    // This library's tables have no places in their owners.
    let table = found.path.isEmpty ? object as? any ReferenceTable : nil
    name = table?.label ?? found.path
  }
}

extension HeldReference {
  /// The references of an object's stored properties, and those that this library's tables hold
  /// for it: associated values, observers, delayed blocks, hooks.
  ///
  /// ## Safety
  /// No other thread may change the object, or what it refers to, during the call.
  ///
  /// - Parameter object: An object of a Swift class, initialised completely.
  /// - Returns: The references; places that nothing describes have the ownership `unknown`.
  @unsafe
  public static func all(of object: AnyObject) -> [HeldReference] {
    var reader = ReferenceReader(limit: .max)
    reader.read(HeapNode(object))
    return withExtendedLifetime(object) { reader.take().map(HeldReference.init) }
  }
}

extension Block {
  /// The references that the block captures, if it was compiled by Swift or clang, or made by this
  /// library.
  ///
  /// A Swift block's captures are those of its closure. Metadata of the compiler describes them, so
  /// with `-disable-reflection-metadata` they are `unknown`, as are those of a block from clang
  /// without symbols.
  ///
  /// ## Safety
  /// No other thread may change what the block captures during the call.
  @unsafe
  public var captures: [HeldReference] {
    var reader = ReferenceReader(limit: .max)
    var node = unsafe withUnsafePointer { unsafe HeapNode(place: Place($0), isBlock: true) }
    var isWrapper = true
    while true {
      reader.read(node)
      let found = reader.take()
      // A Swift block and a thunk capture only the closure.
      guard isWrapper, found.count == 1, let closure = found.first, closure.code != nil,
        let context = closure.node
      else {
        return withExtendedLifetime(self) {
          found.flatMap { reader.variable(in: $0) }.map(HeldReference.init)
        }
      }
      node = context
      isWrapper = closure.isThunk
    }
  }
}
