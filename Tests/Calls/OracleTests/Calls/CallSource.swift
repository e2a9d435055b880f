/// The C source of the call oracle's functions and blocks.
///
/// Each digests every byte of its arguments, padding aside, and returns a value made from the
/// digest.
enum CallSource {
  static func source(of program: CProgram, _ signatures: [CSignature]) -> String {
    var source = program.declarations + program.valueFunctions + prelude
    var rows = ""
    for (index, signature) in signatures.enumerated() {
      source += functions(signature, index)
      let types = [signature.result ?? -1] + signature.arguments
      let digest = signature.result == nil ? "0" : "digest_result_\(index)"
      rows += """
        {function_\(index), make_block_\(index), fill_\(index), call_function_\(index), \
        call_block_\(index), \(digest), digest_arguments_\(index), \(types.count - 1)},

        """
    }
    return source + "static const struct row rows[] = {\n\(rows)};\n" + accessors
  }

  /// The declaration of a generated function.
  static func declaration(of signature: CSignature, _ index: Int) -> String {
    "\(signature.result.map(CProgram.name) ?? "void") function_\(index)(\(parameters(signature)))"
  }

  private static func parameters(_ signature: CSignature) -> String {
    let parameters = signature.arguments.enumerated().map { "\(CProgram.name($1)) a\($0)" }
    return parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
  }

  private static func functions(_ signature: CSignature, _ index: Int) -> String {
    let result = signature.result.map(CProgram.name) ?? "void"
    let types = signature.arguments.map(CProgram.name)
    let digests = types.enumerated().map { "h = seen[\($0)] = digest_\($1)(h, &a\($0)); " }.joined()
    let answer =
      signature.result == nil
      ? "" : "\(result) r; memset(&r, 0, sizeof r); u64 s = h; fill_\(result)(&r, &s); return r; "
    let body = "\(digests)calls++; \(answer)"
    let trail = types.enumerated().map {
      // The library's memory may be less aligned than the type.
      "{ \($1) t; memcpy(&t, a[\($0)], sizeof t); h = seen[\($0)] = digest_\($1)(h, &t); } "
    }.joined()
    let fills = types.enumerated().map {
      "memset(a[\($0)], 0, sizeof(\($1))); fill_\($1)(a[\($0)], &s); "
    }.joined()
    let values = types.enumerated().map { "*(\($1) *)a[\($0)]" }.joined(separator: ", ")
    let typeList = types.isEmpty ? "void" : types.joined(separator: ", ")
    let store = signature.result == nil ? "" : "*(\(result) *)r = "
    let digest =
      signature.result == nil
      ? "" : "static u64 digest_result_\(index)(void *r) { return digest_\(result)(1, r); }"
    return """
      static \(declaration(of: signature, index)) { u64 h = \(index); \(body)}
      static void *make_block_\(index)(u64 salt) {
        return _Block_copy(^\(result) (\(parameters(signature))) { u64 h = salt; \(body)});
      }
      static void digest_arguments_\(index)(void **a) { u64 h = \(index); \(trail)}
      static void fill_\(index)(void **a, u64 s) { \(fills)}
      static void call_function_\(index)(void *f, void **a, void *r) {
        \(store)((\(result) (*)(\(typeList)))f)(\(values));
      }
      static void call_block_\(index)(void *b, void **a, void *r) {
        \(store)((\(result) (^)(\(typeList)))b)(\(values));
      }
      \(digest)

      """
  }

  private static let prelude = """
    void *_Block_copy(const void *);
    void _Block_release(const void *);
    /* Atomics of 16 bytes and more need no libatomic here: nobody shares them. */
    void load_any(size_t n, void *from, void *to, int order) __asm__("__atomic_load");
    void load_any(size_t n, void *from, void *to, int order) { memcpy(to, from, n); }
    void store_any(size_t n, void *to, void *from, int order) __asm__("__atomic_store");
    void store_any(size_t n, void *to, void *from, int order) { memcpy(to, from, n); }
    __int128 load_wide(void *from, int order) __asm__("__atomic_load_16");
    __int128 load_wide(void *from, int order) { return *(__int128 *)from; }
    void store_wide(void *to, __int128 value, int order) __asm__("__atomic_store_16");
    void store_wide(void *to, __int128 value, int order) { *(__int128 *)to = value; }
    static u64 seen[20], calls;
    struct row {
      void *function;
      void *(*make_block)(u64 salt);
      void (*fill)(void **arguments, u64 seed);
      void (*call_function)(void *function, void **arguments, void *result);
      void (*call_block)(void *block, void **arguments, void *result);
      u64 (*digest_result)(void *result);
      void (*digest_arguments)(void **arguments);
      int count;
    };

    """

  private static let accessors = """
    const void *oracle_function(long i) { return rows[i].function; }
    void *oracle_make_block(long i) { return rows[i].make_block(i); }
    void oracle_release(void *block) { _Block_release(block); }
    void oracle_fill(long i, void **a, u64 seed) { rows[i].fill(a, seed); }
    void oracle_call_function(long i, const void *f, void **a, void *r) {
      rows[i].call_function((void *)f, a, r);
    }
    void oracle_call_block(long i, const void *b, void **a, void *r) {
      rows[i].call_block((void *)b, a, r);
    }
    u64 oracle_digest_result(long i, void *r) {
      return rows[i].digest_result ? rows[i].digest_result(r) : 0;
    }
    void oracle_digest_arguments(long i, void **a) { rows[i].digest_arguments(a); }
    u64 oracle_take_seen(long i) { u64 s = seen[i]; seen[i] = 0; return s; }
    u64 oracle_take_calls(void) { u64 c = calls; calls = 0; return c; }

    """
}
