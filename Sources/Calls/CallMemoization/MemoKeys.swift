internal import BlockHooks
internal import Invocations
internal import TypeEncodings

/// How a store hashes and compares keys.
protocol StoreKeys: Sendable {
  associatedtype Key: Hashable & Sendable

  /// Whether the comparison of a key with any other runs no client code.
  static func isOwn(_ key: Key) -> Bool

  /// A hash of a key, which cannot be foreseen outside of the process.
  func hash(_ key: Key) -> Int
}

extension StoreKeys {
  func hash(_ key: Key) -> Int {
    var hasher = Hasher()
    key.hash(into: &hasher)
    return hasher.finalize()
  }
}

/// Keys that distinguish the calls of one target.
protocol MemoKeys: StoreKeys {
  /// Whether the declared arguments are stored with the key.
  var keepsArguments: Bool { get }

  /// The key of a call in progress; nil for a call whose result must not be stored.
  func key(of call: inout CallFrame) throws -> Key?

  /// The key of a call with the given declared arguments, and with the receiver of a method.
  ///
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  func key(of arguments: [CValue], _ receiver: AnyObject?) throws(InvocationError) -> Key?

  /// The declared arguments that the key itself represents.
  func arguments(of key: Key) -> [CValue]

  /// Whether the caller makes the keys: then the arguments are not needed otherwise.
  static var isCallers: Bool { get }

  /// The key that the caller made; nil if it is of another type, or the arguments are the key.
  func key(made key: AnyHashable) -> Key?

  /// The key as the caller made it; nil if the arguments are the key.
  func made(_ key: Key) -> AnyHashable?

  /// The bytes in a tier of a key that the caller made; nil if it has none.
  func code(_ key: Key) -> [UInt8]?
}

extension MemoKeys {
  var keepsArguments: Bool { false }

  func key(of arguments: [CValue], _ receiver: AnyObject?) throws(InvocationError) -> Key? {
    throw InvocationError(
      .typeMismatch, "the hook's keys are not its arguments; remove by `remove(key:)`")
  }

  func arguments(of key: Key) -> [CValue] { [] }

  static var isCallers: Bool { false }

  func key(made key: AnyHashable) -> Key? { nil }

  func made(_ key: Key) -> AnyHashable? { nil }

  func code(_ key: Key) -> [UInt8]? { nil }
}

/// Keys of calls with at most two declared arguments, or with a receiver and at most one, if each
/// is one number; made without allocation.
struct WordKeys: MemoKeys {
  struct Key: Hashable, Sendable {
    let first: UInt64
    let second: UInt64
  }

  let subject: MemoSubject

  private static let numbers: Set<TypeEncoding.Kind> = [
    .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64, .float, .double, .class,
    .selector,
  ]

  /// - Returns: The keys; nil for calls with other arguments.
  init?(_ subject: MemoSubject) {
    let own = subject.ownIndices
    guard own.count <= (subject.hasReceiver ? 1 : 2),
      own.allSatisfy({ Self.numbers.contains(subject.signature.arguments[$0].encoding.kind) })
    else { return nil }
    self.subject = subject
  }

  @inline(__always)
  func key(of call: inout CallFrame) -> Key? {
    let index = subject.ownIndices.lowerBound
    let first = call.argumentWord(index) ?? 0
    if subject.hasReceiver { return Key(first: UInt64(call.receiverAddress), second: first) }
    return Key(first: first, second: call.argumentWord(index + 1) ?? 0)
  }

  func key(of arguments: [CValue], _ receiver: AnyObject?) throws(InvocationError) -> Key? {
    // SAFETY: the slots are read while their memory is allocated.
    unsafe try subject.withMemory(of: arguments) { memory throws(InvocationError) in
      let index = subject.ownIndices.lowerBound
      func word(_ index: Int) -> UInt64 { unsafe (try? memory.argumentSlot(index))?.word ?? 0 }
      guard let receiver, subject.hasReceiver else {
        return Key(first: word(index), second: word(index + 1))
      }
      return Key(
        first: UInt64(UInt(bitPattern: ObjectIdentifier(receiver))), second: word(index))
    }
  }

  static func isOwn(_ key: Key) -> Bool { true }

  private let seeds = (
    UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1
  )

  /// A product of 128 bits, folded, as in wyhash: <https://github.com/wangyi-fudan/wyhash>.
  @inline(__always)
  func hash(_ key: Key) -> Int {
    let product = (key.first ^ seeds.0).multipliedFullWidth(by: key.second ^ seeds.1)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }

  func arguments(of key: Key) -> [CValue] {
    let words = subject.hasReceiver ? [key.second] : [key.first, key.second]
    return zip(subject.ownIndices, words).compactMap { index, word in
      // SAFETY: the slot's type is that of the argument whose word was stored.
      unsafe subject.value(word) { memory throws(InvocationError) in
        unsafe try memory.argumentSlot(index)
      }
    }
  }
}

/// Keys of all other calls, which encode the arguments.
///
/// Objects with values are represented by their values; other objects, and blocks, by their
/// addresses, which stay unique while the stored arguments retain them. A method's receiver is not
/// retained: its results are removed before its address is free.
struct EncodedKeys: MemoKeys {
  struct Key: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let values: [ComparedValue]
  }

  let subject: MemoSubject
  let keepsArguments = true

  func key(of call: inout CallFrame) throws -> Key? {
    // SAFETY: the slots belong to the call in progress.
    let memory = unsafe call.memory
    do {
      return unsafe try key(subject.hasReceiver ? call.receiverAddress : nil) {
        index throws(InvocationError) in unsafe try memory.argumentSlot(index)
      }
    } catch {
      throw MemoizationError(
        .notMemoizable, error.message, at: error.place, underlying: error)
    }
  }

  func key(of arguments: [CValue], _ receiver: AnyObject?) throws(InvocationError) -> Key? {
    // SAFETY: the slots are read while their memory is allocated.
    unsafe try subject.withMemory(of: arguments) { memory throws(InvocationError) in
      unsafe try key(receiver.map { UInt(bitPattern: ObjectIdentifier($0)) }) {
        index throws(InvocationError) in unsafe try memory.argumentSlot(index)
      }
    }
  }

  /// Whether the key consists of bytes only; keys with values differ from it in the number of
  /// values.
  static func isOwn(_ key: Key) -> Bool { key.values.isEmpty }

  /// - Returns: The key; nil if an argument is a block on the stack, whose address will be reused.
  /// - Throws: `typeMismatch` for an object that cannot be compared.
  private func key(
    _ receiver: UInt?, _ slots: (Int) throws(InvocationError) -> ValueSlot
  ) throws(InvocationError) -> Key? {
    var encoder = ValueEncoder(Identities())
    // SAFETY: the callers keep the slots alive during this call.
    for index in subject.ownIndices {
      unsafe try encoder.encode(try slots(index))
      if let refusal = encoder.references.refusal {
        throw InvocationError(
          .typeMismatch,
          "argument \(index): \(refusal), and may be in another object in each call; give a `key:` that "
            + "reads what the result depends on", argument: index)
      }
    }
    let identities = encoder.references
    var bytes = encoder.bytes
    if let receiver { bytes.append(littleEndian: UInt64(receiver)) }
    return identities.areLasting ? Key(bytes: bytes, values: identities.values) : nil
  }

  /// Encodes references as addresses or as values.
  private struct Identities: ReferenceEncoder {
    private enum Form: UInt8 {
      case address, value
    }

    static let distrustsMemory = false

    /// Whether everything that was encoded can be retained.
    private(set) var areLasting = true

    /// The reason why a value cannot be compared.
    private(set) var refusal: String?

    /// The values that are not encoded as bytes, in order.
    private(set) var values: [ComparedValue] = []

    mutating func encode(reference slot: ValueSlot, to bytes: inout [UInt8]) {
      // SAFETY: the slot holds a reference, and is alive during this call.
      do {
        if let object = unsafe slot.object, let value = try ComparedValue(object) {
          values.append(value)
          return bytes.append(Form.value.rawValue)
        }
      } catch {
        refusal = error.reason
      }
      if unsafe slot.isStackBlock { areLasting = false }
      bytes.append(Form.address.rawValue)
      bytes.append(littleEndian: unsafe UInt64(UInt(bitPattern: slot.pointerValue)))
    }
  }
}
