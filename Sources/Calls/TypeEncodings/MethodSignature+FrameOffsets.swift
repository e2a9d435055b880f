extension MethodSignature {
  /// The same signature with the frame offsets that clang writes.
  ///
  /// Each argument takes its size, but an integer at least 4 bytes and an array the size of a
  /// pointer. There is no alignment, and the frame size is the sum.
  ///
  /// - Throws: The error of `argumentLayout(at:)` for the first argument of unknown size;
  ///   `sizeOverflow`; `noLayout` for a type that ends with a bit-field's width, from which a
  ///   following offset could not be separated.
  public func withFrameOffsets() throws(TypeEncodingError) -> MethodSignature {
    for encoding in [result] + arguments.map(\.encoding) {
      guard encoding.description.utf8.last.map({ (0x30...0x39).contains($0) }) != true else {
        throw TypeEncodingError(
          code: .noLayout, message: "\(encoding) is a bit-field, which exists in records only",
          input: description)
      }
    }
    var copy = self
    var offset = 0
    let isForeign = hasForeignFrame
    for index in arguments.indices {
      copy.arguments[index].frameOffset = FrameOffset(offset)
      let layout = try argumentLayout(at: index, isForeign: isForeign, isExact: true)
      let (sum, overflow) = offset.addingReportingOverflow(
        frameSlotSize(of: arguments[index].encoding, layout: layout))
      guard !overflow else {
        throw RecordLayout.overflow.asTypeEncodingError(input: description)
      }
      offset = sum
    }
    copy.frameSize = FrameOffset(offset)
    return copy
  }

  /// The same signature without frame offsets and frame size.
  ///
  /// If a type is missing from the encoding, its offset was the only trace of it.
  public func withoutFrameOffsets() -> MethodSignature {
    MethodSignature(result: result, arguments: arguments.map { Argument($0.encoding) })
  }

  /// The number of bytes that clang gives an argument in its frame.
  func frameSlotSize(of encoding: TypeEncoding, layout: TypeLayout) -> Int {
    guard case .primitive(let primitive) = encoding.type, primitive.isInteger,
      !encoding.qualifiers.contains(.atomic)
    else { return layout.size }
    return max(4, layout.size)
  }

  /// The number of bytes from an argument's offset to the next one's; nil if the encoding lacks
  /// either.
  ///
  /// The result is also nil if an offset has a register mark or is less than the one before,
  /// because such frames are counted differently.
  func gap(ofArgumentAt index: Int) -> Int? {
    let following =
      index + 1 < arguments.count ? arguments[index + 1].frameOffset : frameSize
    guard let own = arguments[index].frameOffset, !own.isMarkedAsRegister,
      let following, !following.isMarkedAsRegister
    else { return nil }
    let (gap, overflow) = following.bytes.subtractingReportingOverflow(own.bytes)
    return overflow || gap < 0 ? nil : gap
  }

  /// Whether an argument that is not a record has less room than this platform gives it.
  ///
  /// The frame is then that of another platform, for example one of 32 bits.
  var hasForeignFrame: Bool {
    for (index, argument) in arguments.enumerated() where !argument.encoding.isRecord {
      guard let gap = gap(ofArgumentAt: index),
        let layout = try? argument.encoding.asParameter.layout(),
        gap < frameSlotSize(of: argument.encoding, layout: layout)
      else { continue }
      return true
    }
    return false
  }
}

extension TypeEncoding {
  /// Whether the type is a structure or union.
  package var isRecord: Bool { record != nil }

  /// The type of a parameter declared with this type: for an array, a pointer to its element.
  package var asParameter: TypeEncoding {
    guard case .array(_, let element) = type else { return self }
    return TypeEncoding(.pointer(element))
  }
}
