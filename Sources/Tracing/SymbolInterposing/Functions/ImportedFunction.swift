private import BlockABI
private import BlockRuntimeSuggestions
private import CSymbolInterposing.ImportSlots
private import Glibc
public import Invocations
public import TypeEncodings

/// A C function that loaded objects import: it can be hooked in all of them.
///
/// A hook sees the calls that go through import slots, which are those from one object to a
/// function of another. It does not see calls within an object (such as those of the C library to
/// itself), nor calls through an address that was taken before or obtained by `dlsym`; calls of the
/// Swift runtime are not hooked. Objects that `dlopen` loads later are hooked when it returns,
/// after their constructors.
///
/// Order, conditions, errors and tokens are those of hooks of blocks. Whatever a handler itself
/// calls on its thread is not hooked, unless `hooksCallsByHandlers` is true; calls that the
/// function makes are.
///
/// The corresponding tools are plthook and fishhook.
public struct ImportedFunction: Sendable {
  /// The function's name.
  public let symbol: String

  /// The version of the symbol, nil if none was requested.
  public let version: String?

  /// The images whose calls are hooked.
  public let images: ImageFilter

  /// Whether calls of hooked functions are hooked, too, that the handlers of this value make; false
  /// at first.
  ///
  /// It applies to hooks that are installed afterwards. Those skip the calls that the handlers of
  /// their own function make, also where a handler of another function makes them, so that there
  /// is no recursion without end. Handlers that hold a lock must not call functions
  /// whose handlers take it: and hooks of `malloc` see what each allocation of the handler
  /// allocates.
  public var hooksCallsByHandlers = false

  package let interface: CallInterface

  /// The function's address.
  package let definition: UInt

  /// The function's signature.
  public var signature: MethodSignature { interface.signature }

  /// Finds a function that loaded objects import or could import.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - library: The file name or path of the shared library that defines it, which stays loaded.
  ///     If not given, any loaded object may define it.
  ///   - version: The version of the symbol, where there are several, such as `GLIBC_2.14`.
  ///   - encoding: Its type encoding, such as `r*r*` for `getenv`. A variadic function is better
  ///     declared in C: hooks pass on only the arguments that an encoding lists.
  ///   - images: The images whose calls are hooked; all if not given.
  /// - Throws: `staticProgram`, `reservedFunction`, `libraryNotFound`, `symbolNotFound`,
  ///   `ambiguousSymbol`, `notAFunction`, `invalidSignature`, `unsupportedType`.
  ///
  /// ## Safety
  /// The function must have that signature: every hook relies on it.
  @unsafe
  public init(
    _ symbol: String, library: String? = nil, version: String? = nil,
    signature encoding: String, in images: ImageFilter = .all
  ) throws(InterposingError) {
    try self.init(
      symbol, library: library, version: version,
      interface: CallInterface.of(encoding), in: images)
  }

  /// A function of libdispatch, or of another library below this one, whose hooks never lead to it;
  /// nil if no loaded object defines it.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - signature: Its type encoding.
  ///   - images: The images whose calls are hooked.
  ///   - goesOn: Whether the thread enters the function as its caller left it when handlers before
  ///     it have returned, as it must if the function does not return to its caller.
  /// - Returns: The function.
  /// - Throws: As `init(_:library:version:signature:in:)`.
  package static func ofRuntime(
    _ symbol: String, signature: String, in images: ImageFilter, goesOn: Bool = false
  ) throws(InterposingError) -> ImportedFunction? {
    do throws(InterposingError) {
      // SAFETY: this library names the functions with their signatures.
      return try ImportedFunction(
        symbol, library: nil,
        interface: goesOn
          ? CallInterface(CallInterface.of(signature).signature, isVariadic: true)
          : CallInterface.of(signature), in: images, isReservedAllowed: true)
    } catch {
      guard error.code == .symbolNotFound else { throw error }
      return nil
    }
  }

  package init(
    _ symbol: String, library: String?, version: String? = nil,
    interface: @autoclosure () throws(InvocationError) -> CallInterface, in images: ImageFilter,
    isReservedAllowed: Bool = false
  ) throws(InterposingError) {
    guard !cbr_is_static_program() else {
      throw InterposingError(
        .staticProgram,
        "\(ImageFilter.program) is linked statically, so nothing is imported that could be hooked; link "
          + "it dynamically", symbol: symbol)
    }
    guard !symbol.isEmpty, !symbol.utf8.contains(0) else {
      throw InterposingError(
        .symbolNotFound, "a symbol must be a name without a zero byte", symbol: symbol)
    }
    if !isReservedAllowed, let refusal = ReservedFunctions.refusal(of: symbol) {
      throw InterposingError(
        .reservedFunction, "\(refusal); hook the functions that call it", symbol: symbol)
    }
    do { self.interface = try interface() } catch {
      throw InterposingError(error, symbol)
    }
    definition =
      if let library {
        try Self.definition(of: symbol, version, inLibrary: library)
      } else {
        try Self.definition(of: symbol, version, images)
      }
    self.symbol = symbol
    self.version = version
    self.images = images
  }

  private static func definition(
    of symbol: String, _ version: String?, inLibrary library: String
  ) throws(InterposingError) -> UInt {
    // SAFETY: the strings are null-terminated for the calls; the library stays open.
    guard let handle = unsafe dlopen(library, RTLD_LAZY | RTLD_LOCAL) else {
      // SAFETY: the message is a C string of this thread.
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
      throw InterposingError(
        .libraryNotFound,
        "\(library) cannot be opened: \(reason); give a path, or a name that the loader finds",
        symbol: symbol)
    }
    guard let address = unsafe cbr_look_up(handle, symbol, version) else {
      throw InterposingError(
        .symbolNotFound,
        "\(library) defines no \(version.map { "\(symbol)@\($0)" } ?? symbol)"
          + (nearestImport(to: symbol).map { "; did you mean \($0)?" } ?? ""), symbol: symbol)
    }
    return try function(at: UInt(bitPattern: address), symbol)
  }

  private static func definition(
    of symbol: String, _ version: String?, _ images: ImageFilter
  ) throws(InterposingError) -> UInt {
    let slots = ImportSlot.all(of: symbol, in: images).filter {
      version == nil || $0.version == version
    }
    let bindings = slots.compactMap { slot in slot.definition.map { (slot, $0) } }
    guard Set(bindings.map(\.1)).count <= 1 else {
      let places = bindings.map(\.0.description).joined(separator: "; ")
      throw InterposingError(
        .ambiguousSymbol,
        "\(symbol) is more than one function: \(places); name a version, the library, or the images "
          + "to hook",
        symbol: symbol)
    }
    guard
      let found = bindings.first?.1 ?? ImportSlot.findDefinition(of: symbol, version: version)
    else {
      let name = version.map { "\(symbol)@\($0)" } ?? symbol
      throw InterposingError(
        .symbolNotFound,
        "no loaded object defines \(name); "
          + (nearestImport(to: symbol).map { "did you mean \($0)?" }
            ?? "load the library that does first, or name it"),
        symbol: symbol)
    }
    return try function(at: found, symbol)
  }

  /// The hookable import with the most similar name; nil if no name is similar.
  private static func nearestImport(to symbol: String) -> String? {
    let imports = Set(ImportSlot.all().map(\.symbol)).subtracting([symbol])
    return Suggestion.nearest(
      to: symbol, in: imports.filter { ReservedFunctions.refusal(of: $0) == nil }.sorted())
  }

  /// Returns the address unless it is that of data, or of a function that no signature describes.
  private static func function(
    at address: UInt, _ symbol: String
  ) throws(InterposingError) -> UInt {
    // SAFETY: the address is only looked up.
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return address }
    if unsafe cbr_is_data(pointer) {
      throw InterposingError(
        .notAFunction, "\(symbol) is data; only functions can be hooked", symbol: symbol)
    }
    if unsafe cbr_has_variant_calls(pointer) {
      throw InterposingError(
        .unsupportedType,
        "\(symbol) passes scalable vectors, or other registers than most functions do; hook the "
          + "functions that call it", symbol: symbol)
    }
    return address
  }

  /// The slots through which the images now call the function or take its address.
  public var slots: [ImportSlot] {
    ImportSlot.all(of: symbol, in: images).filter { slot in
      (version == nil || slot.version == version) && slot.definition == definition
    }
  }

  /// The function itself, without its hooks.
  public var original: CFunction {
    get throws(InterposingError) {
      try InterposingError.about(symbol) { () throws(InvocationError) in
        // SAFETY: `init` requires that the function has this signature.
        guard let address = unsafe UnsafeRawPointer(bitPattern: definition) else {
          throw InvocationError(.symbolNotFound, "\(symbol) is gone")
        }
        return unsafe try CFunction(
          unsafeAddress: address, signature: interface.signature.description)
      }
    }
  }

  /// Hooks the slots of objects that were loaded by other means than a call of `dlopen` through a
  /// slot.
  ///
  /// The C library loads its own plug-ins that way. A program that is built with a sanitizer
  /// contains the sanitizer's `dlopen`, so it calls this after each of its own calls of `dlopen`.
  /// Any thread may call it, but neither handlers of hooks nor constructors of libraries may.
  public static func followLoadedObjects() {
    UnloadingWatch.shared.look(at: LoadedImage.unloadCount)
    Interposer.shared.objectsWereLoaded()
  }
}

extension ImportedFunction: CustomStringConvertible {
  /// The name, the version and the signature.
  public var description: String {
    "\(version.map { "\(symbol)@\($0)" } ?? symbol) \(interface.signature)"
  }
}
