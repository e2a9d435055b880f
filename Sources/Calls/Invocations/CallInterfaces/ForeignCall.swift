internal import BlockRuntimeThreads
private import CBlockRuntimeFFI
internal import TypeEncodings

/// The calls of a signature through libffi, in both directions.
@safe
final class ForeignCall: Sendable {
  /// One argument for libffi: a whole argument of the signature, or its half at an offset; padding
  /// if `argument` is nil.
  private struct Part {
    let argument: Int?
    var offset = 0
  }

  // SAFETY: this object owns the types, so they live as long as the interfaces that refer to them.
  private let foreignTypes: ForeignTypes

  /// The interface of closures, and the indices of its arguments: all but empty records; nil for
  /// padding.
  private let closureInterface: ForeignInterface
  let passedArguments: [Int?]

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
    var passedArguments: [Int?] = []
    var parts: [Part] = []
    var registers = ArgumentRegisters(returnsThroughMemory: returnsThroughMemory)
    for (index, (argument, layout)) in zip(signature.arguments, arguments).enumerated() {
      do throws(InvocationError) {
        guard let type = unsafe try foreignTypes.argument(argument.encoding, layout) else {
          continue
        }
        let form = try registers.take(argument.encoding.asParameter, layout)
        if form == .afterPadding {
          unsafe closureTypes.append(cffi_type_uint64())
          unsafe callTypes.append(cffi_type_uint64())
          passedArguments.append(nil)
          parts.append(Part(argument: nil))
        }
        unsafe closureTypes.append(type)
        passedArguments.append(index)
        if form == .halves {
          unsafe callTypes += [cffi_type_uint64(), cffi_type_double()]
          parts += [Part(argument: index), Part(argument: index, offset: 8)]
        } else {
          unsafe callTypes.append(type)
          parts.append(Part(argument: index))
        }
      } catch {
        throw InvocationError(error.code, "argument \(index): \(error.message)", argument: index)
      }
    }
    closureInterface = unsafe try ForeignInterface(
      closureTypes, result: resultType,
      fixedCount: fixedArgumentCount.map { fixed in passedArguments.count { $0 ?? 0 < fixed } },
      signature: signature)
    callInterface =
      parts.count == passedArguments.count
      ? closureInterface
      : unsafe try ForeignInterface(
        callTypes, result: resultType,
        fixedCount: fixedArgumentCount.map { fixed in parts.count { $0.argument ?? 0 < fixed } },
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
      for place in parts.indices {
        let part = parts[place]
        // Padding may have any value.
        let argument = part.argument.map { unsafe plan.offset(of: $0) } ?? 0
        let address = unsafe memory + argument + part.offset
        unsafe passed.initializeElement(at: place, to: address)
      }
      unsafe callInterface.call(function, passed.baseAddress, plan.pointee.resultAddress(memory))
    }
  }

  // SAFETY: as above.
  /// The address of the prepared interface for closures, which lives as long as this object.
  var closureAddress: UnsafeMutableRawPointer { unsafe closureInterface.address }
}

/// How an argument is passed to libffi, so that it gets the registers that it has in C.
enum ForeignArgumentForm {
  case whole
  /// The argument becomes two, an integer and a floating-point number.
  case halves
  /// The argument follows a number that takes the register which the argument must leave free.
  case afterPadding
}

extension ForeignCall: ReferenceTable {}
