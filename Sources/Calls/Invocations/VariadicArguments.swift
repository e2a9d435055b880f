private import CLoadedImages.ReadableMemory
internal import TypeEncodings

/// The arguments that a caller passes in place of the `...` of a variadic block or function.
///
/// The caller does not say how many arguments there are, nor their types: whoever reads them must
/// know them, as in C, from the other arguments. What is read is thereby named, and `proceed()`
/// passes it on. A value that is read with another type than was passed is some value, and text
/// only if memory holds it; objects and blocks, which nothing tells from numbers, are not read.
///
/// Each value that `CallFrame.variadic` makes begins with the first argument, and belongs to the
/// call's thread. When the handlers have returned, reading throws.
///
/// The corresponding C type is `va_list`.
public struct VariadicArguments {
  private let call: VariadicCall
  private var types: [TypeEncoding] = []

  init(_ call: VariadicCall) { self.call = call }

  /// Reads the next argument.
  ///
  /// - Parameter type: The type that the caller passed, promoted or not: as C passes a `Float` as a
  ///   `Double`, and small integers as an `Int32`, those are read. A `long double` is read as
  ///   `LongDoubleBits`, on x86-64 also as `Float80`.
  /// - Returns: The value.
  /// - Throws: `typeMismatch`, `invalidSignature`, `unsupportedType`, `valueOutOfRange`,
  ///   `unexpectedNull`; `noResult` when the call has ended.
  ///
  /// The corresponding C macro is `va_arg`.
  public mutating func next<Value>(
    as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    let all = try types + [Self.encoding(of: type)]
    let interface = try call.interface(naming: all)
    // SAFETY: the memory is that of the interface, which has the argument.
    let value = unsafe try call.withMemory(interface) { memory in
      Result { () throws(InvocationError) in
        let slot = unsafe try memory.argumentSlot(interface.argumentCount - 1)
        // What was passed may be no text.
        if unsafe slot.kind == .cString, unsafe slot.pointer != nil,
          unsafe slot.cStringBytes() == nil
        {
          throw unsafe slot.mismatch(type)
        }
        return unsafe try slot.load(as: Value.self)
      }
    }.get()
    types = all
    call.name(interface)
    return value
  }

  /// Reads all arguments by their types.
  ///
  /// - Parameter types: The types, as for `next(as:)`. An empty list says that there are no
  ///   arguments.
  /// - Returns: The values; C strings that memory does not hold are `CValue.opaque`.
  /// - Throws: As `next(as:)`.
  public func values(as types: [Any.Type]) throws(InvocationError) -> [CValue] {
    var encodings: [TypeEncoding] = []
    for type in types { encodings.append(try Self.encoding(of: type)) }
    return try values(of: encodings.map { FormatString.Argument($0) })
  }

  /// Reads all arguments that a format of `printf` takes.
  ///
  /// - Parameter index: The index of the format among the call's arguments; it may be text of
  ///   `wchar_t`, as that of `wprintf`.
  /// - Returns: The values, widths and precisions included; pointers of `%n` and `%ls`.
  /// - Throws: `invalidFormat` with the place, where the format has conversions that C does not
  ///   know; as `next(as:)`.
  public func values(format index: Int) throws(InvocationError) -> [CValue] {
    try values(by: VariadicFormat(index: index, isScanned: false))
  }

  /// Reads all arguments that a format of `scanf` takes: pointers.
  ///
  /// - Parameter index: The index of the format among the call's arguments.
  /// - Returns: The pointers.
  /// - Throws: As `values(format:)`.
  public func values(scanFormat index: Int) throws(InvocationError) -> [CValue] {
    try values(by: VariadicFormat(index: index, isScanned: true))
  }

  func values(by format: VariadicFormat) throws(InvocationError) -> [CValue] {
    guard let isScanned = format.isScanned else { return try values(untilNull: format) }
    let bytes = try text(format.index)
    let arguments: [FormatString.Argument]
    do throws(TypeEncodingError) {
      arguments = try FormatString(bytes, isScanned: isScanned).arguments
    } catch {
      throw InvocationError(
        .invalidFormat, "the format, byte \(error.offset ?? 0): \(error.message)",
        at: .argument(format.index), underlying: error)
    }
    return try values(of: arguments)
  }

  /// Reads texts up to the null pointer behind them, and the pointers that follow it.
  private func values(untilNull format: VariadicFormat) throws(InvocationError) -> [CValue] {
    let text = TypeEncoding(.primitive(.cString))
    var types: [TypeEncoding] = []
    while try !call.isNull(at: format.index + types.count, naming: types) {
      guard types.count < FormatString.maximumCount else {
        throw InvocationError(
          .invalidFormat, "no null pointer ends what the caller passes", at: .argument(format.index)
        )
      }
      types.append(text)
    }
    types += Array(
      repeating: TypeEncoding(.pointer(TypeEncoding(.primitive(.void)))),
      count: format.followingCount)
    return try values(of: types.map { FormatString.Argument($0) })
  }

  /// The bytes in UTF-8 of a text of `char` or `wchar_t` among the arguments that the signature
  /// lists.
  private func text(_ index: Int) throws(InvocationError) -> [UInt8] {
    switch try call.argument(index) {
    case .cString(let text?): return Array(text.utf8)
    case .bytes(let other): return other
    case .pointer(let address) where address != 0:
      if call.isWide(index) {
        if let text = WideText.bytes(at: address) { return text }
        break
      }
      switch CValue.cString(atAddress: address) {
      case .cString(let text?): return Array(text.utf8)
      case .bytes(let other): return other
      default: break
      }
    default: break
    }
    throw InvocationError(
      .invalidFormat,
      "argument \(index) is no C string that can be read; name the arguments instead",
      at: .argument(index))
  }

  private func values(
    of arguments: [FormatString.Argument]
  ) throws(InvocationError) -> [CValue] {
    let interface = try call.interface(naming: arguments.map(\.encoding))
    let first = interface.argumentCount - arguments.count
    // SAFETY: the memory is that of the interface, which has the arguments.
    let values = unsafe try call.withMemory(interface) { memory in
      Result { () throws(InvocationError) in
        try arguments.indices.map { (index) throws(InvocationError) in
          unsafe try memory.argumentSlot(first + index).value(
            distrustsMemory: true, readsText: arguments[index].precision == nil)
        }
      }
    }.get()
    call.name(interface, areAll: true)
    return zip(arguments, values).map { argument, value in
      guard let precision = argument.precision, case .pointer(let address) = value else {
        return value
      }
      let limit = precision.limit { index in
        if case .integer(let number) = values[index] { Int(exactly: number) } else { nil }
      }
      return Self.text(at: address, limit: limit)
    }
  }

  /// Text that need not end with a zero byte within a limit.
  private static func text(at address: UInt, limit: Int) -> CValue {
    var isTerminated = false
    // SAFETY: the kernel is asked how much of the memory can be read, and no more is read.
    guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return .cString(nil) }
    let count = unsafe cbr_readable_string_length(start, limit, &isTerminated)
    guard isTerminated || count == limit else { return .pointer(address) }
    return CValue(cStringBytes: unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
  }

  private static func encoding(of type: Any.Type) throws(InvocationError) -> TypeEncoding {
    if type == String.self || type == String?.self { return TypeEncoding(.primitive(.cString)) }
    do throws(TypeEncodingError) {
      let encoding = try TypeEncoding(of: type)
      guard !encoding.holds({ [.object, .block, .class, .selector].contains($0.kind) }) else {
        throw TypeEncodingError(
          code: .unsupportedSwiftType,
          message: "nothing tells that an argument is a \(type); read it as UnsafeRawPointer?",
          input: "\(type)")
      }
      return encoding.promotion.map { TypeEncoding(.primitive($0)) } ?? encoding
    } catch { throw InvocationError(error) }
  }
}
