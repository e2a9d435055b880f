import Dispatch
import Foundation
import TestSupport
import TypeEncodings
import XCTest

/// Declarations in C, and the encodings that clang gives them.
final class DeclarationTests: XCTestCase {
  private struct Point { var x: Double, y: Double }

  func testDeclarationsHaveTheEncodingsOfTheirTypes() throws {
    let rows: [(String, String?)] = [
      ("int", "i"), ("unsigned", "I"), ("long unsigned int", "Q"), ("long long", "q"),
      ("short int signed", "s"), ("signed char", "c"), ("unsigned char x", "C"), ("_Bool", "B"),
      ("long double", "D"), ("_Complex float", "jf"), ("double _Complex", "jd"),
      ("unsigned __int128", "T"), ("size_t", "Q"), ("pid_t", "i"), ("socklen_t n;", "I"),
      ("char *", "*"), ("const char *", "r*"), ("char *const", "*"), ("unsigned char *", "*"),
      ("const char *const *", "r^*"), ("void *", "^v"), ("const void *p", "r^v"),
      ("volatile int *restrict p", "^i"), ("id", "@"), ("SEL name", ":"), ("Class", "#"),
      ("int a[3]", "[3i]"), ("int a[2][3]", "[2[3i]]"), ("int *a[3]", "[3^i]"),
      ("int (*a)[3]", "^[3i]"), ("int (*f)(int)", "^?"), ("void (^b)(int)", "@?<v@?i>"),
      ("int (*(*f[2])(char))[3]", "[2^?]"), ("_Atomic int", "Ai"), ("_Atomic(long) x", "Aq"),
      ("struct p { double x, y; } v", "{p=\"x\"d\"y\"d}"), ("struct p *", "^{p}"),
      ("struct { int a[2]; union { int i; float f; } u; }", "{?=\"a\"[2i]\"u\"(?=\"i\"i\"f\"f)}"),
      ("struct n { struct n *next; int v; }", "{n=\"next\"^{n}\"v\"i}"),
      ("struct b { void *p; unsigned on : 1, off : 1; }", "{b=\"p\"^v\"on\"b64I1\"off\"b65I1}"),
      ("enum { a, b = 7 }", "i"), ("enum { big = 0xFFFFFFFF }", "I"), ("enum { n = -1 }", "i"),
      ("enum { wide = 1ull << 40 }", "q"), ("enum small : unsigned char { c } x", "C"),
      ("typedef struct { float x; } V; V *v", "^{?=\"x\"f}"),
      ("typedef int T; typedef T *P; P p[sizeof(P) * 2]", "[16^i]"),
      ("enum { n = 4 }; char text[n + (1 ? 2 : 3)]", "[6\(Self.character)]"),
      ("struct s; struct s { long x; }; struct s", "{s=\"x\"q}"),
      ("/* a */ int // b\n * p", "^i"),
      ("struct f { int n; int tail[]; }", "{f=\"n\"i\"tail\"[0i]}"),
      ("struct s { void (^b)(struct s *); }", "{s=\"b\"@?}"), ("enum { X = ~0UL }", "Q"),
      ("enum { X = 0xFFFFFFFF + 1 }", "i"), ("enum { X = 1 << 31 }", "i"),
      ("int a[-1 < 1u ? 3 : 5]", "[5i]"), ("int a[0xFFFFFFFFu + 2]", "[1i]"),
      ("int a[sizeof(int) - 5 > 0 ? 2 : 3]", "[2i]"),
      ("int a[1024 / (8 * (int)sizeof(long))]", "[16i]"),
      ("int a[10 - 3 - 2]", "[5i]"), ("int a[2 + 3 * 4 << 1 | 1]", "[29i]"),
      ("int a[(unsigned char)257 + 07 + 'a' - 97]", "[8i]"), ("double complex z", "jd"),
      ("complex double", "jd"), ("complex", nil),
      ("__extension__ typedef struct { long long q; } T;; T t", "{?=\"q\"q}"),
      ("__off_t", "q"), ("FILE *", "^{_IO_FILE}"), ("typeof(int *) p", "^i"),
      ("struct { struct { int a; }; int b; }", "{?={?=\"a\"i}\"b\"i}"),
    ]
    for (declaration, encoding) in rows {
      XCTAssertEqual(
        (try? TypeEncoding(declaration: declaration))?.description, encoding, declaration)
    }
  }

  func testFunctionsAndBlocksHaveSignatures() throws {
    let rows: [(String, String)] = [
      ("double pow(double, double)", "ddd"), ("char *getenv(const char *name);", "*r*"),
      ("int (*)(const void *, const void *)", "ir^vr^v"), ("int (^)(int, double)", "i@?id"),
      ("void f(void)", "v"), ("void f()", "v"), ("int printf(const char *, ...)", "ir*"),
      ("extern int atexit(void (*)(void)) __attribute__((__nothrow__, nonnull(1)))", "i^?"),
      ("void (*signal(int number, void (*handler)(int)))(int)", "^?i^?"),
      ("void each(void (^)(id, unsigned long, _Bool *))", "v@?<v@?@Q^B>"),
      ("int main(int argc, char *argv[static 1])", "ii^*"), ("int f(int g(int))", "i^?"),
      ("static inline int f(int a[3], register int b)", "i^ii"),
      ("ssize_t read(int fd, void buf[.count], size_t count)", "qi^vQ"),
      ("void f(int n, double a[restrict n])", "vi^d"), ("int f(int size_t, int id)", "iii"),
      ("void f(void) __attribute__((deprecated(\"use g\"), visibility(\"default\")))", "v"),
      ("int vprintf(const char *, va_list)", "ir*\(Self.argumentList)"),
    ]
    for (declaration, signature) in rows {
      XCTAssertEqual(
        try MethodSignature(declaration: declaration).description, signature, declaration)
    }
  }

  /// The code of `char`, which has no sign on AArch64.
  private static var character: String {
    #if arch(arm64)
    "C"
    #else
    "c"
    #endif
  }

  private static var argumentList: String {
    #if arch(arm64)
    "{__va_list=^v^v^vii}"
    #else
    "^{__va_list_tag=II^v^v}"
    #endif
  }

  func testSignaturesAreWrittenInC() throws {
    let rows: [(String, String?)] = [
      ("ddd", "double f(double, double)"), ("i20@?0i8d12", "int (^f)(int, double)"),
      ("v24@0:8@16", "void f(id, SEL, id)"), ("v", "void f(void)"),
      ("*r*", "char *f(const char *)"),
      ("ir^vr^v", "int f(const void *, const void *)"), ("^?i^?", "void (*f(int, void (*)()))()"),
      ("v@?@?<v@?q>", "void (^f)(void (^)(long))"), ("v^[3i]", "void f(int (*)[3])"),
      ("{p=dd}{p=dd}", "struct p { double m0; double m1; }; struct p f(struct p)"),
      ("v{?=b0I3b3I5}", "void f(struct { unsigned m0 : 3; unsigned m1 : 5; })"),
      ("v^{s}", "void f(struct s *)"), ("v{S<int>=i}", nil), ("v{s=b3}", nil), ("v ", nil),
      ("vr^{s=i}^{s=q}", nil), ("vAi", "void f(_Atomic(int))"),
    ]
    for (encoding, text) in rows {
      XCTAssertEqual(try MethodSignature(parsing: encoding).declaration(of: "f"), text, encoding)
    }
    XCTAssertEqual(try MethodSignature(parsing: "ii").declaration(), "int (int)")
    XCTAssertEqual(try TypeEncoding(parsing: "[2^d]").declaration(of: "x"), "double *x[2]")
  }

  func testSwiftTypesAreNamedAsInC() throws {
    let point = try TypeEncoding(of: Point.self).description
    for text in ["Point", "struct Point"] {
      XCTAssertEqual(
        try MethodSignature(declaration: "double length(\(text))", types: [Point.self]).description,
        "d\(point)")
    }
    XCTAssertThrowsError(try MethodSignature(declaration: "double length(Point)"))
  }

  func testRefusalsNameThePlaceAndTheRemedy() throws {
    let rows: [(String, ErrorCode, Int?, String)] = [
      ("", .empty, 0, "write a type"), ("int f(sise_t)", .unknownType, 6, "size_t"),
      ("NSString *", .unknownType, 0, "typedef"), ("int x; int y", .trailingText, 7, "ends before"),
      ("int f(int", .unexpectedEnd, 9, ","), ("int f(int,)", .unexpectedCharacter, 10, "type"),
      ("struct s f(struct s)", .noLayout, 11, "complete"),
      ("struct s { struct s inner; }", .noLayout, nil, "complete"),
      (
        "struct __attribute__((packed)) s { char c; int i; }", .unsupportedDeclaration, 22, "packed"
      ),
      ("int f(int) __attribute__((regparm(3)))", .unsupportedDeclaration, 26, "regparm"),
      ("int a[-1]", .sizeOverflow, 6, "-1"), ("int a[1 / 0]", .numberTooLarge, 8, "no value"),
      ("int a[n]", .unknownType, 6, "enum"), ("int f(int)(int)", .noLayout, 4, "pointer"),
      ("int f(int)[3]", .noLayout, 4, "pointer"), ("int a[3](int)", .noLayout, 4, "pointer"),
      ("struct { int on : 33; }", .noLayout, nil, "33"),
      ("struct { float on : 3; }", .noLayout, 15, "integers"),
      ("#include <math.h>", .unexpectedCharacter, 0, "preprocessor"),
      ("int /*", .unterminated, 4, "*/"),
      ("unsigned float", .unknownType, 0, "words"), ("int f(void, int)", .noLayout, 6, "void"),
      ("int &r", .unsupportedDeclaration, 4, "pointer"),
      ("int x @", .unexpectedCharacter, 6, "character"),
      ("_Float16", .unsupportedDeclaration, 0, "pointer"), ("int ^b", .noFunction, 4, "^"),
      ("int open(int) __asm__(\"open64\")", .unsupportedDeclaration, 14, "symbol"),
      ("int a[99999999999999999999999]", .numberTooLarge, 6, "64"),
    ]
    for (declaration, code, offset, words) in rows {
      XCTAssertThrowsError(try TypeEncoding(declaration: declaration), declaration) { thrown in
        guard let error = thrown as? TypeEncodingError else { return XCTFail("\(thrown)") }
        XCTAssertEqual(error.code, code, "\(declaration): \(error)")
        if let offset { XCTAssertEqual(error.offset, offset, "\(declaration): \(error)") }
        XCTAssert(error.message.contains(words), "\(declaration): \(error)")
      }
    }
    XCTAssertThrowsError(try MethodSignature(declaration: "int x")) { error in
      XCTAssertEqual((error as? TypeEncodingError)?.code, .noFunction)
    }
  }

  /// Texts that name each other stand for much more than they say.
  func testShortTextsCannotTakeLong() throws {
    var doubled = "struct s0 { int a, b; }; typedef void (^b0)(int);"
    for index in 1...60 {
      doubled += "struct s\(index) { struct s\(index - 1) a, b; };"
      doubled += "typedef void (^b\(index))(b\(index - 1), b\(index - 1));"
    }
    let texts = [
      doubled + "int f(struct s60)", doubled + "b60", doubled + "char a[sizeof(struct s60)]",
      String(repeating: "*", count: 300), "int " + String(repeating: "(", count: 100_000),
      "int x" + String(repeating: "[2]", count: 300), String(repeating: "typeof(", count: 5_000),
      String(repeating: "enum : ", count: 5_000), "struct s { struct s a; }",
      "int f(void) " + String(repeating: "__attribute__(()) ", count: 50_000) + "[",
      "int a[" + String(repeating: "-", count: 5_000),
      String(repeating: "struct { ", count: 5_000),
      "int a[1" + String(repeating: "?1:1", count: 5_000),
      "int " + String(repeating: "*", count: 5_000),
      "int f" + String(repeating: "(int g", count: 5_000),
    ]
    for text in texts {
      XCTAssertThrowsError(try TypeEncoding(declaration: text), "\(text.prefix(40))")
    }
  }

  /// Two types of one name would be mistaken for each other, and atomic records are padded.
  func testWhatIsNotCertainIsRefused() {
    enum Other { struct Point { var x: Int } }
    for body in [
      { try TypeEncoding(declaration: "Point", types: [Point.self, Other.Point.self]) },
      { try TypeEncoding(declaration: "char a[sizeof(_Atomic struct { char a, b, c; })]") },
    ] as [() throws -> TypeEncoding] { XCTAssertThrowsError(try body()) }
  }

  /// What the parser accepts it reads on the stack that threads of libdispatch have.
  func testTheDeepestDeclarationsFitTheSmallestThreadStack() {
    let nests: [(String, String, String, String, String)] = [
      ("", "struct { ", "int x; ", "} m; ", ""), ("int f", "(int g", "", ")", ""),
      ("void ", "(^", "b", ")(int)", ""), ("void f(", "void (^)(", "int", ")", ")"),
      ("int a[", "sizeof(char[", "1", "])", "]"), ("int ", "(", "x", ")", ""),
      ("", "typeof(", "int", ")", ""), ("int a[", "1||1&&1|1^1&1==1<1<<1+1*(", "1", ")", "]"),
      ("int ", "*", "x", "", ""), ("int x", "[1]", "", "", ""),
    ]
    final class Outcome: @unchecked Sendable {
      // SAFETY: the semaphore orders the one write before the one read.
      var code: ErrorCode?
      let done = DispatchSemaphore(value: 0)
    }
    for (start, opening, core, closing, end) in nests {
      for count in [8, 15, 16, 31, 32, 126, 127, 4_000] {
        let text =
          start + String(repeating: opening, count: count) + core
          + String(repeating: closing, count: count) + end
        let outcome = Outcome()
        let thread = Thread {
          do throws(TypeEncodingError) { _ = try TypeEncoding(declaration: text) } catch {
            outcome.code = error.code
          }
          outcome.done.signal()
        }
        thread.stackSize = isSanitized ? 8 << 20 : leastStack
        thread.start()
        outcome.done.wait()
        let expected: Set<ErrorCode?> =
          count == 8 ? [nil] : count == 4_000 ? [.tooDeep] : [nil, .tooDeep]
        XCTAssertTrue(
          expected.contains(outcome.code),
          "\(count) × \(opening): \(String(describing: outcome.code))")
      }
    }
  }

  /// Words of C in any order are refused or have an encoding that can be parsed.
  func testNoTextCrashes() throws {
    let words = [
      "int", "unsigned", "long", "struct", "union", "enum", "typedef", "char", "void", "_Atomic",
      "const", "s", "t", "x", "(", ")", "[", "]", "{", "}", "*", "^", ",", ";", ":", "=", "3", "0",
      "...", "-", "sizeof", "?", "__attribute__", "packed", "<<", "/", "id", "va_list", "double",
    ]
    var random = SeededGenerator(seed: 11)
    for _ in 0..<(ProcessInfo.processInfo.environment["FUZZ_LONG"] == nil ? 20_000 : 2_000_000) {
      let text = (0..<Int.random(in: 1...14, using: &random))
        .map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
      guard let encoding = try? TypeEncoding(declaration: text) else { continue }
      XCTAssertEqual(try? TypeEncoding(parsing: encoding.description), encoding, text)
    }
  }
}
