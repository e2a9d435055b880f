internal import CKeyValueObserving.Observing
@_exported public import CodeSymbols

/// The code that made a change: what a watchpoint of a debugger shows.
///
/// An origin stores addresses; each look-up of names reads the images' symbols.
///
/// ```swift
/// person.observe(\.address, options: [.new, .origin]) { _, change in
///   if change.new == nil, let origin = change.origin { print("set to nil by", origin) }
/// }
/// ```
///
/// Setters, in-place accesses and the compiler's thunks are passed over, as are this library and
/// the standard library; so the function is the one whose code sets the property, changes it in
/// place, or makes a manual change. Closures count as functions. In optimised code, an inlined
/// function is part of the function that contains it. A function that ends with the set has left
/// the stack; it is found by the call that entered it, unless that went through a pointer: then its
/// caller stands for it.
@safe public struct ChangeOrigin: Sendable, Hashable {
  // SAFETY: addresses are only looked up.

  /// The return addresses of the calls in progress when the change was made, the innermost first:
  /// at most 64, this library's included.
  public let addresses: [UInt]

  /// The calls in progress on the thread.
  @usableFromInline
  static func here() -> ChangeOrigin {
    let addresses = unsafe withUnsafeTemporaryAllocation(
      of: UnsafeRawPointer?.self, capacity: 64
    ) { frames in
      unsafe frames.initialize(repeating: nil)
      guard let start = frames.baseAddress else { return [UInt]() }
      // SAFETY: the buffer has room for the number of addresses that is passed.
      let count = unsafe cbr_observing_callers(start, frames.count)
      return unsafe frames.prefix(count).map { UInt(bitPattern: $0) }
    }
    return ChangeOrigin(addresses: addresses)
  }

  /// The function that made the change; nil if none is found.
  ///
  /// Its name is nil if the image has no symbol there.
  public var symbol: CodeSymbol? { functions.first }

  /// The functions in progress, from the one that made the change outwards.
  public var functions: [CodeSymbol] {
    var all: [CodeSymbol] = []
    /// The beginning of the function that the call entered; nil if it is not known.
    var inner: UInt?
    for address in addresses {
      // A call may be the last instruction of its function.
      guard let place = unsafe UnsafeRawPointer(bitPattern: address - 1),
        let caller = unsafe CodeSymbol(at: place)
      else { continue }
      if let inner, let left = Self.function(calledBefore: address, unlessAt: inner) {
        all.append(left)
      }
      all.append(caller)
      inner = caller.mangledName.map { _ in UInt(bitPattern: place) - UInt(caller.offset) }
    }
    let first = all.indices.first { index in
      // Optimised setters of key paths have no symbols.
      let isSetter =
        all[index].mangledName == nil && all.dropFirst(index + 1).first?.isOfKeyPaths == true
      return !isSetter && !all[index].isOnTheWayToObservers
    }
    return Array(all[(first ?? all.endIndex)...])
  }

  /// The function that a call names, if another one runs: then the named function ended with a jump
  /// to that one, and has left the stack.
  private static func function(calledBefore address: UInt, unlessAt inner: UInt) -> CodeSymbol? {
    guard let place = unsafe UnsafeRawPointer(bitPattern: address),
      let target = unsafe cbr_called_function(place), UInt(bitPattern: target) != inner,
      let called = unsafe CodeSymbol(at: target), called.mangledName != nil, called.offset == 0
    else { return nil }
    return called
  }

  /// The function's name, demangled, or `unknown`.
  public var function: String { symbol?.name ?? "unknown" }

  /// The module in which the function is written, or `unknown`; of other languages' functions, the
  /// name of the image's file.
  public var module: String { symbol?.module ?? "unknown" }
}

extension ChangeOrigin: CustomStringConvertible {
  /// The function and the module.
  public var description: String { "\(function) in \(module)" }
}

extension CodeSymbol {
  /// The module of a Swift function, or the name of the image's file.
  fileprivate var module: String? {
    guard let mangledName else { return nil }
    let file = image.fileName
    guard mangledName.hasPrefix("$s"), let name else { return file }
    // Behind a bracket begin the parameters.
    if let extended = name.firstRange(of: "(extension in "),
      !name[..<extended.lowerBound].contains("(")
    {
      return String(name[extended.upperBound...].prefix { $0 != ")" })
    }
    if mangledName.hasPrefix("$ss") || mangledName.hasPrefix("$sS") { return "Swift" }
    let length = mangledName.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    // A zero begins a name that repeats words.
    if length.first == "0" { return name.split(separator: ".").first.map { String($0) } ?? file }
    guard let count = Int(length) else { return file }
    return String(
      decoding: mangledName.utf8.dropFirst(2 + length.count).prefix(count), as: UTF8.self)
  }

  /// Whether the function stands between the code that changes a property and the observers.
  fileprivate var isOnTheWayToObservers: Bool {
    // A standard library that is stripped, as Debian's, has functions without names.
    guard let mangledName, let name else { return isInStandardLibrary }
    // The library's C functions, and the destructors by which it hears of an object's end.
    if ["cbr_", "destroy_watched", "destroy_noticed"].contains(where: mangledName.hasPrefix) {
      return true
    }
    if isReabstractionThunk { return true }
    guard mangledName.hasPrefix("$s") else { return isInStandardLibrary }
    return Self.passedModules.contains(module ?? "")
      || Self.accessors.contains { name.contains($0) }
  }

  private var isInStandardLibrary: Bool { image.hasSuffix("/libswiftCore.so") }

  /// Whether the function is the standard library's for accesses through key paths.
  fileprivate var isOfKeyPaths: Bool {
    guard isInStandardLibrary else { return false }
    guard let mangledName else { return true }
    return mangledName.contains("KeyPath") || mangledName.contains("WritebackBuffer")
  }

  private static let passedModules: Set = [
    "BlockRuntimeThreads", "IsolatedClosures", "KeyValueObserving", "ObjectLifetimes",
    "Observation", "ObservationBridge", "Swift",
  ]

  /// Parts of the names of accessors, of what reaches them by a key path, and of what the macro
  /// `@Observable` makes.
  private static let accessors = [
    ".setter : ", ".modify : ", ".modify2 : ", "key path setter for ", ".withMutation<",
  ]
}
