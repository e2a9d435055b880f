import TypeEncodings

/// The types of one library, and the C source that is common to both oracles.
struct CProgram {
  let types: [CType]
  let definitions: [CRecord]

  /// Generates types.
  ///
  /// - Parameters:
  ///   - count: How many types; those that they are made of come on top.
  ///   - seed: The source of all choices.
  ///   - sizeLimit: About how many bytes a record may take.
  ///   - vectorPercent: How many scalars in a hundred are vectors.
  init(count: Int, seed: UInt64, sizeLimit: Int, vectorPercent: Int = 0) {
    var generator = CTypeGenerator(
      seed: seed, sizeLimit: sizeLimit, vectorPercent: vectorPercent)
    types = (0..<count).map { _ in generator.next() }
    definitions = generator.definitions
  }

  /// How the source names a type.
  static func name(_ index: Int) -> String { "T\(index)" }

  /// The source that declares all types.
  var declarations: String {
    var lines = [Self.prelude] + definitions.map(\.definition)
    for (index, type) in types.enumerated() {
      lines.append("typedef \(type.declaration(of: Self.name(index)));")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The declarations that the library does not refuse; those of others make their types unknown.
  var readableDeclarations: String {
    var text = Self.ownTypes
    for record in definitions
    where (try? TypeEncoding(declaration: text + record.definition + "int")) != nil {
      text += record.definition + "\n"
    }
    return text
  }

  /// The functions that fill and digest values of the types.
  var valueFunctions: String {
    var lines = [Self.valuePrelude]
    for record in definitions {
      guard let tag = record.tag else { continue }
      lines.append(
        """
        static void fill_\(tag)(\(record.spelling) *v, u64 *s) { \(record.fillStatements("(*v)"))}
        static u64 digest_\(tag)(u64 h, const \(record.spelling) *v) { \
        \(record.digestStatements("(*v)"))return h; }
        """)
    }
    for (index, type) in types.enumerated() where type.isPassedByValue {
      let name = Self.name(index)
      lines.append(
        """
        static void fill_\(name)(\(name) *v, u64 *s) { \(type.fillStatements("(*v)"))}
        static u64 digest_\(name)(u64 h, const \(name) *v) { \
        \(type.digestStatements("(*v)"))return h; }
        """)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let prelude = """
    #include <errno.h>
    #include <stdbool.h>
    #include <stddef.h>
    #include <string.h>
    #include <unistd.h>
    \(ownTypes)
    """

  /// The types that generated ones are made of.
  static let ownTypes = """
    typedef unsigned long u64;
    struct forward;
    union forward_union;
    struct list { struct list *next; int value; };
    enum plain { plain_case, other_case = 70000 };
    enum with_negative { negative_case = -1, positive_case = 5 };
    enum based_on_char : unsigned char { char_case };
    enum based_on_short : short { short_case };
    enum based_on_long : long { long_case };
    \(CScalar.vectorDeclarations)
    """

  private static let valuePrelude = """
    static u64 next(u64 *s) {
      u64 z = *s += 0x9E3779B97F4A7C15ul;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ul;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBul;
      return z ^ (z >> 31);
    }
    static unsigned __int128 next_wide(u64 *s) {
      unsigned __int128 high = next(s);
      return high << 64 | next(s);
    }
    // The widest type that Swift has for it.
    #ifdef __x86_64__
    #define WIDEST_NUMBER long double
    #define LONG_DOUBLE_SIZE 10
    #else
    #define WIDEST_NUMBER double
    #define LONG_DOUBLE_SIZE sizeof(long double)
    #endif
    static long double next_number(u64 *s) {
      long double mantissa = (WIDEST_NUMBER)(long)next(s);
      static const long double scales[] = {1, 0x1p-63L, 0x1p-20L, 0x1p-100L, 0x1p60L};
      return mantissa * scales[next(s) % 5];
    }
    #define COMPLEX(name, part) \\
      static _Complex part name(u64 *s) { \\
        _Complex part z; \\
        __real__ z = next_number(s); \\
        __imag__ z = next_number(s); \\
        return z; \\
      }
    COMPLEX(next_complex_float, float)
    COMPLEX(next_complex_double, double)
    COMPLEX(next_complex_long_double, long double)
    static char *next_text(u64 *s) {
      static char *const texts[] = {0, "", "a", "text", "a text of more than sixteen bytes", "Ä€😀"};
      return texts[next(s) % 6];
    }
    static u64 fold(u64 h, const void *bytes, size_t count) {
      for (size_t i = 0; i < count; i++) {
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3ul;
        h ^= h >> 29;
      }
      return h;
    }
    /* A pointer that was passed wrongly must not end the run: the system call checks it. */
    static u64 fold_text(u64 h, const char *text) {
      if (text && access(text, F_OK) != 0 && errno == EFAULT) return fold(h, "wild", 4);
      return text ? fold(h, text, strlen(text) + 1) : fold(h, "null", 4);
    }
    """
}
