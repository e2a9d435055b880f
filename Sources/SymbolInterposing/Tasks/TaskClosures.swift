private import BlockABI
private import BlockRuntimeThreads
private import CSymbolInterposing.ImportSlots

/// The closures that tasks run, behind the thunks that adapt them to what Swift's concurrency library
/// calls.
///
/// An address in a program's data is an async function pointer (a relative address and a size) only
/// if a symbol says so.
final class TaskClosures: Sendable {
  // SAFETY: the compiler passes async function pointers with the contexts of their closures. What is
  // read of a context is used as an address only if an image has an async function pointer there.

  /// What an async function pointer leads to.
  private struct Function {
    /// The address of the code.
    let code: UInt

    /// Whether the code is a thunk, which has the closure among its captures.
    let isThunk: Bool
  }

  /// What the addresses lead to that were seen so far; nil if they are no async function pointers.
  private let functions = Locked<[UInt: Function?]>([:])

  private static let limit = 4096

  /// Thunks around thunks that are followed.
  private static let depthLimit = 4

  /// The code of a closure, behind thunks.
  ///
  /// - Parameters:
  ///   - entry: The address of an async function pointer.
  ///   - context: The closure's context.
  /// - Returns: The address of the code; that of a thunk if what it calls cannot be found.
  func code(of entry: UnsafeRawPointer?, _ context: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let entry = unsafe entry else { return nil }
    guard var found = unsafe function(at: entry, isPassed: true) else { return nil }
    var context = unsafe context
    for _ in 0..<Self.depthLimit where found.isThunk {
      guard let captures = unsafe context,
        let captured = unsafe captures.load(
          fromByteOffset: Self.captureOffset, as: UnsafeRawPointer?.self),
        let inner = unsafe function(at: captured, isPassed: false)
      else { break }
      found = inner
      unsafe context = unsafe captures.load(
        fromByteOffset: Self.captureOffset + 8, as: UnsafeRawPointer?.self)
    }
    return unsafe UnsafeRawPointer(bitPattern: found.code)
  }

  /// The distance of a closure's captures from its context: the head of an object.
  private static let captureOffset = 16

  /// What an address leads to, from the table or by the symbols of its image.
  ///
  /// - Parameters:
  ///   - entry: Any address.
  ///   - isPassed: Whether the compiler passes it as an async function pointer.
  private func function(at entry: UnsafeRawPointer, isPassed: Bool) -> Function? {
    let address = UInt(bitPattern: entry)
    let known = ForkGate.inside({ functions.withLock { $0[address] } }) ?? nil
    if let known { return known }
    // The image's file may be read, so no lock is held.
    let found = unsafe isPassed || isAsyncFunctionPointer(entry) ? read(entry) : nil
    _ = ForkGate.inside {
      functions.withLock { functions in
        if functions.count >= Self.limit { functions = [:] }
        functions[address] = .some(found)
      }
    }
    return found
  }

  private func read(_ entry: UnsafeRawPointer) -> Function? {
    let code = unsafe entry + Int(entry.loadUnaligned(as: Int32.self))
    let name = unsafe CodeSymbol(at: code)?.name
    // A thunk that was specialized for a closure has none among its captures.
    let isThunk =
      name?.contains("reabstraction thunk ") == true
      && name?.contains("function signature specialization") == false
    return Function(code: UInt(bitPattern: code), isThunk: isThunk)
  }

  private func isAsyncFunctionPointer(_ address: UnsafeRawPointer) -> Bool {
    guard unsafe cbr_image_of(address) != nil else { return false }
    let names = unsafe CodeSymbol.mangledNames(from: address, length: 1)[0] ?? []
    return names.contains { $0.hasPrefix("$s") && $0.hasSuffix("Tu") }
  }
}
