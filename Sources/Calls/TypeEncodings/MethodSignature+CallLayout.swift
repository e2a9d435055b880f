extension MethodSignature {
  /// The layout of an argument in a call, determined with the help of the frame offsets.
  ///
  /// - Parameter index: The argument's index, hidden arguments included.
  /// - Returns: The layout; an array is passed as a pointer.
  /// - Throws: `argumentIndex`; the errors of `TypeEncoding.layout()`; `vanishedType` if the frame
  ///   has more room than the argument needs, `packedRecord` if it has less than a record needs,
  ///   and `ambiguousLayout` if bit-fields without declared type fit several ways.
  public func argumentLayout(at index: Int) throws(TypeEncodingError) -> TypeLayout {
    guard arguments.indices.contains(index) else {
      throw TypeEncodingError(
        code: .argumentIndex,
        message: "there is no argument \(index); the signature has \(arguments.count)",
        input: description)
    }
    let isForeign = arguments[index].encoding.isRecord && hasForeignFrame
    return try argumentLayout(at: index, isForeign: isForeign, isExact: true)
  }

  /// The layout of the result in a call, determined with the help of the struct-return flag.
  ///
  /// - Parameter usesStructReturn: Whether the block's flags say that the result is returned
  ///   through a hidden pointer; nil if there is no such flag.
  /// - Returns: The layout, nil for void.
  /// - Throws: The errors of `TypeEncoding.layout()`; `vanishedType` for an empty record, which may
  ///   stand for a vector; `structReturnMismatch` if the flag contradicts the record's size, and
  ///   `ambiguousLayout` if it does not decide between several.
  public func resultLayout(
    usesStructReturn: Bool? = nil
  ) throws(TypeEncodingError) -> TypeLayout? {
    try resultLayout(usesStructReturn, isExact: true)
  }

  private func resultLayout(
    _ usesStructReturn: Bool?, isExact: Bool
  ) throws(TypeEncodingError) -> TypeLayout? {
    guard result.type != .primitive(.void) else { return nil }
    do throws(LayoutRefusal) {
      if case .array = result.type {
        throw LayoutRefusal(code: .noLayout, message: "a function cannot return an array; use ^")
      }
      // The flag determines the declared types of bit-fields.
      let layout = try BitFieldBases.layout(
        of: result, isExact: isExact,
        where: { size in usesStructReturn == nil || (size > 16) == usesStructReturn },
        otherwise: { _ in .structReturnMismatch })
      guard result.isRecord else { return layout }
      guard layout.size > 0 else {
        throw LayoutRefusal(
          code: .vanishedType,
          message: "an empty record may hold a vector that has no encoding; return it by pointer")
      }
      if let usesStructReturn, usesStructReturn != (layout.size > 16),
        !result.holds(usesStructReturn ? \.isLongDouble : \.isVectorOfAVX)
      {
        throw LayoutRefusal(
          code: .structReturnMismatch,
          message:
            "\(result) takes \(layout.size.of("byte")), yet the block's struct-return flag is "
            + "\(usesStructReturn ? "set" : "clear"): a vector vanished from the encoding, or the "
            + "record is packed or aligned; return it by pointer")
      }
      return layout
    } catch {
      throw error.asTypeEncodingError(input: description, place: "result: ")
    }
  }

  /// The layouts of all arguments and of the result in a call, each determined separately.
  ///
  /// If bit-fields without declared type fit in several ways that are passed alike, the smallest
  /// layout is given, and members whose places differ are not settled.
  ///
  /// - Parameter usesStructReturn: As for `resultLayout(usesStructReturn:)`.
  /// - Returns: The arguments' layouts, hidden ones included, and the result's, nil for void.
  /// - Throws: The error of the first argument without a layout, or of the result; the message
  ///   names it.
  @discardableResult
  public func callLayouts(
    usesStructReturn: Bool? = nil
  ) throws(TypeEncodingError) -> (arguments: [TypeLayout], result: TypeLayout?) {
    let isForeign = hasForeignFrame
    var layouts: [TypeLayout] = []
    for index in arguments.indices {
      layouts.append(try argumentLayout(at: index, isForeign: isForeign, isExact: false))
    }
    let resultLayout = try resultLayout(usesStructReturn, isExact: false)
    if arguments.isEmpty, let frameSize, frameSize.bytes > 0, !frameSize.isMarkedAsRegister {
      throw TypeEncodingError(
        code: .vanishedType,
        message: "the frame has \(frameSize.bytes.of("byte")), but no argument is listed; "
          + "give the signature explicitly", input: description)
    }
    return (layouts, resultLayout)
  }

  /// The layout of an argument that exists, in a frame whose origin is known.
  func argumentLayout(
    at index: Int, isForeign: Bool, isExact: Bool
  ) throws(TypeEncodingError) -> TypeLayout {
    let encoding = arguments[index].encoding
    let gap = gap(ofArgumentAt: index)
    do throws(LayoutRefusal) {
      try BitFieldBases.checkSearch(
        in: encoding.asParameter, argumentCount: arguments.count)
      // The gap determines the declared types of bit-fields.
      let layout = try BitFieldBases.layout(
        of: encoding.asParameter, isExact: isExact,
        where: { size in gap.map { isForeign ? size >= $0 : size == $0 } ?? true },
        otherwise: { largest in gap ?? 0 > largest ? .vanishedType : .packedRecord })
      let expected = frameSlotSize(of: encoding, layout: layout)
      guard let gap, gap != expected else { return layout }
      if gap > expected {
        throw LayoutRefusal(
          code: .vanishedType,
          message: "the frame has \(gap.of("byte")) for \(encoding), which takes \(expected): a "
            + "vector vanished from the encoding, or a record is over-aligned; pass it by pointer")
      }
      if encoding.isRecord, !isForeign {
        throw LayoutRefusal(
          code: .packedRecord,
          message: "the frame has \(gap.of("byte")) for \(encoding), which takes \(expected): "
            + "the record is packed; pass it by pointer")
      }
      return layout
    } catch {
      throw error.asTypeEncodingError(input: description, place: "argument \(index): ")
    }
  }
}

extension TypeEncoding {
  /// Whether the type is a `long double`: records that hold one may be returned in memory.
  fileprivate var isLongDouble: Bool { kind == .longDouble || kind == .complexLongDouble }

  /// Whether the type is a vector of AVX: records that hold one may be returned in a register.
  fileprivate var isVectorOfAVX: Bool { qualifiers.contains(.avx) }
}
