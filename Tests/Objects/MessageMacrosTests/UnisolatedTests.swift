#if Macros
import MessageMacros
import XCTest

/// Requirements that are `async` and isolated to nothing, of protocols whose objects may not be sent.
final class UnisolatedTests: XCTestCase {
  private final class Reader: Reading {
    var pages = 3
    func wait() async { pages += 1 }
    func read(_ page: Page) async throws -> Int {
      if page.isOpen { return pages }
      throw LoadingError(code: pages)
    }
    func typed() async throws(LoadingError) -> [Page] { throw LoadingError(code: 2) }
    var size: Int { get async { pages } }
  }

  func testObjectsThatAreNotSendableAreAsked() async throws {
    let reader = Reader()
    let readers = Readers(weak: reader)
    await readers.wait()
    let size = await readers.size
    XCTAssertEqual(size, 4)
    let page = Page()
    let read = try await readers.read(page)
    XCTAssertEqual(read, 4)
    do {
      _ = try await readers.typed()
      XCTFail("no error")
    } catch { XCTAssertEqual(error.code, 2) }
    let hint = await readers.hint()
    XCTAssertEqual(hint, "none")
    readers.add { $0.hint = { "closure" } }
    let answer = await readers.hint()
    XCTAssertEqual(answer, "closure")
    withExtendedLifetime(reader) {}
  }

  func testArgumentsThatAreNotSendableArePassed() async {
    final class Printer: Printing {
      func print(_ page: Page, _ body: (Int) -> Void) async { body(page.isOpen ? 1 : 0) }
    }
    let printer = Printer()
    let printers = Printers(weak: printer)
    var numbers: [Int] = []
    await printers.print(Page()) { numbers.append($0) }
    XCTAssertEqual(numbers, [1])
    withExtendedLifetime(printer) {}
  }
}

@Forwarding
private protocol Reading: AnyObject {
  func wait() async
  func read(_ page: Page) async throws -> Int
  func typed() async throws(LoadingError) -> [Page]
  var size: Int { get async }
  @Optional(default: "none") func hint() async -> String
}

private final class Readers: ReadingForwarding { let targets = Targets() }

@Forwarding
private protocol Printing: AnyObject, Sendable {
  func print(_ page: Page, _ body: (Int) -> Void) async
}

private final class Printers: PrintingForwarding { let targets = Targets() }
#endif
