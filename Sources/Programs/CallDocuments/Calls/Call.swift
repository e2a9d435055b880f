import CommandOptionsAndResults
import Glibc
import Invocations
import TypeEncodings

/// A call that is ready to be made: its function was found, and its arguments are set.
struct Call {
  private let function: CFunction
  private let invocation: Invocation

  /// The type of the result; if it is any pointer, the invocation has a plain pointer instead.
  private let result: TypeEncoding

  /// For each argument, the memory whose contents are shown after the call, nil if there is none.
  private var outputs: [ValueBuffer?] = []

  /// Prepares a call.
  ///
  /// - Parameters:
  ///   - request: The requested call.
  ///   - libraries: The libraries that earlier calls loaded.
  /// - Throws: A failure if the signature, a value, the library or the symbol is refused.
  init(_ request: CallRequest, loaded libraries: [String] = []) throws(Failure) {
    let request = request.withWideFormat
    try Self.checkFixedCount(request)
    let (written, signature) = try Failure.catching(input: request.signature) {
      let written = try MethodSignature(parsing: request.signature).naming(request)
      return (written, try request.fixedCount.map(written.promoted) ?? written)
    }
    guard !signature.arguments.contains(where: \.encoding.isArgumentList) else {
      throw Failure(
        code: "unsupportedType",
        message:
          "\(request.symbol) takes a va_list, which only C makes; call the function that takes "
          + "the values, as printf for vprintf")
    }
    guard request.arguments.count == signature.arguments.count else {
      throw Failure(
        code: "argumentCount",
        message: "\(request.signature) takes \(signature.arguments.count.of("argument")), "
          + request.arguments.count.areGiven
          + (request.fixedCount == nil
            ? ""
            : VariadicFunction.format(of: request.symbol)?.isScanned == nil
              ? "; in place of ..., list the types of what is passed, and give --fixed"
              : "; what is passed in place of ... is what the format takes"))
    }
    result = signature.result
    var plain = signature
    plain.result = result.withPlainPointers
    let invocation = try Failure.catching(input: request.signature) {
      try Invocation(signature: plain, fixedArgumentCount: request.fixedCount)
    }
    for (index, argument) in request.arguments.enumerated() {
      let types = (written.arguments[index].encoding, signature.arguments[index].encoding)
      let (value, shown) = try Self.value(of: argument, as: types, at: "argument \(index)")
      try Failure.catching(input: request.signature) {
        try invocation.setArgumentValue(index, value)
      }
      outputs.append(shown)
    }
    self.invocation = invocation
    function = try Self.function(request, plain, libraries)
  }

  /// Refuses a number of declared arguments that is not that of a known function.
  private static func checkFixedCount(_ request: CallRequest) throws(Failure) {
    do throws(InvocationError) {
      try VariadicFunction.require(request.fixedCount, of: request.symbol)
    } catch {
      guard let named = VariadicFunction.namedCount(of: request.symbol) else {
        throw Failure(
          code: error.code.rawValue, message: "\(request.symbol) is not variadic; leave --fixed out"
        )
      }
      throw Failure(
        code: error.code.rawValue,
        message: "\(request.symbol) is variadic: give --fixed \(named), or \"fixed\":\(named) in a "
          + "document, for its declaration names \(named.of("argument"))")
    }
  }

  /// Makes the call, and flushes C's output streams.
  ///
  /// - Throws: `unreadableString`, `unsupportedType`.
  func run() throws(Failure) -> CallAnswer {
    // The user vouches that the function has the signature. This process exists for such calls
    // only, and a call that ends it is reported.
    let (value, errorName) = try Failure.catching {
      errno = 0
      try invocation.invoke(on: function)
      let number = errno
      fflush(nil)
      return (
        try invocation.hasResult ? invocation.resultValue() : .void,
        number == 0 ? nil : SystemError.name(number)
      )
    }
    let json = try ValueReader.json(value, of: result, at: "result")
    var contents: [JSONValue] = []
    for (index, output) in outputs.enumerated() {
      contents.append(try output?.contents(at: "argument \(index)") ?? .null)
    }
    return CallAnswer(
      result: json, outputs: contents, isVoid: result.kind == .void,
      tellsOfError: Self.failures.contains(json.text)
        && ![.float, .double, .longDouble].contains(result.kind),
      errorName: errorName)
  }

  /// -1, a null pointer, and -1 as an unsigned number or pointer (`MAP_FAILED`).
  private static let failures: Set = [
    "-1", "null", "18446744073709551615", #""18446744073709551615""#, "4294967295",
    #""0xffffffffffffffff""#,
  ]

  /// Finds the function in its library or, if none is given, in all that this process has loaded.
  private static func function(
    _ request: CallRequest, _ signature: MethodSignature, _ libraries: [String]
  ) throws(Failure) -> CFunction {
    for (text, code) in [
      (request.symbol, "symbolNotFound"), (request.library ?? "", "libraryNotFound"),
    ] where text.utf8.contains(0) {
      throw Failure(code: code, message: "no name has a zero byte inside: \"\(text)\"")
    }
    func find(in library: String?) throws(InvocationError) -> CFunction {
      // SAFETY: the user vouches for the signature; a wrong one can only end this process, which
      // makes nothing but the user's calls.
      unsafe try CFunction(
        symbol: request.symbol, library: library, signature: signature,
        fixedArgumentCount: request.fixedCount)
    }
    return try Failure.catching(input: request.signature) {
      do throws(InvocationError) { return try find(in: request.library) } catch {
        // Libraries are loaded with local symbols, so that none resolves another's.
        guard request.library == nil, error.code == .symbolNotFound,
          let found = libraries.lazy.compactMap({ try? find(in: $0) }).first
        else { throw error }
        return found
      }
    }
  }

  /// The C value of an argument.
  ///
  /// - Parameters:
  ///   - argument: The given value.
  ///   - types: Its type as written in the signature, and as it is passed.
  ///   - place: The argument, for messages.
  /// - Returns: The value, and the memory that it points to if the contents are shown after the
  ///   call.
  /// - Throws: A failure if the value is refused.
  private static func value(
    of argument: CallArgument, as types: (written: TypeEncoding, passed: TypeEncoding),
    at place: String
  ) throws(Failure) -> (value: CValue, shown: ValueBuffer?) {
    let value: JSONValue
    switch argument {
    case .value(let given): value = given
    case .word(let word):
      switch try WordValue(word, for: types.written, at: place) {
      case .value(let given): value = given
      case .text(let bytes): return (try ValueWriter.cString(bytes, at: place), nil)
      }
    }
    var writer = ValueWriter()
    let argument =
      types.written.kind == types.passed.kind
      ? try writer.argument(value, as: types.written, at: place)
      : try writer.promoted(value, from: types.written, at: place)
    guard case .object(let members) = value, members.first?.name == "buffer" else {
      return (argument, nil)
    }
    return (argument, writer.lastBuffer)
  }
}
