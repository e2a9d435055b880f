internal import CBlockRuntimeFFI
internal import TypeEncodings

/// A prepared `ffi_cif` with the list of types that it refers to.
@safe
final class ForeignInterface: Sendable {
  // SAFETY: both are allocated and initialised in `init`, then only read, and freed in `deinit`.
  nonisolated(unsafe) private let prepared: UnsafeMutablePointer<ffi_cif>
  nonisolated(unsafe) private let types: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>

  /// Prepares calls.
  ///
  /// - Parameters:
  ///   - arguments: The types of the arguments, which must outlive the interface.
  ///   - result: The type of the result, which must outlive it too.
  ///   - fixedCount: For a variadic function, how many of them are declared.
  ///   - signature: For the error's message.
  /// - Throws: `unsupportedType`.
  init(
    _ arguments: [UnsafeMutablePointer<ffi_type>?], result: UnsafeMutablePointer<ffi_type>,
    fixedCount: Int?, signature: MethodSignature
  ) throws(InvocationError) {
    // SAFETY: the memory has room for every type. libffi writes to `prepared` only, and both live
    // as long as this object.
    let types = unsafe UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(
      capacity: max(arguments.count, 1))
    unsafe types.initialize(from: arguments, count: arguments.count)
    let prepared = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    unsafe prepared.initialize(to: ffi_cif())
    let count = unsafe UInt32(arguments.count)
    let status =
      if let fixedCount, fixedCount < count {
        unsafe ffi_prep_cif_var(
          prepared, cffi_default_abi(), UInt32(fixedCount), count, result, types)
      } else {
        unsafe ffi_prep_cif(prepared, cffi_default_abi(), count, result, types)
      }
    unsafe self.prepared = unsafe prepared
    unsafe self.types = unsafe types
    guard status == FFI_OK else {
      throw InvocationError(
        .unsupportedType, "libffi refuses \(signature) (status \(status.rawValue))")
    }
  }

  deinit {
    // SAFETY: no call or closure uses the memory any more, as each retains its interface.
    unsafe prepared.deallocate()
    unsafe types.deallocate()
  }

  // SAFETY: `prepared` is valid; closures only read it.
  /// The address of the prepared interface, which lives as long as this object.
  var address: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(prepared) }

  /// Calls a function.
  ///
  /// ## Safety
  /// The function must have the interface's signature. `arguments` must hold the address of each
  /// value, and `result` room for the result; libffi may change the list.
  @unsafe
  func call(
    _ function: UnsafeRawPointer, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) {
    // SAFETY: the caller vouches for the arguments.
    unsafe cffi_call(prepared, function, result, arguments)
  }
}
