private import BlockABI
internal import LoadedClasses

// How what was found is called in texts.
extension HeapNode {
  init(_ object: AnyObject) {
    place = unsafe Place(Unmanaged.passUnretained(object).toOpaque())
  }

  /// The metadata of an object that has a class; nil for a context, a box or a block.
  var instanceType: TypeMetadata? {
    guard !isBlock, place.isReadableHeader, let header = place.place() else { return nil }
    let metadata = TypeMetadata(at: header.address)
    return metadata.kind == .class ? metadata : nil
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

  /// The name of what the reference is to.
  var target: String {
    let declared = type?.kind == .optional ? type?.argument(0) : type
    return functionName ?? node?.instanceType?.name ?? declared?.name
      ?? (code == nil ? "?" : "a closure")
  }
}
