#if Macros
import Foundation
import Glibc
import TestSupport
import XCTest

/// A server whose functions are replaced while a connection is open.
final class ReloadedServerTests: XCTestCase {
  /// The files of the example, with the end of a program whose input ends.
  private func files() throws -> [String: String] {
    let example = PackageFiles.root.appendingPathComponent("Examples/ReloadedServer")
    let paths = ["Package.swift", "Sources/Shop/Shop.swift", "Sources/Server/main.swift"]
    var files = Dictionary(
      uniqueKeysWithValues: try paths.map {
        ($0, try String(contentsOf: example.appendingPathComponent($0), encoding: .utf8))
      })
    files["Sources/Server/End.swift"] = """
      import Foundation
      let end: Void = Thread.detachNewThread {
        // `readLine` would hold the lock that `fflush(nil)` waits for.
        while !FileHandle.standardInput.availableData.isEmpty {}
        exit(0)
      }
      """
    files["Sources/Server/main.swift"]? += "\n"
    files["Sources/Server/main.swift"] = "_ = end\n" + (files["Sources/Server/main.swift"] ?? "")
    return files
  }

  func testAnOpenConnectionIsAnsweredByTheNewCodeFromTheSameState() throws {
    let files = try files()
    let run = try ReloadRun(files, "Server", "0")
    defer { run.end() }
    let port = try XCTUnwrap(UInt16(try run.line().split(separator: " ").last ?? ""))
    let connection = try Connection(port)
    XCTAssertEqual(try connection.ask("apple"), "1 in the cart, 5 €")

    let shop = try XCTUnwrap(files["Sources/Shop/Shop.swift"])
    let file = "Sources/Shop/Shop.swift"
    try run.write(shop.replacing(".reduce(0, +)", with: ".reduce(0, +) * 2"), file)
    XCTAssertTrue(try run.message().hasSuffix(": Shop.price(of:)"))
    XCTAssertEqual(try connection.ask("pear"), "2 in the cart, 18 €")

    try run.write(shop.replacing("€", with: "$"), file)
    XCTAssertTrue(try run.message().hasSuffix(": Shop.answer(_:), Shop.price(of:)"))
    XCTAssertEqual(try connection.ask("fig"), "3 in the cart, 12 $")

    try run.write("extension Shop { func more() {} }", "Sources/Shop/More.swift")
    XCTAssertTrue(try run.message().hasPrefix("reload: More.swift is new"))
    try run.write("", "Sources/Shop/.#lock.swift")
    try run.remove(file)
    XCTAssertTrue(try run.message().contains("Shop.swift is gone"))
    try run.write(shop, file)
    XCTAssertTrue(try run.message().hasSuffix(": Shop.answer(_:)"))
    XCTAssertEqual(try connection.ask("nut"), "4 in the cart, 15 €")
  }

  /// A connection to a server of lines.
  private struct Connection {
    private let handle: FileHandle

    init(_ port: UInt16) throws {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      let length = socklen_t(MemoryLayout.size(ofValue: address))
      // SAFETY: the address lives during the call, and is as long as the system is told.
      let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, length) == 0
        }
      }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      XCTAssertTrue(isConnected)
    }

    func ask(_ request: String) throws -> String {
      try handle.write(contentsOf: Data("\(request)\n".utf8))
      var bytes: [UInt8] = []
      while let byte = try handle.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
#endif
