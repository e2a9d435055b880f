private import BlockRuntimeSpelling
private import CSymbolInterposing.ImportSlots
private import Glibc
public import Invocations
public import TypeEncodings

// SAFETY, for the whole file: addresses are those of functions of loaded objects.

/// A C function as loaded objects import it: what can be hooked for all of them.
///
/// A hook sees the calls that go through import slots: those from one object to a function of another.
/// Calls within an object, through addresses that were taken before or got by `dlsym`, and of the C library by itself
/// are not seen; those of the Swift runtime are left alone. Objects that are loaded later by `dlopen` are hooked when that returns: not in their constructors.
///
/// Hooks are those of blocks, with the same order, conditions, errors and tokens. What a handler itself
/// calls, on its thread, is not hooked, whatever it is; what the function calls is.
///
/// The corresponding tools are plthook and fishhook.
public struct ImportedFunction: Sendable {
  /// The function's name.
  public let symbol: String

  /// The version of the symbol, nil if it was not asked for.
  public let version: String?

  /// The images whose calls are meant.
  public let images: ImageFilter

  let interface: CallInterface

  /// The function's address.
  let definition: UInt

  /// The function's signature.
  public var signature: MethodSignature { interface.signature }

  /// Finds a function that loaded objects import, or could.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - library: The file name or path of the shared library that defines it, which stays loaded; whatever
  ///     loaded object does, if not given.
  ///   - version: The version of the symbol, where there are several, such as `GLIBC_2.14`.
  ///   - encoding: Its type encoding, such as `r*r*` for `getenv`. A function of any number of arguments
  ///     takes the encoding of those that all calls pass, and no floating-point numbers among the others.
  ///   - images: The images whose calls are meant; all if not given.
  /// - Throws: `staticProgram`, `reservedFunction`, `libraryNotFound`, `symbolNotFound`, `ambiguousSymbol`, `notAFunction`,
  ///   `invalidSignature`, `unsupportedType`.
  ///
  /// ## Safety
  /// The function must have that signature: every hook trusts it.
  @unsafe
  public init(
    _ symbol: String, library: String? = nil, version: String? = nil,
    signature encoding: String, in images: ImageFilter = .all
  ) throws(InterposingError) {
    guard !cbr_is_static_program() else {
      throw InterposingError(
        .staticProgram,
        "\(ImageFilter.program) is linked statically, so nothing is imported that could be hooked; link "
          + "it dynamically", symbol: symbol)
    }
    guard !symbol.isEmpty, !symbol.utf8.contains(0) else {
      throw InterposingError(
        .symbolNotFound, "a symbol is a name, without a zero in it", symbol: symbol)
    }
    if let refusal = ReservedFunctions.refusal(of: symbol) {
      throw InterposingError(
        .reservedFunction, "\(refusal); hook the functions that call it", symbol: symbol)
    }
    do { interface = try CallInterface.of(encoding) } catch {
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
    guard let handle = unsafe dlopen(library, RTLD_LAZY | RTLD_LOCAL) else {
      // SAFETY: the message is a C string of this thread.
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
      throw InterposingError(
        .libraryNotFound,
        "\(library) cannot be opened: \(reason); give a path, or a name that the loader finds",
        symbol: symbol)
    }
    let address =
      if let version {
        unsafe cbr_look_up(handle, symbol, version)
      } else {
        unsafe cbr_look_up(handle, symbol, nil)
      }
    guard let address = unsafe address else {
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
          + "that are meant",
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

  /// The other import whose name is nearest, of those that can be hooked; nil if none is near.
  private static func nearestImport(to symbol: String) -> String? {
    let imports = Set(ImportSlot.all().map(\.symbol)).subtracting([symbol])
    return Spelling.nearest(
      to: symbol, in: imports.filter { ReservedFunctions.refusal(of: $0) == nil }.sorted())
  }

  /// The address, if it is not that of data.
  private static func function(
    at address: UInt, _ symbol: String
  ) throws(InterposingError) -> UInt {
    if let pointer = unsafe UnsafeRawPointer(bitPattern: address), unsafe cbr_is_data(pointer) {
      throw InterposingError(
        .notAFunction, "\(symbol) is data; only functions can be hooked", symbol: symbol)
    }
    return address
  }

  /// The slots through which the images call the function, or take its address, as they are now.
  public var slots: [ImportSlot] {
    ImportSlot.all(of: symbol, in: images).filter { slot in
      (version == nil || slot.version == version) && slot.definition == definition
    }
  }

  /// The function below all hooks.
  public var original: CFunction {
    get throws(InterposingError) {
      do throws(InvocationError) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: definition) else {
          throw InvocationError(.symbolNotFound, "\(symbol) is gone")
        }
        return unsafe try CFunction(
          unsafeAddress: address, signature: interface.signature.description)
      } catch {
        throw InterposingError(error, symbol)
      }
    }
  }

  /// Hooks the slots of objects that were loaded without a call of `dlopen` through a slot.
  ///
  /// The C library loads its own plug-ins so. A program that is built with a sanitizer has that
  /// sanitizer's `dlopen` inside of it, and calls this after each of its own calls of `dlopen`.
  /// Any thread may call it, but no handler of a hook and no constructor of a library.
  public static func followLoadedObjects() { Interposer.shared.objectsWereLoaded() }
}

extension ImportedFunction: CustomStringConvertible {
  /// The name, the version and the signature.
  public var description: String {
    "\(version.map { "\(symbol)@\($0)" } ?? symbol) \(interface.signature)"
  }
}
