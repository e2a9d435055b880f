private import CBlockRuntimeFFI
internal import TypeEncodings

// SAFETY, for the whole file: libffi's types live as long as this object, which owns them.

/// The calls of a signature through libffi, in both directions.
@safe
final class ForeignCall: Sendable {
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

  /// Prepares calls.
  ///
  /// - Throws: `unsupportedType`.
  init(
    _ signature: MethodSignature, _ arguments: [TypeLayout], _ result: TypeLayout?,
    returnsThroughMemory: Bool, fixedArgumentCount: Int?
  ) throws(InvocationError) {
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
  /// `function` must have this signature; `plan` must be the interface's, and `image` laid out by it.
  @unsafe
  func call(
    _ function: UnsafeRawPointer, _ image: UnsafeMutableRawPointer,
    _ plan: UnsafePointer<CallPlan>
  ) {
    // libffi replaces the addresses of large records by those of its own copies: the list is made
    // for every call.
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: parts.count + 1
    ) { passed in
      for (place, part) in parts.enumerated() {
        // SAFETY: there is a place for every part; an offset lies in a record of 16 bytes.
        let address = unsafe image + plan.offset(of: part.argument) + part.offset
        unsafe passed.initializeElement(at: place, to: address)
      }
      unsafe callInterface.call(function, passed.baseAddress, plan.pointee.resultAddress(image))
    }
  }

  /// The prepared interface, for closures; it lives as long as this object.
  var closureAddress: UnsafeMutableRawPointer { unsafe closureInterface.address }
}
