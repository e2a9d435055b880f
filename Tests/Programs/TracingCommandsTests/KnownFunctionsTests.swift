#if Everything
import Foundation
import TestSupport
import TracingCommands
import XCTest

/// The signatures of the C library's functions, compared with its headers by the compiler.
final class KnownFunctionsTests: XCTestCase {
  func testEachSignatureIsThatOfTheHeaders() throws {
    let names = KnownFunctions.signatures.keys.sorted()
    XCTAssertGreaterThanOrEqual(names.count, 60)
    let source =
      Self.source + "int main() {\n"
      + names.map { "show(\"\($0)\", &::\($0));\n" }.joined() + "}\n"
    let program = try CompiledFiles(self).compile(
      "prototypes",
      ["-x", "c++", "-std=c++17", "-fno-exceptions", "-fno-rtti", "-D_GNU_SOURCE"], source: source)
    let lines = try output(of: program).split(separator: "\n")
    XCTAssertEqual(lines.count, names.count)
    for line in lines {
      let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
      let signature = try XCTUnwrap(KnownFunctions.signatures[parts[0]])
      XCTAssertTrue(isSame(signature, parts[1]), "\(line), and not \(signature)")
    }
  }

  /// Whether a signature is a prototype's: an argument that is text may be a buffer for text, and a
  /// function may have further arguments (`.`).
  private func isSame(_ signature: String, _ prototype: String) -> Bool {
    var (rest, isArgument, isConstant) = (Substring(signature), false, false)
    for letter in prototype {
      if letter == "." { return !rest.isEmpty }
      let isBuffer = letter == "*" && isArgument && !isConstant && rest.hasPrefix("^v")
      guard isBuffer || rest.first == letter else { return false }
      rest = rest.dropFirst(isBuffer ? 2 : 1)
      (isArgument, isConstant) = (true, letter == "r")
    }
    return rest.isEmpty
  }

  private func output(of program: String) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.standardOutput = pipe
    try process.run()
    defer { process.waitUntilExit() }
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// Shows the encoding of a function, with `v` for what a pointer leads to unless that is a number,
  /// text or a pointer.
  private static let source = #"""
    #include <dirent.h>
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <netdb.h>
    #include <poll.h>
    #include <pthread.h>
    #include <pwd.h>
    #include <signal.h>
    #include <spawn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/epoll.h>
    #include <sys/eventfd.h>
    #include <sys/file.h>
    #include <sys/ioctl.h>
    #include <sys/mman.h>
    #include <sys/select.h>
    #include <sys/sendfile.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/uio.h>
    #include <sys/wait.h>
    #include <time.h>
    #include <unistd.h>

    template <class T> struct code { static void show() { printf("v"); } };
    #define CODE(type, text) template <> struct code<type> { static void show() { printf(text); } };
    CODE(int, "i") CODE(unsigned, "I") CODE(long, "q") CODE(unsigned long, "Q") CODE(char *, "*")
    CODE(const char *, "r*")
    template <class T> struct code<T *> { static void show() { printf("^"); code<T>::show(); } };
    template <> struct code<int *> { static void show() { printf("^i"); } };
    template <> struct code<unsigned *> { static void show() { printf("^I"); } };
    template <> struct code<long *> { static void show() { printf("^q"); } };
    template <class T> struct code<const T *> { static void show() { printf("r^"); code<T>::show(); } };
    template <class T> struct code<T *const *> { static void show() { printf("r^"); code<T *>::show(); } };
    template <class R, class... A> struct code<R (*)(A...)> { static void show() { printf("^?"); } };
    template <class R, class... A> void show(const char *name, R (*)(A...)) {
      printf("%s=", name);
      code<R>::show();
      (code<A>::show(), ...);
      printf("\n");
    }
    template <class R, class... A> void show(const char *name, R (*)(A..., ...)) {
      printf("%s=", name);
      code<R>::show();
      (code<A>::show(), ...);
      printf(".\n");
    }

    """#
}
#endif
