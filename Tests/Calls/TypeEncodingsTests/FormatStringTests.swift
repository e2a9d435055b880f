import TestSupport
import TypeEncodings
import XCTest

final class FormatStringTests: XCTestCase {
  private func types(_ text: String, isScanned: Bool = false) throws -> String {
    try FormatString(Array(text.utf8), isScanned: isScanned).arguments.map { "\($0.encoding)" }
      .joined(separator: " ")
  }

  func testPrintedConversionsTakeWhatCPasses() throws {
    let rows: [(String, String)] = [
      ("", ""), ("100 %%", ""), ("%d%i%o%u%x%X", "i i I I I I"),
      ("%hhd %hd %ld %lld %jd %zd %td", "i i q q q q q"),
      ("%hhu %hu %lu %llu %ju %zu %tu", "I I Q Q Q Q Q"), ("%f%F%e%E%g%G%a%A", "d d d d d d d d"),
      ("%lf %Lf", "d D"),
      ("%c %lc %C", "i I I"), ("%s %ls %S", "* ^v ^v"), ("%p %n %hhn", "^v ^v ^v"), ("%m%%", ""),
      ("%-+ #0'Id", "i"), ("%*d", "i i"), ("%.*f", "i d"), ("%*.*s|%5.3s|%.s", "i i * * *"),
      ("%qd %Zu %Ld", "q Q q"),
      ("%2$s %1$d", "i *"), ("%1$*2$d %3$.*2$f", "i i d"), ("%1$d %1$x %2$d", ""),
      ("%1$d %1$i", "i"),
    ]
    for (text, expected) in rows {
      if text == "%1$d %1$x %2$d" { XCTAssertThrowsError(try types(text)); continue }
      XCTAssertEqual(try types(text), expected, text)
    }
  }

  func testScannedConversionsTakePointers() throws {
    let rows: [(String, String)] = [
      ("%d %hhd %hd %ld %lld", "^i ^c ^s ^q ^q"), ("%u %x %lu", "^I ^I ^Q"),
      ("%f %lf %Lf", "^f ^d ^D"),
      ("%5s %*s %[^]x]%[]a]%n %c", "^v ^v ^v ^i ^v"), ("%ms %m[a-z]", "^* ^*"), ("%p %%", "^v"),
      ("%3mc %mC %mS %mls %ml[a]", "^^v ^^v ^^v ^^v ^^v"), ("%lc %ls", "^v ^v"),
      ("%2$d %1$s", "^v ^i"),
      ("%*5d%3d", "^i"),
    ]
    for (text, expected) in rows {
      XCTAssertEqual(try types(text, isScanned: true), expected, text)
    }
  }

  func testWhatIsNoFormatIsRefusedAtItsPlace() {
    let rows: [(text: String, isScanned: Bool, offset: Int)] = [
      ("%", false, 1), ("ab%d%-", false, 6), ("%y", false, 1), ("%1$d %d", false, 6),
      ("%2$d", false, 4),
      ("%0$d", false, 3), ("%99999999999999999999$d", false, 22), ("%[abc", true, 1),
      ("%", true, 1),
      ("%k", true, 1), ("%.", false, 2), ("%l", false, 2),
    ]
    for row in rows {
      XCTAssertThrowsError(try types(row.text, isScanned: row.isScanned), row.text) { error in
        let error = error as? TypeEncodingError
        XCTAssertEqual(error?.code, .invalidFormat, row.text)
        XCTAssertEqual(error?.offset, row.offset, row.text)
      }
    }
    XCTAssertThrowsError(try types(String(repeating: "%d", count: 5000)))
    var generator = SeededGenerator(seed: 6)
    let alphabet = Array("%%%%%%%*$.12hlLjzdsfcn[]^%m".utf8) + [0xFF, 0x80]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      for isScanned in [false, true] { _ = try? FormatString(bytes, isScanned: isScanned) }
    }
  }
}
