/// The words of a class's metadata from its address point on: its methods are among them.
func metadataWords(of type: AnyClass) -> [UInt] {
  // SAFETY: the size of a class's metadata stands in it, and the part before the address point.
  let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
  let size = unsafe metadata.load(fromByteOffset: 32, as: UInt32.self)
  let addressPoint = unsafe metadata.load(fromByteOffset: 36, as: UInt32.self)
  return (0..<Int(size - addressPoint) / 8).map { index in
    unsafe metadata.load(fromByteOffset: index * 8, as: UInt.self)
  }
}
