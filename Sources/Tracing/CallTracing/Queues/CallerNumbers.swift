internal import BlockABI
internal import CBlockRuntimeThreads.AddressTable
private import CLoadedImages.Symbols
private import Glibc

/// The callers in a stream, by their return addresses: those who send blocks, create tasks, wait or
/// call C functions.
///
/// No function takes a lock, and none fails: a caller for which there is no room is not known to
/// the reader.
@safe
final class CallerNumbers: Sendable {
  // SAFETY: the table is allocated once, and freed with this object; its functions use atomic
  // operations. Addresses of code are only looked up.
  nonisolated(unsafe) private let callers: UnsafeMutablePointer<cbr_address_table>
  private let stream: TraceStreamAppender

  /// Creates an empty table; nil without memory.
  init?(_ stream: TraceStreamAppender) {
    guard let callers = unsafe cbr_address_table_create(14) else { return nil }
    unsafe self.callers = unsafe callers
    self.stream = stream
  }

  deinit { unsafe cbr_address_table_free(callers) }

  /// The callers of the hooked function whose handler is running.
  ///
  /// - Parameters:
  ///   - search: How they are found.
  ///   - mayAllocate: Whether memory may be allocated for the name of a new one. A function that
  ///     handlers of signals call may be called while the thread is in `malloc`.
  /// - Returns: The callers.
  func find(_ search: CallerSearch, mayAllocate: Bool) -> TraceCallers {
    unsafe search.withCallers { unsafe numbers(of: $0, mayAllocate: mayAllocate) }
  }

  /// Describes some code as if it were a caller, so that later ones are described without an
  /// allocation: the first use of a type may make one.
  func prepare(_ code: UnsafeRawPointer?) {
    unsafe withUnsafePointer(to: code) { code in
      let callers = unsafe UnsafeBufferPointer(start: code, count: 1)
      _ = unsafe numbers(of: callers, mayAllocate: false)
    }
  }

  /// The numbers of callers by their return addresses, the innermost first.
  func numbers(
    of callers: UnsafeBufferPointer<UnsafeRawPointer?>, mayAllocate: Bool = true
  ) -> TraceCallers {
    var numbers = TraceCallers()
    for index in 0..<callers.count {
      unsafe numbers.append(number(of: callers[index], mayAllocate: mayAllocate))
    }
    return numbers
  }

  /// Forgets the callers: other code may be at their addresses.
  func forget() { unsafe cbr_address_clear(callers) }

  private func number(of address: UnsafeRawPointer?, mayAllocate: Bool) -> UInt32 {
    let known = unsafe cbr_address_word(callers, UInt(bitPattern: address))
    if known != 0 { return UInt32(truncatingIfNeeded: known) }
    guard let address = unsafe address,
      unsafe cbr_address_reserve(callers, UInt(bitPattern: address))
    else { return 0 }
    let number = stream.takeNumber()
    guard unsafe describe(caller: address, number, mayAllocate: mayAllocate) else { return 0 }
    return unsafe UInt32(
      truncatingIfNeeded: cbr_address_claim(callers, UInt(bitPattern: address), UInt64(number)))
  }

  /// A caller that is described, for a C function that gets its symbol.
  private struct Description {
    let stream: TraceStreamAppender
    let number: UInt32
    let address: UInt
    let mayAllocate: Bool
    var isWritten = false

    mutating func write(_ symbol: cbr_symbol) {
      let name = unsafe symbol.name.map {
        unsafe UnsafeRawBufferPointer(start: $0, count: symbol.name_length)
      }
      guard mayAllocate, let name = unsafe name else {
        isWritten = unsafe stream.describeCaller(
          number, name: name, isSymbol: true, address: address, symbol)
        return
      }
      var text = unsafe CodeSymbol.name(ofSymbol: String(decoding: name, as: UTF8.self))
      isWritten = text.withUTF8 { text in
        unsafe stream.describeCaller(
          number, name: UnsafeRawBufferPointer(text), isSymbol: false, address: address, symbol)
      }
    }
  }

  /// Describes a caller; without an allocation by the symbol that the linker has, of which the
  /// reader makes a name.
  private func describe(
    caller address: UnsafeRawPointer, _ number: UInt32, mayAllocate: Bool
  ) -> Bool {
    var description = Description(
      stream: stream, number: number, address: UInt(bitPattern: address),
      mayAllocate: mayAllocate)
    // A call may be the last instruction of its function.
    // SAFETY: the address is only looked up; the context lives during the call, as the symbol does.
    let isFound = unsafe withUnsafeMutablePointer(to: &description) { description in
      unsafe cbr_visit_symbol(
        address - 1,
        { symbol, context in
          guard let symbol = unsafe symbol?.pointee else { return }
          unsafe context?.assumingMemoryBound(to: Description.self).pointee.write(symbol)
        }, description)
    }
    guard !isFound else { return description.isWritten }
    return unsafe stream.describeCaller(
      number, name: nil, isSymbol: false, address: UInt(bitPattern: address), cbr_symbol())
  }
}

extension TraceStreamAppender {
  /// Appends a function that sends blocks or calls functions.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - name: Its demangled name, or its symbol as the linker has it.
  ///   - isSymbol: Whether the name is that symbol.
  ///   - address: The address in it to which the call returns.
  ///   - symbol: The file of its image, and the place of the call there; empty if not known.
  /// - Returns: False if there was no room.
  fileprivate func describeCaller(
    _ number: UInt32, name: UnsafeRawBufferPointer?, isSymbol: Bool, address: UInt,
    _ symbol: cbr_symbol
  ) -> Bool {
    let file = unsafe symbol.file.map {
      unsafe UnsafeRawBufferPointer(start: $0, count: strlen($0))
    }
    let parts: TraceStreamFormat.Parts = unsafe .none.with(.name, if: name != nil)
      .with(.image, if: file != nil).with(.isSymbol, if: isSymbol)
    let nameSize = unsafe name.map(StreamBodyWriter.size) ?? 0
    let size = unsafe 28 + nameSize + (file.map(StreamBodyWriter.size) ?? 0)
    return appendOrLeaveGap(.caller, parts, size) { body in
      body.append(number)
      body.append(UInt64(address))
      unsafe body.append(UInt64(symbol.place))
      unsafe body.append(symbol.build_id)
      if let name = unsafe name { unsafe body.append(name) }
      if let file = unsafe file { unsafe body.append(file) }
    }
  }
}
