private import BlockABI
private import BlockRuntimeThreads

/// The closures that tasks run, behind the thunks that adapt them to what Swift's concurrency
/// library calls.
///
/// An address in a program's data is an async function pointer (a relative address and a size) only
/// if a symbol says so.
final class TaskClosures: Sendable {
  // SAFETY: the compiler passes async function pointers with the contexts of their closures. What
  // is read of a context is used as an address only if an image has an async function pointer
  // there.

  /// What an async function pointer leads to.
  private struct Function {
    /// The address of the code.
    let code: UInt

    /// The distance from a thunk's context to the closure that it calls; nil if the code is no
    /// thunk with a closure among its captures.
    let closureOffset: Int?
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
    for _ in 0..<Self.depthLimit {
      guard let offset = found.closureOffset, let captures = unsafe context,
        let captured = unsafe captures.load(fromByteOffset: offset, as: UnsafeRawPointer?.self),
        let inner = unsafe function(at: captured, isPassed: false)
      else { break }
      found = inner
      guard inner.closureOffset != nil else { break }
      unsafe context = unsafe captures.load(
        fromByteOffset: offset + Self.word, as: UnsafeRawPointer?.self)
    }
    return unsafe UnsafeRawPointer(bitPattern: found.code)
  }

  private static let word = MemoryLayout<UInt>.size

  /// The size of an object's head, after which a context has its captures.
  private static let headSize = 16

  /// What an address leads to, from the table or by the symbols of its image.
  ///
  /// - Parameters:
  ///   - entry: Any address.
  ///   - isPassed: Whether the compiler passes it as an async function pointer.
  /// - Returns: The function; nil if there is no async function pointer.
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

  /// Forgets what addresses lead to: other code may be there.
  func forget() { functions.exchange([:]) }

  private func read(_ entry: UnsafeRawPointer) -> Function {
    let code = unsafe entry + Int(entry.loadUnaligned(as: Int32.self))
    let offset = unsafe CodeSymbol(at: code)?.name.flatMap { Self.closureOffset(inThunk: $0) }
    return Function(code: UInt(bitPattern: code), closureOffset: offset)
  }

  /// Whether a symbol says that there is an async function pointer, and another one that it leads
  /// to the function.
  private func isAsyncFunctionPointer(_ address: UnsafeRawPointer) -> Bool {
    guard unsafe CodeSymbol.imagePath(at: address) != nil, UInt(bitPattern: address) % 4 == 0,
      unsafe CodeSymbol.mangledNames(from: address, length: 1)[0]?.contains(where: {
        $0.hasSuffix("Tu")
      }) == true
    else { return false }
    let code = unsafe address + Int(address.loadUnaligned(as: Int32.self))
    guard let symbol = unsafe CodeSymbol(at: code), symbol.offset == 0 else { return false }
    return symbol.mangledName.map { $0.hasPrefix("$s") || $0 == "async_Main" } == true
  }

  /// The distance from a thunk's context to the closure that it calls.
  ///
  /// Before the closure come the isolation (two words) of a function that has one, and the metadata
  /// of the types over which the thunk is generic.
  ///
  /// - Parameter name: The demangled name of a function.
  /// - Returns: The distance; nil if the function is not a thunk, or has other captures.
  static func closureOffset(inThunk name: String) -> Int? {
    guard let thunk = name.firstRange(of: "reabstraction thunk helper "),
      !name.contains("function signature specialization"),
      !name.contains("partial specialization")
    else { return nil }
    let type = name[thunk.upperBound...]
    var words = type.contains(" to @escaping @isolated(any) ") ? 2 : 0
    if type.hasPrefix("<"), !name[..<thunk.lowerBound].contains("specialization <") {
      guard let count = metadataCount(type) else { return nil }
      words += count
    }
    return headSize + words * word
  }

  /// The number of types over which a thunk is generic; nil if they have other requirements than to
  /// be sendable or a fixed type, for these add captures.
  private static func metadataCount(_ type: Substring) -> Int? {
    guard
      let list = type.prefixMatch(of: /<(?<parameters>[^<>]+?)(?: where (?<requirements>[^<>]+))?>/)
    else { return nil }
    var count = list.output.parameters.split(separator: ", ").count
    for requirement in (list.output.requirements ?? "").split(separator: ", ") {
      if requirement.wholeMatch(of: /[A-Z]\d* == [A-Z]\w+\.\w+/) != nil {
        count -= 1
      } else if !requirement.hasSuffix(": Swift.Sendable") {
        return nil
      }
    }
    return count
  }
}
