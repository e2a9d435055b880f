internal import Invocations
private import TypeEncodings

extension ImportedFunction {
  /// Finds a function that loaded objects import, by its declaration in C.
  ///
  /// - Parameters:
  ///   - declaration: The declaration with the function's name, such as `char *getenv(const char
  ///     *)`. What calls pass in place of `...`, handlers read by `call.variadic`.
  ///   - library: The library that defines it, as in `init(_:library:version:signature:in:)`.
  ///   - version: The version of the symbol.
  ///   - types: Swift types that the declaration names.
  ///   - images: The images whose calls are hooked; all if not given.
  /// - Throws: The errors of `init(_:library:version:signature:in:)`; `invalidSignature` has the
  ///   declaration's error.
  ///
  /// ## Safety
  /// The declaration must be that of the function.
  @unsafe
  public init(
    declaration: String, library: String? = nil, version: String? = nil, types: [Any.Type] = [],
    in images: ImageFilter = .all
  ) throws(InterposingError) {
    let (name, interface) = try Self.declared(declaration, types)
    try self.init(
      name, library: library, version: version, interface: interface, in: images)
  }

  /// Finds a function of the C library that loaded objects import, whose declaration is known.
  ///
  /// - Parameters:
  ///   - name: One of `CFunction.knownNames`. Calls by other names, such as `__read_chk`, are those
  ///     of other functions: see `known(_:in:)`.
  ///   - images: The images whose calls are hooked; all if not given.
  /// - Throws: `invalidSignature` for a name that is not known; the other errors of
  ///   `init(_:library:version:signature:in:)`.
  public init(_ name: String, in images: ImageFilter = .all) throws(InterposingError) {
    let text: String
    do throws(TypeEncodingError) {
      text = try KnownFunctions.declaration(of: name, asProgramsCall: true)
    } catch { throw InterposingError(InvocationError(error), name) }
    let (name, interface) = try Self.declared(text, [])
    try self.init(name, library: nil, interface: interface, in: images)
  }

  /// The functions by which programs call a function of the C library: those of other offsets
  /// (`open64`), and those of fortified programs and later standards (`__open_2`, `__read_chk`,
  /// `__isoc99_sscanf`).
  ///
  /// - Parameters:
  ///   - name: One of `CFunction.knownNames`.
  ///   - images: The images whose calls are hooked; all if not given.
  /// - Returns: The function itself, then those of the others that a loaded object defines and that
  ///   can be hooked. Their signatures differ: `__read_chk` has the buffer's size as a fourth
  ///   argument.
  /// - Throws: The errors of `init(_:in:)` for the function itself.
  public static func known(
    _ name: String, in images: ImageFilter = .all
  ) throws(InterposingError) -> [ImportedFunction] {
    try [ImportedFunction(name, in: images)]
      + KnownFunctions.aliases(of: name).dropFirst().compactMap {
        try? ImportedFunction($0, in: images)
      }
  }

  private static func declared(
    _ declaration: String, _ types: [Any.Type]
  ) throws(InterposingError) -> (name: String, interface: CallInterface) {
    do throws(InvocationError) {
      return try CDeclaration.hookedFunction(declaration, types: types)
    } catch { throw InterposingError(error, declaration) }
  }
}
