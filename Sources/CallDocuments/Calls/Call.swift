import CommandConventions
import Glibc
import Invocations
import TypeEncodings

// SAFETY, for the whole file: the memory is the call's own, laid out by its interface; the user
// vouches for the signature.

/// A call that is ready to be made: its function is found, its arguments are written.
struct Call {
  private let function: CFunction
  private let memory: CallMemory

  /// By argument, the memory whose contents are shown afterwards.
  private var outputs: [ValueBuffer?] = []

  /// Prepares a call.
  ///
  /// - Parameters:
  ///   - request: What is called.
  ///   - libraries: The libraries that earlier calls loaded.
  /// - Throws: The refusal of the signature, a value, the library or the symbol.
  init(_ request: CallRequest, loaded libraries: [String] = []) throws(Failure) {
    let written = try Self.signature(request)
    let signature = try Self.promoted(written, request)
    guard request.arguments.count == signature.arguments.count else {
      let count = signature.arguments.count
      throw Failure(
        code: "argumentCount",
        message: "\(request.signature) takes \(count) \(count == 1 ? "argument" : "arguments"), "
          + "\(request.arguments.count) are given")
    }
    let interface: CallInterface
    do throws(InvocationError) {
      interface = try CallInterface.cached(
        for: signature, fixedArgumentCount: request.fixedCount)
    } catch {
      throw Failure(error, signature: request.signature)
    }
    memory = CallMemory(interface)
    for (index, argument) in request.arguments.enumerated() {
      let slot: ValueSlot
      do throws(InvocationError) { unsafe slot = unsafe try memory.argument(index) } catch {
        throw Failure(error, signature: request.signature)
      }
      unsafe outputs.append(
        try Self.write(argument, as: written.arguments[index].encoding, to: slot, index))
    }
    function = try Self.function(request, signature, libraries)
  }

  /// Makes the call, and flushes what it wrote to C's streams.
  ///
  /// - Throws: `unreadableString`, `unsupportedType`.
  func answer() throws(Failure) -> CallAnswer {
    // SAFETY: that the function has the signature is for the user to know; the process is there for
    // nothing else, and its end is reported.
    unsafe memory.call(function)
    fflush(nil)
    var result = JSONValue.null
    if let slot = unsafe memory.result {
      result = unsafe try ValueReader.value(of: slot, at: "result")
    }
    var contents: [JSONValue] = []
    for (index, output) in outputs.enumerated() {
      contents.append(try output?.contents(at: "argument \(index)") ?? .null)
    }
    return CallAnswer(
      result: result, outputs: contents, isVoid: function.signature.result.kind == .void)
  }

  private static func signature(_ request: CallRequest) throws(Failure) -> MethodSignature {
    do throws(TypeEncodingError) {
      return try MethodSignature(parsing: request.signature)
    } catch {
      throw Failure(error, input: request.signature)
    }
  }

  private static func promoted(
    _ signature: MethodSignature, _ request: CallRequest
  ) throws(Failure) -> MethodSignature {
    guard let fixedCount = request.fixedCount else { return signature }
    do throws(TypeEncodingError) {
      return try signature.promoted(behind: fixedCount)
    } catch {
      throw Failure(error, input: request.signature)
    }
  }

  /// Finds the function: in its library, or else in all that the program and earlier calls loaded.
  private static func function(
    _ request: CallRequest, _ signature: MethodSignature, _ libraries: [String]
  ) throws(Failure) -> CFunction {
    for (text, code) in [
      (request.symbol, "symbolNotFound"), (request.library ?? "", "libraryNotFound"),
    ] where text.utf8.contains(0) {
      throw Failure(code: code, message: "no name has a zero byte inside: \"\(text)\"")
    }
    func find(in library: String?) throws(InvocationError) -> CFunction {
      // SAFETY: as for the call.
      unsafe try CFunction(
        symbol: request.symbol, library: library, signature: signature,
        fixedArgumentCount: request.fixedCount)
    }
    do throws(InvocationError) {
      return try find(in: request.library)
    } catch {
      if request.library == nil, error.code == .symbolNotFound {
        // Libraries are loaded for themselves only, so that none takes another's symbols.
        for library in libraries {
          if let function = try? find(in: library) { return function }
        }
      }
      throw Failure(error, signature: request.signature)
    }
  }

  /// Writes an argument.
  ///
  /// - Parameters:
  ///   - argument: The value.
  ///   - encoding: Its type as written, before promotion.
  ///   - slot: Its place in the call.
  ///   - index: Its index.
  /// - Returns: The memory that it points to, if its contents are to be shown afterwards.
  /// - Throws: The refusal of the value.
  private static func write(
    _ argument: CallArgument, as encoding: TypeEncoding, to slot: ValueSlot, _ index: Int
  ) throws(Failure) -> ValueBuffer? {
    let place = "argument \(index)"
    var writer = ValueWriter()
    let value: JSONValue
    switch argument {
    case .value(let given): value = given
    case .word(let word):
      switch try WordValue(word, for: encoding, at: place) {
      case .value(let given): value = given
      case .text(let bytes):
        let text = unsafe try ValueWriter.cString(bytes, at: place)
        unsafe slot.address.storeBytes(of: text, as: UnsafeMutableRawPointer.self)
        return nil
      }
    }
    let isPromoted = unsafe slot.kind != encoding.kind
    if isPromoted {
      unsafe try writer.writePromoted(value, from: encoding, to: slot, at: place)
    } else {
      unsafe try writer.write(value, to: slot, at: place)
    }
    guard case .object(let members) = value, members.first?.name == "buffer" else { return nil }
    return writer.lastBuffer
  }
}

extension Failure {
  /// Creates a failure from a call that was refused.
  init(_ error: InvocationError, signature: String) {
    if let cause = error.encodingError {
      self.init(cause, input: signature)
    } else {
      self.init(code: error.code.rawValue, message: error.message)
    }
  }
}
