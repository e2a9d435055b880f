private import BlockABI
internal import BlockRuntimeThreads
internal import LoadedClasses
private import ObjectLifetimes

// Objects on the heap: the kind of the metadata with which an object begins says what it is.
extension ReferenceReader {
  /// Reads the references that an object holds.
  mutating func read(_ node: HeapNode) {
    if node.isBlock { return readBlock(node.place) }
    let object = node.place
    guard let metadata = node.metadata else { return noteUnknown("") }
    switch metadata.kind {
    case .class where node.instanceType != nil: readInstance(object, metadata)
    case .context: readContext(object, metadata.address)
    case .box:
      guard let type = metadata.address.address(at: 16) else { return noteUnknown("") }
      let offset = metadata.address.load(UInt32.self, at: 8)
      read("value", at: object + Int(offset), TypeMetadata(at: type))
    case .error:
      guard let type = object.place(at: 16) else { return noteUnknown("") }
      let stored = TypeMetadata(at: type.address)
      read("error", at: object + Place.aligned(32, to: stored.alignment), stored)
    default: noteUnknown("")
    }
  }

  private mutating func readInstance(_ object: Place, _ type: TypeMetadata) {
    let first = found.count
    if let collection = type.storedCollection {
      // A collection is a reference to its storage.
      let pointer = unsafe object.pointer
      return unsafe withUnsafePointer(to: pointer) {
        unsafe collection.read("", at: Place($0), by: &self)
      }
    }
    // SAFETY: the object has a class; it is retained while it is used here.
    let instance = unsafe Unmanaged<AnyObject>.fromOpaque(object.pointer).takeUnretainedValue()
    for ancestor in sequence(first: type, next: \.superclass) {
      if ancestor.hidesElements { noteUnknown("elements", type) }
      guard let fields = holdingFields(of: ancestor) else {
        noteUnknown("", ancestor)
        continue
      }
      for field in fields where !isFull { read(field.name, at: object, field) }
    }
    if let reference = instance as? BlockReference {
      dropUnknown(from: first)
      note("block", unsafe Place(reference.pointer), isBlock: true)
    } else if let table = instance as? any ReferenceTable {
      // A table says what its memory does not.
      dropUnknown(from: first)
      unsafe withUnsafePointer(to: table.contents) {
        unsafe read("", at: Place($0), TypeMetadata(Any.self))
      }
    }
    for associated in associatedObjects(of: instance) {
      note("", HeapNode(associated).place)
    }
  }

  /// Reads the captures of a closure, or the variable in a box.
  ///
  /// Specification: `CaptureDescriptor` in `swift/RemoteInspection/Records.h`.
  private mutating func readContext(_ context: Place, _ metadata: RuntimeAddress) {
    guard let descriptor = metadata.address(at: 16),
      unsafe Place(descriptor.pointer).isReadable
    else { return noteUnknown("captures") }
    let count = Int(descriptor.load(UInt32.self, at: 0))
    let bindingCount = Int(descriptor.load(UInt32.self, at: 8))
    var offset = Int(metadata.load(UInt32.self, at: 8))
    let parameters = parameters(descriptor, context + offset)
    let isComplete = parameters.count == Int(descriptor.load(UInt32.self, at: 4))
    offset += 8 * bindingCount
    for index in 0..<count {
      let path = "capture \(index)"
      guard let name = (descriptor + 12 + 4 * index).target(at: 0).flatMap({ MangledName(at: $0) })
      else { return noteUnknown(path) }
      let (bare, ownership) = name.withoutOwnership
      let isResolved = isComplete || !bare.mayNameParameters
      let type = isResolved ? bare.type(with: parameters) : nil
      let alignment = type?.alignment ?? 8
      let place = context + Place.aligned(offset, to: alignment)
      offset = Place.aligned(offset, to: alignment) + (type?.size ?? 8)
      if ownership != .strong {
        note(path, ownership, place, type)
        // Without a type, the witnesses behind the reference cannot be counted.
        if type == nil, !bare.withoutOptional.isClass { return noteUnknown(path) }
      } else if let type {
        read(path, at: place, type)
      } else if let isClosure = noteUntyped(bare.withoutOptional, path, at: place) {
        offset += isClosure ? 8 : 0
      } else {
        // The places of the next captures depend on this one's size.
        return noteUnknown(count - index > 1 ? "captures \(index) to \(count - 1)" : path)
      }
    }
  }

  /// The references that a captured variable holds, in place of the one to its box.
  mutating func variable(in reference: FoundReference) -> [FoundReference] {
    guard let node = reference.node, !node.isBlock, reference.code == nil, reference.type == nil,
      node.instanceType == nil
    else { return [reference] }
    read(node)
    return take().map { held in
      var held = held
      held.path = reference.path
      return held
    }
  }

  /// Notes a capture whose type has no metadata.
  ///
  /// - Returns: Whether it is a closure, which takes two words; nil if nothing is known of it.
  private mutating func noteUntyped(_ name: MangledName, _ path: String, at place: Place) -> Bool? {
    if name.isBox || name.isClass {
      note(path, place.place())
      return false
    }
    guard let letters = name.functionLetters, let convention = letters.first else { return nil }
    switch (convention, letters.dropFirst().first) {
    case (UInt8(ascii: "y"), UInt8(ascii: "B")):
      note(path, place.place(), isBlock: true)
      return false
    case (UInt8(ascii: "g"), _), (UInt8(ascii: "x"), _):
      noteClosure(path, at: place)
      return true
    case (UInt8(ascii: "t"), _), (UInt8(ascii: "y"), UInt8(ascii: "C")): return false
    default: return nil
    }
  }

  /// The generic parameters that a closure has as words of their own, by their mangled names.
  private func parameters(
    _ descriptor: RuntimeAddress, _ bindings: Place
  ) -> [[UInt8]: RuntimeAddress] {
    let captures = Int(descriptor.load(UInt32.self, at: 0))
    var found: [[UInt8]: RuntimeAddress] = [:]
    for index in 0..<Int(descriptor.load(UInt32.self, at: 4)) {
      let record = descriptor + 12 + 4 * captures + 8 * index
      guard let name = record.target(at: 0).flatMap({ MangledName(at: $0) }),
        let source = (record + 4).target(at: 0).flatMap({ MangledName(at: $0) }),
        source.text.first == UInt8(ascii: "B"),
        let number = Int(String(decoding: source.text.dropFirst(), as: UTF8.self)),
        let type = bindings.place(at: 8 * number), type.isReadableHeader,
        // The word may be the value of a parameter that is a number.
        TypeMetadata(at: type.address).kind != nil
      else { continue }
      found[name.text] = type.address
    }
    return found
  }
}

extension TypeMetadata {
  /// Whether objects of this class have elements behind their properties that nothing describes.
  fileprivate var hidesElements: Bool {
    let name = qualifiedName
    if name.hasPrefix("Swift.ManagedBuffer<") { return argument(1).map { !$0.isTrivial } ?? true }
    if name == "Swift.CheckedContinuationCanary" { return true }
    return name == "Swift.__SwiftValue" || name == "Foundation.__SwiftValue"
  }

  /// Whether objects of this class are parts of values.
  var isStorage: Bool { qualifiedName.hasPrefix("Swift._") }

  /// Whether it is a class of this library.
  var isOwn: Bool {
    CodeSymbol.ownModules.contains(String(qualifiedName.prefix { $0 != "." }))
  }
}
