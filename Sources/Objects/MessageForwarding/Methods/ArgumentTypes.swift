private import BlockRuntimeThreads
internal import Invocations
private import Synchronization
internal import TypeEncodings

/// The types of the elements of a tuple of arguments: each is passed as the C type that it
/// corresponds to, or as an object that holds it.
///
/// There is one object for each tuple type, which is never freed, nor is its table of numbers.
final class ArgumentTypes: Sendable {
  // SAFETY: offsets and types of the elements are those of the tuple type's metadata, and the
  // functions below read and write elements only in memory of that tuple type.

  /// The type and the place of one argument.
  struct Argument: @unchecked Sendable {
    // SAFETY: `@unchecked Sendable`: all properties are immutable, and a metatype too.
    let type: Any.Type
    let offset: Int
    let encoding: TypeEncoding
    /// The argument's kind of number; `.none` if it is not a number.
    let number: ScalarKind
  }

  let arguments: [Argument]

  /// The arguments, if all are numbers.
  let numbers: NumberArguments?

  /// The places and kinds of the arguments, for a plan.
  var elements: [(offset: Int, kind: ScalarKind)] { arguments.map { ($0.offset, $0.number) } }

  private let identity: UInt

  private init(_ arguments: [Argument], of type: Any.Type) {
    self.arguments = arguments
    numbers = NumberArguments(arguments)
    identity = UInt(bitPattern: ObjectIdentifier(type))
  }

  private static let known = Locked<[ObjectIdentifier: ArgumentTypes]>([:])

  // SAFETY: initialised once, never freed; each place has 0 or the address of an object in `known`.
  /// The objects that were found last, each at the place that its tuple type's address selects.
  nonisolated(unsafe) private static let recent = {
    let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: recentCount)
    for index in 0..<recentCount { unsafe (places + index).initialize(to: Atomic(0)) }
    return unsafe places
  }()
  private static let recentCount = 256

  /// The numbers of a tuple type; nil if some of its elements are not numbers.
  ///
  /// - Throws: `invalidMethod`.
  static func numbers(of type: Any.Type) throws(MessageError) -> NumberArguments? {
    if let types = unsafe recent(type) {
      return unsafe types._withUnsafeGuaranteedRef { $0.numbers }
    }
    return try of(type).numbers
  }

  /// The elements of a tuple type, computed once.
  ///
  /// - Throws: `invalidMethod`.
  static func of(_ type: Any.Type) throws(MessageError) -> ArgumentTypes {
    if let types = unsafe recent(type) { return unsafe types.takeUnretainedValue() }
    let key = ObjectIdentifier(type)
    let types = try known.value(for: key) { () throws(MessageError) in try make(type) }
    unsafe place(of: key).pointee.store(
      UInt(bitPattern: Unmanaged.passUnretained(types).toOpaque()), ordering: .releasing)
    return types
  }

  private static func place(of key: ObjectIdentifier) -> UnsafeMutablePointer<Atomic<UInt>> {
    // SAFETY: the index is less than the count.
    unsafe recent + Int((UInt(bitPattern: key) &>> 4) % UInt(recentCount))
  }

  /// The object of a type that was found lately; it is never freed.
  @inline(__always)
  private static func recent(_ type: Any.Type) -> Unmanaged<ArgumentTypes>? {
    let key = ObjectIdentifier(type)
    // SAFETY: the object was complete before its address was stored.
    guard
      let address = unsafe UnsafeRawPointer(
        bitPattern: place(of: key).pointee.load(ordering: .acquiring))
    else { return nil }
    let types = unsafe Unmanaged<ArgumentTypes>.fromOpaque(address)
    let identity = UInt(bitPattern: key)
    let isMeant = unsafe types._withUnsafeGuaranteedRef { $0.identity == identity }
    return unsafe isMeant ? types : nil
  }

  private static func make(_ type: Any.Type) throws(MessageError) -> ArgumentTypes {
    guard let elements = TupleElements.of(type) else {
      throw MessageError(.invalidMethod, "the types of \(type) cannot be read")
    }
    return ArgumentTypes(
      type == Void.self
        ? []
        : elements.map {
          Argument(
            type: $0.type, offset: $0.offset, encoding: Self.encoding(of: $0.type),
            number: ScalarKind(of: $0.type))
        }, of: type)
  }

  /// The encoding of the C type that a Swift type corresponds to, or of an object that holds the
  /// value.
  static func encoding(of type: Any.Type) -> TypeEncoding {
    if type == Void.self { return TypeEncoding(.primitive(.void)) }
    // The encoding of an object has no class, by which an async answer must be known.
    if type is any AnyAsyncAnswer.Type { return TypeEncoding(swiftValueOf: type) }
    // Not all vectors are passed by value, and none by libffi.
    guard let encoding = try? TypeEncoding(of: type), !encoding.holds({ $0.kind == .vector }) else {
      return TypeEncoding(swiftValueOf: type)
    }
    return encoding
  }

  /// The types of a method with these arguments.
  func types(returning result: Any.Type) -> MethodTypes {
    MethodTypes(parameters: arguments.map(\.type), result: result)
  }

  /// The signature of a method with these arguments.
  func signature(returning result: Any.Type) -> MethodSignature {
    MethodSignature(
      result: Self.encoding(of: result),
      arguments: [TypeEncoding(.object(className: nil)), TypeEncoding(.primitive(.selector))]
        .map { MethodSignature.Argument($0) } + arguments.map { .init($0.encoding) })
  }

  /// Calls a closure with the arguments of a call as a tuple.
  ///
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`, and the errors
  ///   of the closure.
  func withArguments<Tuple, Outcome>(
    _ type: Tuple.Type, _ frame: inout CallFrame, _ body: (Tuple) throws -> Outcome
  ) throws -> Outcome {
    // SAFETY: `read` initialises the tuple, or throws without an initialised element.
    try unsafe withUnsafeTemporaryAllocation(of: Tuple.self, capacity: 1) { tuple in
      let start = unsafe tuple.baseAddress.unsafelyUnwrapped
      unsafe try read(into: UnsafeMutableRawPointer(start), frame)
      return try body(unsafe start.move())
    }
  }

  private func read(
    into tuple: UnsafeMutableRawPointer, _ frame: borrowing CallFrame
  ) throws(InvocationError) {
    // SAFETY: there is a number of this kind at the offset, while the frame lives.
    let (interface, memory) = unsafe (frame.interface, frame.memory.address)
    if let numbers, unsafe numbers.read(into: tuple, from: frame.memory, interface) { return }
    guard interface.argumentCount >= arguments.count + 2 else {
      throw InvocationError(
        .argumentCount,
        "the call has \((interface.argumentCount - 2).of("argument")), the method takes "
          + "\(arguments.count)"
      )
    }
    for (index, argument) in arguments.enumerated() {
      let number = interface.number(ofArgument: index + 2)
      if argument.number != .none, argument.number == number.kind {
        unsafe (tuple + argument.offset).copyMemory(
          from: memory + number.offset, byteCount: number.kind.byteCount)
        continue
      }
      do throws(InvocationError) {
        unsafe try Self.initialize(tuple + argument.offset, argument.type, frame, index + 2)
      } catch {
        for done in arguments[..<index] {
          unsafe Self.deinitialize(tuple + done.offset, done.type)
        }
        throw error
      }
    }
  }

  /// Writes a tuple's elements to the memory of a call.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  func write<Tuple>(
    _ tuple: Tuple, to memory: CallMemory, _ interface: CallInterface,
    keeping kept: inout KeptValues
  ) throws(InvocationError) {
    // SAFETY: the memory has room for a number of this kind at the offset.
    try unsafe withUnsafePointer(to: tuple) { tuple throws(InvocationError) in
      for (index, argument) in arguments.enumerated() {
        let place = unsafe UnsafeRawPointer(tuple) + argument.offset
        let number = interface.number(ofArgument: index + 2)
        if argument.number != .none, argument.number == number.kind {
          unsafe (memory.address + number.offset).copyMemory(
            from: place, byteCount: number.kind.byteCount)
        } else {
          let writer = unsafe Self.writer(place, argument.type)
          unsafe try writer.store(to: memory.argumentSlot(index + 2), keeping: &kept)
        }
      }
    }
  }

  /// Writes a tuple's elements to an invocation.
  ///
  /// - Throws: `typeMismatch`, `valueOutOfRange`.
  func write<Tuple>(_ tuple: Tuple, to invocation: Invocation) throws(InvocationError) {
    try unsafe withUnsafePointer(to: tuple) { tuple throws(InvocationError) in
      for (index, argument) in arguments.enumerated() {
        let place = unsafe UnsafeRawPointer(tuple) + argument.offset
        if unsafe invocation.setNumber(index + 2, argument.number, at: place) { continue }
        try unsafe Self.writer(place, argument.type).store(to: invocation, at: index + 2)
      }
    }
  }

  private static func initialize(
    _ element: UnsafeMutableRawPointer, _ type: Any.Type, _ frame: borrowing CallFrame, _ index: Int
  ) throws(InvocationError) {
    // The frame cannot be captured, because it is noncopyable; its memory can.
    // SAFETY: the call's memory is used while the frame lives; the address is that of an element of
    // the type.
    let call = unsafe frame.memory
    func load<Value>(_ type: Value.Type) -> InvocationError? {
      do throws(InvocationError) {
        let value: Value = unsafe try call.loadArgument(index)
        unsafe element.initializeMemory(as: Value.self, to: value)
        return nil
      } catch {
        return error
      }
    }
    if let error = _openExistential(type, do: load) { throw error }
  }

  private static func deinitialize(_ element: UnsafeMutableRawPointer, _ type: Any.Type) {
    // SAFETY: `initialize` has initialised the element.
    func end<Value>(_ type: Value.Type) {
      _ = unsafe element.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
    _openExistential(type, do: end)
  }

  private static func writer(_ memory: UnsafeRawPointer, _ type: Any.Type) -> any ArgumentWriter {
    // SAFETY: the memory is that of an element of the type, in a tuple that the caller holds.
    func make<Value>(_ type: Value.Type) -> any ArgumentWriter {
      ElementWriter(value: unsafe memory.assumingMemoryBound(to: Value.self).pointee)
    }
    return _openExistential(type, do: make)
  }
}

/// Writes one argument of any type.
protocol ArgumentWriter {
  /// Writes the argument to a slot.
  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError)

  /// Writes the argument to an invocation.
  func store(to invocation: Invocation, at index: Int) throws(InvocationError)
}

private struct ElementWriter<Value>: ArgumentWriter {
  let value: Value

  func store(to slot: ValueSlot, keeping kept: inout KeptValues) throws(InvocationError) {
    // SAFETY: the slot is in the memory that the caller writes.
    unsafe try slot.store(value, keeping: &kept)
  }

  func store(to invocation: Invocation, at index: Int) throws(InvocationError) {
    try invocation.storeArgument(index, value)
  }
}
