extension CScalar {
  static let integers = [
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
    "unsigned long", "long long", "unsigned long long",
  ].map { CScalar(name: $0, values: .integer) }

  static let wideIntegers = ["__int128", "unsigned __int128"].map {
    CScalar(name: $0, values: .wideInteger)
  }

  static let bool = CScalar(name: "bool", values: .truth)

  static let floatingPoint = ["float", "double", "long double"].map {
    CScalar(name: $0, values: .floatingPoint)
  }

  static let complexes = ["float", "double", "long double"].map {
    CScalar(name: "_Complex \($0)", values: .complex(part: $0))
  }

  /// Vectors of 8 and 16 bytes, some of other sizes, and the declarations of them all.
  static let vectors = [
    ("float", [2, 3, 4, 8, 16]), ("double", [2, 3, 4, 8]), ("signed char", [3, 4, 8, 16]),
    ("unsigned char", [8, 16]), ("short", [3, 4, 8, 16]), ("unsigned short", [4, 8]),
    ("int", [2, 3, 4]), ("unsigned", [2, 3, 4]), ("long", [2, 8]), ("unsigned long long", [2]),
  ].flatMap { element, counts in
    counts.map { count in
      CScalar(
        name: "v_\(element.replacing(" ", with: "_"))_\(count)",
        values: .vector(count: count, element: element))
    }
  }

  static let vectorDeclarations = vectors.map { vector in
    guard case .vector(let count, let element) = vector.values else { return "" }
    let attribute =
      count == 3 ? "ext_vector_type(3)" : "vector_size(\(count) * sizeof(\(element)))"
    return "typedef \(element) \(vector.name) __attribute__((\(attribute)));\n"
  }.joined()

  /// GNU's complex integers.
  static let complexIntegers = ["int", "short", "long"].map {
    CScalar(name: "_Complex \($0)", values: .integer)
  }

  /// The enumerations of the prelude.
  ///
  /// GNU's enumerations with cases beyond `int` are left out: clang writes `i` for their eight
  /// bytes.
  static let enumerations = [
    "enum plain", "enum with_negative", "enum based_on_char", "enum based_on_short",
    "enum based_on_long",
  ].map { CScalar(name: $0, values: .integer) }

  static let texts = ["char *", "const char *"].map { CScalar(name: $0, values: .text) }

  static let pointers = [
    "void *", "const void *", "int *", "const double *", "float **", "bool *", "long double *",
    "__int128 *", "_Complex double *", "enum plain *", "struct forward *", "const struct forward *",
    "union forward_union *", "struct forward **", "struct list *", "__typeof__(void (*)(void))",
    "__typeof__(int (*)(struct forward *, double))", "__typeof__(int (*)[3])", "Class", "SEL",
    "__typeof__(void (**)(int))",
  ].map { CScalar(name: $0, values: .pointer) }

  /// Objects and blocks: whatever reads such a value would retain it, so it is always null.
  static let references = ["id", "__typeof__(void (^)(int))"].map {
    CScalar(name: $0, values: .null)
  }

  /// The declared types that bit-fields may have, with their widths in bits.
  static let bitFieldBases: [(CScalar, Int)] = [
    (bool, 1), (CScalar(name: "char", values: .integer), 8),
    (CScalar(name: "signed char", values: .integer), 8),
    (CScalar(name: "unsigned char", values: .integer), 8),
    (CScalar(name: "short", values: .integer), 16),
    (CScalar(name: "unsigned short", values: .integer), 16),
    (CScalar(name: "int", values: .integer), 32), (CScalar(name: "int", values: .integer), 32),
    (CScalar(name: "unsigned", values: .integer), 32),
    (CScalar(name: "long", values: .integer), 64),
    (CScalar(name: "unsigned long", values: .integer), 64),
    (CScalar(name: "long long", values: .integer), 64),
    (CScalar(name: "__int128", values: .wideInteger), 128),
    (CScalar(name: "unsigned __int128", values: .wideInteger), 128),
    (CScalar(name: "enum plain", values: .integer), 32),
    (CScalar(name: "enum with_negative", values: .integer), 32),
    (CScalar(name: "enum based_on_long", values: .integer), 64),
  ]
}
