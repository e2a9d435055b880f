private import CBlockRuntimeFFI
internal import TypeEncodings

/// The calls of a signature through libffi, in both directions.
@safe
final class ForeignCall: Sendable {
  /// One argument for libffi: a whole argument of the signature, or its half at an offset.
  private struct Part {
    let argument: Int
    let offset: Int
  }

  // SAFETY: this object owns the types, so they live as long as the interfaces that refer to them.
  private let foreignTypes: ForeignTypes

  /// The interface of closures, and the indices of its arguments: all but empty records.
  private let closureInterface: ForeignInterface
  let passedArguments: [Int]

  /// The interface of calls, and its arguments.
  private let callInterface: ForeignInterface
  private let parts: [Part]

  /// Prepares calls.
  ///
  /// - Throws: `unsupportedType`.
  init(
    _ signature: MethodSignature, _ arguments: [TypeLayout], _ result: TypeLayout?,
    returnsThroughMemory: Bool, fixedArgumentCount: Int?
  ) throws(InvocationError) {
    // SAFETY: `foreignTypes`, which owns the types, becomes this object's property.
    var foreignTypes = ForeignTypes()
    let resultType = unsafe try foreignTypes.result(signature.result, result)
    var closureTypes: [UnsafeMutablePointer<ffi_type>?] = unsafe []
    var callTypes: [UnsafeMutablePointer<ffi_type>?] = unsafe []
    var passedArguments: [Int] = []
    var parts: [Part] = []
    var registers = ArgumentRegisters(returnsThroughMemory: returnsThroughMemory)
    for (index, (argument, layout)) in zip(signature.arguments, arguments).enumerated() {
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
    self.foreignTypes = foreignTypes
    self.passedArguments = passedArguments
    self.parts = parts
  }

  /// Calls a function.
  ///
  /// ## Safety
  /// `function` must have this signature; `plan` must be the interface's, and `memory` must be laid
  /// out by it.
  @unsafe
  func call(
    _ function: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer,
    _ plan: UnsafePointer<CallPlan>
  ) {
    // libffi replaces the addresses of large records by those of its own copies, so each call needs
    // a new list.
    // SAFETY: the list has room for every part; the addresses are in the memory, as a part's offset
    // is in a record of 16 bytes.
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: parts.count + 1
    ) { passed in
      for (place, part) in parts.enumerated() {
        let address = unsafe memory + plan.offset(of: part.argument) + part.offset
        unsafe passed.initializeElement(at: place, to: address)
      }
      unsafe callInterface.call(function, passed.baseAddress, plan.pointee.resultAddress(memory))
    }
  }

  // SAFETY: as above.
  /// The address of the prepared interface for closures, which lives as long as this object.
  var closureAddress: UnsafeMutableRawPointer { unsafe closureInterface.address }
}

/// The registers that the arguments of a call have taken so far, for calls that libffi makes.
///
/// Specification: System V ABI, AMD64 supplement, 3.2.3.
struct ArgumentRegisters {
  private var integer = 0
  private var sse = 0

  /// Begins a call; a hidden result pointer takes the first register.
  init(returnsThroughMemory: Bool) { integer = returnsThroughMemory ? 1 : 0 }

  /// Takes the registers of one argument, or none if they do not suffice for all of it.
  ///
  /// - Returns: Whether the argument's two halves must be separate arguments for libffi: it copies
  ///   a record of an integer and a floating-point half whole to the last integer register, and so
  ///   overwrites the first floating-point one (libffi 3.4.4, `ffi_call_int`).
  /// - Throws: `unsupportedType`.
  mutating func take(
    _ encoding: TypeEncoding, _ layout: TypeLayout
  ) throws(InvocationError) -> Bool {
    #if arch(x86_64)
    guard case .registers(let classes) = try PassingClass(encoding, layout),
      !classes.contains(.x87)
    else { return false }
    let integers = classes.count { $0 == .integer }
    let floats = classes.count { $0 == .sse }
    guard integer + integers <= 6, sse + floats <= 8 else { return false }
    defer {
      integer += integers
      sse += floats
    }
    return classes == [.integer, .sse] && integer == 5 && sse > 0
    #else
    return false
    #endif
  }
}
