import TestSupport

/// What clang says of generated types: encoding, size, alignment and the first bit of each member.
struct LayoutLibrary {
  /// One type.
  struct Row {
    let declaration: String
    var encoding: String
    let size: Int
    let alignment: Int

    /// The first bit of each member, nested ones behind the record they belong to; nil where C has
    /// no name to ask for.
    let places: [Int?]

    /// Whether there are bit-fields without a name.
    let hasUnnamedBits: Bool

    /// The same with bit-fields as clang encodes them for blocks of C: only their widths.
    ///
    /// Those of `__int128` keep their types: the library assumes them for no narrow bit-field.
    var withoutTypesOfBitFields: Row {
      var row = self
      row.encoding = encoding.replacing(#/b\d+[a-su-zA-SU-Z](\d+)/#) { "b\($0.1)" }
      return row
    }
  }

  let rows: [Row]

  /// Compiles the types and reads what clang knows of them.
  ///
  /// - Throws: `CompilerError`.
  init(_ program: CProgram, compiler: Compiler) throws {
    let library = try compiler.load(Self.source(of: program))
    // SAFETY: the types are those of the source below.
    let encoding = unsafe try library.function(
      "oracle_encoding", as: (@convention(c) (Int) -> UnsafePointer<CChar>).self)
    let size = unsafe try library.function(
      "oracle_size", as: (@convention(c) (Int) -> Int).self)
    let alignment = unsafe try library.function(
      "oracle_alignment", as: (@convention(c) (Int) -> Int).self)
    let measure = unsafe try library.function(
      "oracle_measure", as: (@convention(c) (Int, UnsafeMutablePointer<Int>) -> Void).self)
    rows = program.types.enumerated().map { index, type in
      var places = [Int](
        repeating: 0, count: type.places(in: CProgram.name(index)).count + 1)
      // SAFETY: there is a place for every member, and one more so that there is an address.
      unsafe places.withUnsafeMutableBufferPointer { buffer in
        if let address = buffer.baseAddress { unsafe measure(index, address) }
      }
      return Row(
        declaration: type.declaration(of: CProgram.name(index)),
        encoding: unsafe String(cString: encoding(index)), size: size(index),
        alignment: alignment(index), places: places.dropLast().map { $0 < 0 ? nil : $0 },
        hasUnnamedBits: type.hasUnnamedBits)
    }
  }

  private static func source(of program: CProgram) -> String {
    var source =
      program.declarations + """
        #define NO_PLACE -1
        #define FIRST_BIT(type, path) \\
          ({ type v; memset(&v, 0, sizeof v); v.path = -1; first_bit(&v, sizeof v); })
        static long first_bit(const void *bytes, size_t count) {
          for (size_t i = 0; i < 8 * count; i++)
            if (((const unsigned char *)bytes)[i / 8] >> i % 8 & 1) return i;
          return NO_PLACE;
        }
        struct row { const char *encoding; size_t size, alignment; void (*measure)(long *); };

        """
    var rows = ""
    for (index, type) in program.types.enumerated() {
      let name = CProgram.name(index)
      let places = type.places(in: name).enumerated().map { "p[\($0)] = \($1); " }.joined()
      source += "static void measure_\(index)(long *p) { \(places)}\n"
      rows += "{@encode(\(name)), sizeof(\(name)), _Alignof(\(name)), measure_\(index)},\n"
    }
    return source + """
      static const struct row rows[] = {\(rows)};
      const char *oracle_encoding(long i) { return rows[i].encoding; }
      long oracle_size(long i) { return rows[i].size; }
      long oracle_alignment(long i) { return rows[i].alignment; }
      void oracle_measure(long i, long *places) { rows[i].measure(places); }

      """
  }
}
