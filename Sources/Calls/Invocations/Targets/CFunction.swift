private import Glibc
public import TypeEncodings

/// A C function, found by its name, with the signature by which it is called.
///
/// The corresponding libffi construct is a function pointer with its `ffi_cif`.
@safe
public struct CFunction: Sendable {
  /// The function's signature.
  public var signature: MethodSignature { interface.signature }

  /// The name by which the function was found; nil if it was given by its address.
  public let symbol: String?

  @usableFromInline package let interface: CallInterface

  // SAFETY: immutable; the function stays loaded, or the caller of `init(unsafeAddress:)` vouches
  // for it.
  @usableFromInline nonisolated(unsafe) package let address: UnsafeRawPointer

  /// Finds a function.
  ///
  /// - Parameters:
  ///   - symbol: The function's name. Whatever library defines it stays loaded.
  ///   - library: The file name or path of a shared library; nil for all that the program has
  ///     loaded.
  ///   - encoding: The function's type encoding, such as `ddd` for `pow`.
  ///   - fixedArgumentCount: For a variadic function, how many arguments its declaration names; the
  ///     others must have promoted types.
  /// - Throws: `libraryNotFound`, `symbolNotFound`, `invalidSignature`, `unsupportedType`;
  ///   `argumentCount` for `printf` and its kin without their `fixedArgumentCount`.
  ///
  /// ## Safety
  /// The symbol must be a function of that signature.
  @unsafe
  public init(
    symbol: String, library: String? = nil, signature encoding: String,
    fixedArgumentCount: Int? = nil
  ) throws(InvocationError) {
    try VariadicFunction.require(fixedArgumentCount, of: symbol)
    try self.init(symbol, library, try Self.interface(encoding, fixedArgumentCount))
  }

  /// Finds a function that is called by a signature that was made or parsed before.
  ///
  /// - Parameters:
  ///   - symbol: The function's name. Whatever library defines it stays loaded.
  ///   - library: The file name or path of a shared library; nil for all that the program has
  ///     loaded.
  ///   - signature: The function's signature.
  ///   - fixedArgumentCount: For a variadic function, how many arguments its declaration names; the
  ///     others must have promoted types.
  /// - Throws: `libraryNotFound`, `symbolNotFound`, `invalidSignature`, `unsupportedType`;
  ///   `argumentCount` for `printf` and its kin without their `fixedArgumentCount`.
  ///
  /// ## Safety
  /// The symbol must be a function of that signature.
  @unsafe
  public init(
    symbol: String, library: String? = nil, signature: MethodSignature,
    fixedArgumentCount: Int? = nil
  ) throws(InvocationError) {
    try VariadicFunction.require(fixedArgumentCount, of: symbol)
    try self.init(
      symbol, library,
      try CallInterface.cached(for: signature, fixedArgumentCount: fixedArgumentCount))
  }

  /// Finds a function by its declaration in C.
  ///
  /// - Parameters:
  ///   - declaration: The declaration with the function's name, such as
  ///     `double pow(double, double)`; see `TypeEncoding.init(declaration:types:)`.
  ///   - library: The file name or path of a shared library; nil for all that the program has
  ///     loaded.
  ///   - types: Swift types that the declaration names.
  ///   - variadic: The types of the arguments that are passed in place of `...`, promoted as C
  ///     does: `[Int32.self, Double.self]`.
  /// - Throws: `invalidSignature`, with the declaration's error; `libraryNotFound`,
  ///   `symbolNotFound`, `unsupportedType`.
  ///
  /// ## Safety
  /// The declaration must be that of the function.
  @unsafe
  public init(
    _ declaration: String, library: String? = nil, types: [Any.Type] = [],
    variadic: [Any.Type] = []
  ) throws(InvocationError) {
    let (symbol, signature, fixedCount) = try CDeclaration.function(
      declaration, types: types, variadic: variadic)
    try unsafe self.init(
      symbol: symbol, library: library, signature: signature, fixedArgumentCount: fixedCount)
  }

  /// Finds a function of the C library, whose declaration is known.
  ///
  /// - Parameters:
  ///   - name: One of `knownNames`.
  ///   - variadic: The types of the arguments that are passed in place of `...`, promoted as C
  ///     does.
  /// - Returns: The function. If the program defines another of this name, that must have the same
  ///   declaration.
  /// - Throws: `unknownFunction` as the underlying error of `invalidSignature`; `symbolNotFound`.
  public static func known(
    _ name: String, variadic: [Any.Type] = []
  ) throws(InvocationError) -> CFunction {
    let declaration = try InvocationError.passing(
      KnownFunctions.declaration(of: name, asProgramsCall: false))
    // SAFETY: the declaration is that of the C library's headers.
    return unsafe try CFunction(declaration, variadic: variadic)
  }

  /// The names of the C library's functions whose declarations are known, sorted.
  ///
  /// Beside these, the names by which glibc's headers let fortified programs call them are known,
  /// such as `__open_2` and `__isoc99_sscanf`.
  public static var knownNames: [String] { KnownFunctions.names }

  private init(
    _ symbol: String, _ library: String?, _ interface: CallInterface
  ) throws(InvocationError) {
    // SAFETY: the strings are valid during the calls. The library stays loaded, because the handle
    // is never closed; without a handle, `dlsym` makes the library with the symbol one that the
    // program depends on.
    let handle: UnsafeMutableRawPointer?
    if let library {
      unsafe handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL)
      guard unsafe handle != nil else {
        throw InvocationError(
          .libraryNotFound,
          "\(library) cannot be opened: \(Self.loaderMessage); give a path, or a name that the loader "
            + "finds")
      }
    } else {
      unsafe handle = nil
    }
    guard let address = unsafe dlsym(handle, symbol) else {
      let remedy =
        library == nil
        ? "a program shows its own functions only if it is linked with -rdynamic, otherwise give the "
          + "address" : "nm -D lists the functions of a library"
      throw InvocationError(
        .symbolNotFound,
        "\(library ?? "the program") has no \(symbol): \(Self.loaderMessage); \(remedy)")
    }
    self.symbol = symbol
    self.interface = interface
    unsafe self.address = UnsafeRawPointer(address)
  }

  /// Creates a function from its address.
  ///
  /// - Parameters:
  ///   - address: The function's code.
  ///   - encoding: The function's type encoding.
  ///   - fixedArgumentCount: For a variadic function, how many arguments its declaration names.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  ///
  /// ## Safety
  /// There must be a function of that signature at the address, and it must be loaded whenever it
  /// is called.
  @unsafe
  public init(
    unsafeAddress address: UnsafeRawPointer, signature encoding: String,
    fixedArgumentCount: Int? = nil
  ) throws(InvocationError) {
    interface = try Self.interface(encoding, fixedArgumentCount)
    symbol = nil
    // SAFETY: the caller vouches for the address.
    unsafe self.address = unsafe address
  }

  private static func interface(
    _ encoding: String, _ fixedArgumentCount: Int?
  ) throws(InvocationError) -> CallInterface {
    try CallInterface.cached(
      encoding, usesStructReturn: nil, fixedArgumentCount: fixedArgumentCount)
  }

  /// The dynamic linker's message about its last failure on this thread.
  private static var loaderMessage: String {
    // SAFETY: the message is a C string that is valid until this thread's next call of the loader.
    guard let message = unsafe dlerror() else { return "no reason given" }
    return unsafe String(cString: message)
  }
}

extension CFunction {
  /// The function as a value of its Swift type, checked against its signature.
  ///
  /// Calls of the value cost as much as direct calls.
  ///
  /// - Parameter type: A C function type such as
  ///   `(@convention(c) (Double, Double) -> Double).self`.
  /// - Returns: The function.
  /// - Throws: `typeMismatch`.
  @_transparent
  public func value<Value>(as type: Value.Type) throws(InvocationError) -> Value {
    try requireFunctionType(Value.self)
    // SAFETY: the type is that of a C function of the signature, so it is one pointer.
    return unsafe unsafeBitCast(address, to: Value.self)
  }

  /// Checks that a type is that of the C function.
  ///
  /// - Throws: `typeMismatch`, with the differences.
  @usableFromInline
  package func requireFunctionType(_ type: Any.Type) throws(InvocationError) {
    try FunctionType.require(type, of: signature)
  }
}

extension CFunction: CustomStringConvertible {
  /// The name and the signature.
  public var description: String { "\(symbol ?? "function") \(signature)" }
}
