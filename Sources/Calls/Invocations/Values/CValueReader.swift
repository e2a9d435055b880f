internal import BlockABI
internal import TypeEncodings

/// Makes values described at run time of C values in memory.
struct CValueReader: ValueVisitor {
  /// Whether pointers may be invalid.
  ///
  /// If so, values behind pointers that cannot be read, long C strings and blocks on the stack are
  /// described by their texts. C strings that cannot be read always are.
  let distrustsMemory: Bool

  /// Whether C strings are read; they are pointers if not.
  var readsText = true

  func visit(leaf slot: ValueSlot) throws(InvocationError) -> CValue {
    switch unsafe slot.kind {
    case .void: return .void
    case .bool: return .bool(unsafe slot.address.load(as: UInt8.self) != 0)
    case .float: return .float(unsafe slot.address.load(as: Float.self))
    case .double: return .double(unsafe slot.address.load(as: Double.self))
    case .longDouble:
      unsafe try slot.requireExactNumber()
      return .longDouble(unsafe LongDoubleFormat.load(slot.address).value)
    case .uint128: return CValue(unsafe slot.address.loadUnaligned(as: UInt128.self))
    case .complexFloat, .complexDouble, .complexLongDouble:
      let (real, imaginary) = unsafe slot.halves
      unsafe try real.requireExactNumber()
      unsafe try imaginary.requireExactNumber()
      if let real = unsafe real.floatingPoint, let imaginary = unsafe imaginary.floatingPoint {
        return .complex(real: real, imaginary: imaginary)
      }
    case .cString where readsText: return unsafe cString(slot)
    case .object, .block: return unsafe try reference(slot)
    case .class: return unsafe classValue(slot)
    case .cString, .pointer, .functionPointer, .selector, .array:
      return .pointer(unsafe UInt(bitPattern: slot.pointer))
    case .union:
      return .bytes(
        unsafe Array(UnsafeRawBufferPointer(start: slot.address, count: slot.layout.size)))
    case .struct, .vector, .bitField, .unknown: break
    default:
      if let integer = unsafe slot.integer { return .integer(integer) }
    }
    throw unsafe slot.error(.unsupportedType, "the type of \(slot.encoding) is not known")
  }

  func visit(bits: BitFieldSlot) -> CValue { .integer(unsafe bits.value) }

  func visit(structure slot: ValueSlot, _ members: [CValue]) -> CValue { .structure(members) }

  func visit(array slot: ValueSlot, _ elements: [CValue], count: Int) -> CValue {
    .array(elements)
  }

  private func classValue(_ slot: ValueSlot) -> CValue {
    guard let pointer = unsafe slot.pointer else { return .class(nil) }
    // Memory that is not that of a Swift class, as of another runtime's, is a pointer.
    // SAFETY: the word is read if it is readable; the metadata of Swift's classes begins with 0.
    let address = UInt(bitPattern: pointer)
    guard address.isMultiple(of: UInt(MemoryLayout<UInt>.alignment)), unsafe slot.isReadable,
      unsafe pointer.load(as: UInt.self) == 0
    else {
      return .pointer(address)
    }
    return .class(unsafe unsafeBitCast(pointer, to: AnyClass.self))
  }

  private func cString(_ slot: ValueSlot) -> CValue {
    if unsafe slot.pointer == nil { return .cString(nil) }
    // A pointer to other bytes has the same Swift type, and thus the same encoding.
    guard let bytes = unsafe slot.cStringBytes(limit: distrustsMemory ? 1 << 16 : .max) else {
      return .opaque(OpaqueValue(text: unsafe slot.text))
    }
    return CValue(cStringBytes: bytes)
  }

  private func reference(_ slot: ValueSlot) throws(InvocationError) -> CValue {
    guard let pointer = unsafe slot.pointer else {
      return unsafe slot.kind == .block ? .block(nil) : .object(nil)
    }
    // A block on the stack is not copied: its closure may not be meant to escape.
    if distrustsMemory, unsafe !slot.isReadable || slot.isStackBlock {
      return .opaque(OpaqueValue(text: unsafe slot.text))
    }
    // SAFETY: the encoding says what the pointer is; an encoded object is a block or a Swift object
    // on Linux.
    if unsafe slot.kind == .block { return .block(unsafe try Block.load(from: slot)) }
    if unsafe BlockReference.isBlock(at: pointer) {
      return .block(unsafe Block(unsafePointer: pointer).copied())
    }
    return .object(unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
  }
}

extension CValue {
  /// A C string of bytes: text if they are UTF-8.
  init(cStringBytes bytes: [UInt8]) {
    self = String(validating: bytes, as: UTF8.self).map { .cString($0) } ?? .bytes(bytes)
  }
}

extension ValueSlot {
  /// Reads the slot's value.
  ///
  /// - Parameters:
  ///   - distrustsMemory: Whether pointers may be invalid.
  ///   - readsText: Whether C strings are read up to their zeros; they are pointers if not.
  /// - Returns: The value.
  /// - Throws: `unsupportedType` for a value or member of unknown type.
  package func value(
    distrustsMemory: Bool = false, readsText: Bool = true
  ) throws(InvocationError) -> CValue {
    var reader = CValueReader(distrustsMemory: distrustsMemory, readsText: readsText)
    return unsafe try accept(&reader)
  }
}
