import CommandOptionsAndResults
import Glibc

extension NamedFunction {
  /// A function that a C header declares, whose type encoding clang writes.
  ///
  /// - Parameters:
  ///   - name: The function's name.
  ///   - header: The header, as `#include` names it, or its path.
  /// - Returns: The function.
  /// - Throws: `noHeaderFunction`, with the compiler's words; why its calls cannot be hooked.
  static func declared(_ name: String, inHeader header: String) throws(Failure) -> NamedFunction {
    let isPlain = { (text: String) in
      text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_./+-".contains($0)) }
    }
    guard isPlain(name), isPlain(header), !name.isEmpty, !header.isEmpty else {
      throw Failure(
        code: "noHeaderFunction",
        message:
          "\(name) in \(header) is no function of C; name one, as in --header zlib.h - inflate")
    }
    let words = try output(ofShell: script(name, header)).split(separator: "\n")
    guard words.first == "encoding", words.count > 1 else {
      throw Failure(
        code: "noHeaderFunction",
        message: "clang finds no \(name) by <\(header)>: "
          + (words.first { $0.contains("error:") || $0.contains("not found") } ?? "it says nothing")
          + "; install the header and Swift's toolchain, or give the declaration")
    }
    guard words.count == 2 else {
      throw Failure(
        code: "unsupportedDeclaration",
        message:
          "what \(name) is passed in place of ... is not known; declare all that the calls pass")
    }
    return try NamedFunction(name, signature: String(words[1]))
  }

  /// Compiles a program that prints the encodings, and runs it: it calls nothing of the header.
  private static func script(_ name: String, _ header: String) -> String {
    """
    program="$(mktemp)" || exit; trap 'rm -f "$program"' EXIT
    clang -x objective-c++ -std=c++17 -nostdinc++ -fblocks -fno-exceptions -fno-rtti -w -I. \
      -Wl,--unresolved-symbols=ignore-all - -o "$program" 2>&1 <<'END' && "$program"
    #include <stdio.h>
    #include <\(header)>
    template <class R, class... A> void show(R (*)(A...)) {
      printf("encoding\\n%s", @encode(R)); (printf("%s", @encode(A)), ...); printf("\\n");
    }
    template <class R, class... A> void show(R (*function)(A..., ...)) {
      show((R (*)(A...))function); printf("...\\n");
    }
    int main() { show(&::\(name)); }
    END
    """
  }

  private static func output(ofShell script: String) throws(Failure) -> String {
    // SAFETY: the strings are null-terminated for the call; the stream is closed once.
    guard let stream = unsafe popen(script, "re") else {
      throw Failure(code: "noHeaderFunction", message: "the shell cannot be started to run clang")
    }
    var bytes: [UInt8] = []
    while case let byte = unsafe getc(stream), byte != EOF {
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    unsafe pclose(stream)
    return String(decoding: bytes, as: UTF8.self)
  }
}
