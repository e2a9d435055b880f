private import BlockABI
internal import LoadedClasses

// The names of nodes and references in texts.
extension HeapNode {
  init(_ object: AnyObject) {
    place = unsafe Place(Unmanaged.passUnretained(object).toOpaque())
  }

  /// The metadata of an object; nil for a block, and if there is no object.
  var metadata: TypeMetadata? {
    guard !isBlock, place.isReadableHeader, let header = place.place(), header.isReadableHeader
    else { return nil }
    return TypeMetadata(at: header.address)
  }

  /// The metadata of an object that has a class; nil for a context, a box or a block.
  var instanceType: TypeMetadata? {
    guard let metadata, metadata.kind == .class else { return nil }
    // A class that was made at run time has no description, but a superclass has.
    let described = sequence(first: metadata, next: \.readableSuperclass)
      .first { $0.address.address(at: TypeMetadata.classDescriptorOffset) != nil }
    return described?.isDescribedClass == true ? metadata : nil
  }

  /// The object, retained.
  var object: AnyObject? {
    guard instanceType != nil else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(place.pointer).takeUnretainedValue()
  }
}

extension Place {
  /// The object of the weak variable at this place.
  var weakObject: AnyObject? {
    struct Variable { weak var object: AnyObject? }
    // SAFETY: a weak variable begins with the reference, whatever its type.
    return unsafe pointer.assumingMemoryBound(to: Variable.self).pointee.object
  }
}

extension FoundReference {
  /// The function of a closure or a block; nil for other references, and without a symbol.
  private var function: CodeSymbol? {
    if let node, node.isBlock {
      // SAFETY: the reader found a block.
      return unsafe Block(unsafePointer: node.place.pointer).implementation
    }
    return code.flatMap { unsafe CodeSymbol(at: $0.pointer) }
  }

  /// Whether the closure only converts the arguments for another one, which it captures.
  var isThunk: Bool { code != nil && function?.isReabstractionThunk ?? false }

  /// Whether the function is this library's.
  var isOwnFunction: Bool { function?.isOwn ?? false }

  /// The name of the closure or block, without the signature: `closure #1 in Page.init`; nil for a
  /// thunk, and for other references.
  var functionName: String? {
    let isBlock = node?.isBlock ?? false
    guard isBlock || code != nil, !isThunk else { return nil }
    return function?.name.map { FunctionName($0).text } ?? (isBlock ? "a block" : "a closure")
  }

  /// The name of the function, the class or the type that the reference is to.
  var target: String {
    let declared = type?.kind == .optional ? type?.argument(0) : type
    return functionName ?? node?.instanceType?.name ?? declared?.name
      ?? (code == nil ? "?" : "a closure")
  }
}

extension TypeMetadata {
  private func place(at offset: Int) -> Place? { unsafe Place(address.pointer).place(at: offset) }

  /// The superclass, if its metadata can be read.
  fileprivate var readableSuperclass: TypeMetadata? {
    place(at: 8).flatMap { $0.isReadableHeader ? TypeMetadata(at: $0.address) : nil }
  }

  /// Whether the memory is a class's: its description says so, and has a version that is known.
  fileprivate var isDescribedClass: Bool {
    guard let descriptor = place(at: Self.classDescriptorOffset), descriptor.isReadableHeader
    else { return false }
    return descriptor.load(UInt32.self) & 0xFF1F == 16
  }
}
