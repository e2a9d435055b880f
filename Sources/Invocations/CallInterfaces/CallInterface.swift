private import CFFI
public import TypeEncodings

// SAFETY, for the whole file: libffi's types live as long as the interface that owns them.

/// A signature made ready for calls: where every argument and the result lie, and how they travel.
///
/// Interfaces are immutable, cached and safe to use from any thread. The corresponding libffi type
/// is `ffi_cif`.
@safe
public final class CallInterface: Sendable {
  /// The signature that the interface was made for.
  public let signature: MethodSignature

  /// The layouts of the arguments, hidden ones included.
  package let argumentLayouts: [TypeLayout]

  /// The layout of the result, nil for void.
  package let resultLayout: TypeLayout?

  /// Where each argument lies in an argument buffer, and the buffer's size, in bytes.
  package let argumentOffsets: [Int]
  package let bufferSize: Int

  /// The size in bytes of memory for a result of this interface: never less than a register.
  package let resultSize: Int

  /// What libffi is told of an argument: all of it, or the half at an offset.
  private struct Part {
    let argument: Int
    let offset: Int
  }

  private let foreignTypes: ForeignTypes

  /// The interface of closures, and the arguments that it has: all but empty records.
  private let closureInterface: ForeignInterface
  let passedArguments: [Int]

  /// The interface of calls, and what is passed in its arguments.
  private let callInterface: ForeignInterface
  private let parts: [Part]

  /// Prepares calls of a signature.
  ///
  /// - Parameters:
  ///   - signature: What is called.
  ///   - usesStructReturn: A block's flag, where there is one to agree with.
  ///   - fixedArgumentCount: For a variadic function, how many arguments are declared.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package init(
    _ signature: MethodSignature, usesStructReturn: Bool? = nil, fixedArgumentCount: Int? = nil
  ) throws(InvocationError) {
    let layouts = try Self.layouts(of: signature, usesStructReturn: usesStructReturn)
    if let fixedArgumentCount {
      try Self.checkPromotions(signature, fixedArgumentCount)
    }
    var foreignTypes = ForeignTypes()
    let resultType = unsafe try foreignTypes.result(signature.result, layouts.result)
    var closureTypes: [UnsafeMutablePointer<ffi_type>?] = unsafe []
    var callTypes: [UnsafeMutablePointer<ffi_type>?] = unsafe []
    var passedArguments: [Int] = []
    var parts: [Part] = []
    var registers = ArgumentRegisters(
      returnsThroughMemory: Self.returnsThroughMemory(signature.result, layouts.result))
    for (index, (argument, layout)) in zip(signature.arguments, layouts.arguments).enumerated() {
      do throws(InvocationError) {
        guard let type = unsafe try foreignTypes.argument(argument.encoding, layout) else {
          continue
        }
        unsafe closureTypes.append(type)
        passedArguments.append(index)
        if try registers.take(argument.encoding.asArgument, layout) {
          unsafe callTypes += [cffi_type_uint64(), cffi_type_double()]
          parts += [Part(argument: index, offset: 0), Part(argument: index, offset: 8)]
        } else {
          unsafe callTypes.append(type)
          parts.append(Part(argument: index, offset: 0))
        }
      } catch {
        throw InvocationError(error.code, "argument \(index): \(error.message)", argument: index)
      }
    }
    closureInterface = unsafe try ForeignInterface(
      closureTypes, result: resultType,
      fixedCount: fixedArgumentCount.map { fixed in passedArguments.count { $0 < fixed } },
      signature: signature)
    callInterface =
      parts.count == passedArguments.count
      ? closureInterface
      : unsafe try ForeignInterface(
        callTypes, result: resultType,
        fixedCount: fixedArgumentCount.map { fixed in parts.count { $0.argument < fixed } },
        signature: signature)

    self.signature = signature
    argumentLayouts = layouts.arguments
    resultLayout = layouts.result
    (argumentOffsets, bufferSize) = Self.placeArguments(layouts.arguments)
    resultSize = Self.roundedUp(max(layouts.result?.size ?? 0, 16), to: 16)
    self.foreignTypes = foreignTypes
    self.passedArguments = passedArguments
    self.parts = parts
  }

  /// Calls a function.
  ///
  /// ## Safety
  /// `function` must have this signature; `arguments` must hold the address of each argument and
  /// `result` `resultSize` bytes, or exactly the result's if it is returned through memory.
  @unsafe
  package func call(
    _ function: UnsafeRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ result: UnsafeMutableRawPointer
  ) {
    // libffi replaces the addresses of large records by those of its own copies: the list it gets is
    // a copy, so that the arguments can be read, and passed again, after the call.
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: parts.count + 1
    ) { passed in
      for (place, part) in parts.enumerated() {
        // SAFETY: there is a place for every part; an offset lies in a record of 16 bytes.
        let address = unsafe arguments[part.argument].map { unsafe $0 + part.offset }
        unsafe passed.initializeElement(at: place, to: address)
      }
      unsafe callInterface.call(function, passed.baseAddress, result)
    }
  }

  /// The prepared interface, for closures; it lives as long as this one.
  var closureAddress: UnsafeMutableRawPointer { unsafe closureInterface.address }

  /// Whether libffi is told of every argument, so that its argument list is the signature's.
  var passesEveryArgument: Bool { passedArguments.count == signature.arguments.count }
}

extension CallInterface {
  private static func layouts(
    of signature: MethodSignature, usesStructReturn: Bool?
  ) throws(InvocationError) -> (arguments: [TypeLayout], result: TypeLayout?) {
    let layouts: (arguments: [TypeLayout], result: TypeLayout?)
    do {
      layouts = try signature.callLayouts(usesStructReturn: usesStructReturn)
    } catch {
      throw InvocationError(error)
    }
    // All of it lies on the stack of the caller, of libffi and of closures.
    let sizes = layouts.arguments.map(\.size) + [layouts.result?.size ?? 0]
    let total = sizes.reduce(0) { $0 + min(max($1, 8), frameLimit + 1) }
    guard total <= frameLimit else {
      throw InvocationError(
        .unsupportedType,
        "arguments and result take more than \(frameLimit) bytes of stack; pass pointers instead")
    }
    return layouts
  }

  /// The most bytes that the arguments and the result of a call may take.
  private static let frameLimit = 65_536

  /// Arguments behind the fixed ones are promoted by the caller: no smaller types exist there.
  private static func checkPromotions(
    _ signature: MethodSignature, _ fixedArgumentCount: Int
  ) throws(InvocationError) {
    guard (0...signature.arguments.count).contains(fixedArgumentCount) else {
      throw InvocationError(
        .argumentCount,
        "\(fixedArgumentCount) fixed arguments do not fit the \(signature.arguments.count) listed")
    }
    let promoted: [TypeEncoding.Kind: String] = [
      .bool: "i", .int8: "i", .uint8: "i", .int16: "i", .uint16: "i", .float: "d",
    ]
    for index in fixedArgumentCount..<signature.arguments.count {
      let encoding = signature.arguments[index].encoding
      if let better = promoted[encoding.kind] {
        throw InvocationError(
          .invalidSignature,
          "argument \(index): a variadic \(encoding) is promoted by the C caller; write \(better)",
          argument: index)
      }
    }
  }

  private static func placeArguments(_ layouts: [TypeLayout]) -> (offsets: [Int], size: Int) {
    var offsets: [Int] = []
    var end = 0
    for layout in layouts {
      end = roundedUp(end, to: max(layout.alignment, 8))
      offsets.append(end)
      // Registers are filled eight bytes at a time, whatever the type's size.
      end += roundedUp(max(layout.size, 8), to: 8)
    }
    return (offsets, max(roundedUp(end, to: 16), 16))
  }

  private static func roundedUp(_ value: Int, to multiple: Int) -> Int {
    (value + multiple - 1) / multiple * multiple
  }
}

extension CallInterface {
  /// The interface of a type encoding.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func parsing(_ encoding: String) throws(InvocationError) -> CallInterface {
    let signature: MethodSignature
    do { signature = try MethodSignature(parsing: encoding) } catch { throw InvocationError(error) }
    return try cached(for: signature)
  }

  /// Whether the result is returned through a hidden pointer.
  package var returnsThroughMemory: Bool {
    Self.returnsThroughMemory(signature.result, resultLayout)
  }

  private static func returnsThroughMemory(_ result: TypeEncoding, _ layout: TypeLayout?) -> Bool {
    guard let layout, result.kind != .complexLongDouble else { return false }
    return (try? PassingClass(result, layout)) == .memory
  }
}

extension TypeEncoding {
  /// What is passed for an argument of the type: a pointer for an array.
  fileprivate var asArgument: TypeEncoding {
    if case .array(_, let element) = type { TypeEncoding(.pointer(element)) } else { self }
  }
}
