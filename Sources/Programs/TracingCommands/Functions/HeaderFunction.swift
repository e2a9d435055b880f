import CommandOptionsAndResults
import Glibc

extension NamedFunction {
  /// A function that a C header declares, whose type encoding clang writes.
  ///
  /// A known function of the C library is taken as it is known. What `char *` points to is memory:
  /// the header does not say whether it holds text.
  ///
  /// - Parameters:
  ///   - name: The function's name.
  ///   - header: The header, as `#include` names it, or its path.
  /// - Returns: The function.
  /// - Throws: `noHeaderFunction`, with the compiler's words; why its calls cannot be hooked.
  static func declared(_ name: String, inHeader header: String) throws(Failure) -> NamedFunction {
    if let known = try? known(name).first { return known }
    guard name.wholeMatch(of: #/[A-Za-z_]\w*/#) != nil, !header.isEmpty,
      !header.contains(where: { $0.isNewline || $0 == ">" || $0 == "\0" })
    else {
      throw Failure(
        code: "noHeaderFunction",
        message:
          "\(name) in \(header) is no function of C; name one, as in --header zlib.h - inflate")
    }
    let words = try output(ofShell: script(name, header)).split(separator: "\n")
    guard let first = words.firstIndex(of: "encoding"), first + 1 < words.count else {
      let reason = words.first { $0.contains("error:") || $0.contains("not found") } ?? words.first
      throw Failure(
        code: "noHeaderFunction",
        message:
          "clang finds no \(name) by <\(header)>: \(reason ?? "it says nothing"); install the "
          + "header and Swift's toolchain, or give the declaration")
    }
    return try NamedFunction(
      name, signature: String(words[first + 1]), isVariadic: words.last == "...")
  }

  /// Compiles a program that prints the encodings, and runs it: it calls none of the header's
  /// functions.
  private static func script(_ name: String, _ header: String) -> String {
    """
    program="$(mktemp)" || exit; trap 'rm -f "$program"' EXIT
    clang -x objective-c++ -std=c++17 -nostdinc++ -fblocks -fno-exceptions -fno-rtti -w -I. \
      - -o "$program" 2>&1 <<'END' && "$program" 2>&1
    #define _Bool bool
    #include <\(header)>
    #include <stdio.h>
    template <class T> struct Type { static const char *text() { return @encode(T); } };
    template <> struct Type<char *> { static const char *text() { return "^v"; } };
    template <> struct Type<unsigned char *> { static const char *text() { return "^v"; } };
    template <> struct Type<const unsigned char *> { static const char *text() { return "r^v"; } };
    template <class R, class... A> void show(const char *end) {
      printf("encoding\\n%s", Type<R>::text());
      (printf("%s", Type<A>::text()), ...);
      printf("%s", end);
    }
    template <class F> struct Shown;
    template <class R, class... A> struct Shown<R(A...)> { static void print() { show<R, A...>("\\n"); } };
    template <class R, class... A> struct Shown<R(A...) noexcept> : Shown<R(A...)> {};
    template <class R, class... A> struct Shown<R(A..., ...)> {
      static void print() { show<R, A...>("\\n...\\n"); }
    };
    template <class R, class... A> struct Shown<R(A..., ...) noexcept> : Shown<R(A..., ...)> {};
    int main() { Shown<decltype(::\(name))>::print(); }
    END
    """
  }

  /// At most 64 KiB of what a shell's command says.
  private static func output(ofShell script: String) throws(Failure) -> String {
    // SAFETY: the string is null-terminated for the call; the stream is closed once.
    guard let stream = unsafe popen(script, "re") else {
      throw Failure(code: "noHeaderFunction", message: "the shell cannot be started to run clang")
    }
    var bytes: [UInt8] = []
    while bytes.count < 1 << 16, case let byte = unsafe getc(stream), byte != EOF {
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    unsafe pclose(stream)
    return String(decoding: bytes, as: UTF8.self)
  }
}
