private import CLoadedImages.Images
private import CLoadedImages.Symbols
private import Glibc

/// The function that holds an address of code: its name and its image.
public struct CodeSymbol: Hashable, Sendable {
  /// The symbol as the linker has it, nil if the image names no function there.
  public let mangledName: String?

  /// The path of the program or shared library.
  public let image: String

  /// The distance in bytes of the address from the symbol, or from the image if there is no symbol.
  public let offset: Int

  /// Where the address is in the image's file, and the path at which this process finds the file.
  package let place: CodePlace

  /// The demangled name of a Swift function, and of a C++ function if the process has a demangler
  /// of C++; the symbol of any other function; nil if there is no symbol.
  ///
  /// A block in a C++ function has the name `block #1 in` and that of the function.
  ///
  /// - Complexity: The symbol is demangled each time.
  public var name: String? {
    mangledName.map(CodeSymbol.name(ofSymbol:))
  }

  /// The demangled name of a Swift or C++ symbol; any other symbol itself.
  package static func name(ofSymbol symbol: String) -> String {
    demangled(symbol) ?? CppSymbol.demangled(symbol) ?? symbol
  }

  /// Finds the function that holds an address, static functions included.
  ///
  /// Nil if no loaded image holds the address. The image's file is read if the dynamic symbols do
  /// not contain the function. The corresponding C function is `dladdr`.
  ///
  /// - Parameter address: Any address; it is not dereferenced.
  public init?(at address: UnsafeRawPointer) {
    var found: CodeSymbol?
    unsafe withUnsafeMutablePointer(to: &found) { found in
      // SAFETY: the function only compares the address; the context is the variable, which lives
      // during the call, as the symbol does.
      _ = unsafe cbr_visit_symbol(
        address,
        { symbol, found in
          guard let symbol = unsafe symbol?.pointee else { return }
          let found = unsafe found?.assumingMemoryBound(to: CodeSymbol?.self)
          unsafe found?.pointee = unsafe CodeSymbol(symbol)
        }, found)
    }
    guard let found else { return nil }
    self = found
  }

  private init(_ symbol: cbr_symbol) {
    mangledName = unsafe symbol.name.map { name in
      unsafe String(
        decoding: UnsafeRawBufferPointer(start: name, count: symbol.name_length), as: UTF8.self)
    }
    image = unsafe symbol.image.map { unsafe String(cString: $0) } ?? ""
    offset = unsafe Int(symbol.offset)
    place = unsafe CodePlace(
      file: symbol.file.map { unsafe String(cString: $0) } ?? "", address: symbol.place,
      buildID: symbol.build_id)
  }

  /// The path of the image that holds an address, as the loader has it: empty for the program; nil
  /// if no loaded image holds the address.
  package static func imagePath(at address: UnsafeRawPointer) -> String? {
    // SAFETY: the address is only compared; the image that holds it is not unloaded meanwhile, or
    // is found no more.
    unsafe cbr_image_of(address).map { unsafe String(cString: $0) }
  }

  /// Whether the function is a thunk between two calling conventions of Swift, or between Swift's
  /// and another one, including thunks that take the closure from their context.
  package var isReabstractionThunk: Bool {
    guard let mangledName, mangledName.hasPrefix("$s") else { return false }
    // The compiler numbers several thunks of a name.
    let name = mangledName.prefix { $0 != "." }
    return name.hasSuffix("TR") || name.hasSuffix("TRTA")
  }

  /// The declaration of a Swift symbol; nil for other symbols.
  package static func demangled(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s") || symbol.hasPrefix("$S") else { return nil }
    // SAFETY: the demangler reads the given length and returns a C string that the caller owns.
    guard let text = unsafe swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else {
      return nil
    }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// The names of the symbols, also of data, that begin in a range of an image.
  ///
  /// - Parameters:
  ///   - start: The first address.
  ///   - length: The number of bytes.
  ///   - ending: The ending of the names; any if not given.
  /// - Returns: The mangled names by their distance from the start; empty if the image's file
  ///   cannot be read or has no such symbols.
  package static func mangledNames(
    from start: UnsafeRawPointer, length: Int, ending: String = ""
  ) -> [Int: Set<String>] {
    var names: [Int: Set<String>] = [:]
    unsafe withUnsafeMutablePointer(to: &names) { names in
      // SAFETY: the context is the dictionary, which lives during the call; addresses are only
      // compared.
      unsafe cbr_list_symbols(
        start, length, ending,
        { name, offset, context in
          guard let name = unsafe name,
            let names = unsafe context?.assumingMemoryBound(to: [Int: Set<String>].self)
          else { return }
          unsafe names.pointee[offset, default: []].insert(String(cString: name))
        }, names)
    }
    return names
  }

  /// The names of all symbols, also of data, of the image that holds an address.
  ///
  /// - Parameters:
  ///   - address: The address; its image stays loaded.
  ///   - ending: The ending of the names.
  /// - Returns: The mangled names by their addresses; empty if the image's file cannot be read or
  ///   has no such symbols.
  package static func mangledNames(
    inImageOf address: UnsafeRawPointer, ending: String
  ) -> [UInt: Set<String>] {
    // SAFETY: the addresses are only compared.
    guard let start = unsafe cbr_start_of_image(address) else { return [:] }
    let names = unsafe mangledNames(from: start, length: .max, ending: ending)
    let base = UInt(bitPattern: start)
    return Dictionary(
      names.map { (base + UInt($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

extension CodeSymbol: CustomStringConvertible {
  /// The name and the image.
  public var description: String { "\(name ?? "?") in \(image)" }
}
