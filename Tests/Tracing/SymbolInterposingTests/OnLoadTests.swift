import SymbolInterposing
import TestSupport
import XCTest

/// Classes of libraries that are opened later.
final class OnLoadTests: XCTestCase {
  /// Compiles a library in Swift with a class that makes texts, one that does not, and a generic one.
  private func library(_ name: String, in files: CompiledFiles) throws -> String {
    let source = try files.write(
      "\(name).swift",
      Array(
        """
        public class \(name): LosslessStringConvertible {
          public required init?(_ text: String) {}
          public var description: String { "\(name)" }
        }
        final class Derived: \(name) {}
        public final class Other {}
        public final class Generic<T>: LosslessStringConvertible {
          public required init?(_ text: String) {}
          public var description: String { "generic" }
        }
        """.utf8))
    let path = "\(files.directory)/lib\(name).so"
    try Compiler("swiftc").run(["-emit-library", "-parse-as-library", "-o", path, source])
    return path
  }

  func testClassesOfLibrariesThatAreOpenedLaterAreToldOfOnce() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let files = try CompiledFiles(self)
    let paths = try ["OnLoadFirst", "OnLoadSecond", "OnLoadThird"].map {
      try library($0, in: files)
    }
    let (texts, all) = (Recorder<String>(), Recorder<String>())
    let tracker = LifetimeTracker()
    let observations = [
      onLoad(of: (any LosslessStringConvertible.Type).self) { [tracked = tracker.track()] type in
        texts.record(type.init("")?.description ?? "none")
        withExtendedLifetime(tracked) {}
      },
      onLoad(of: AnyClass.self) { all.record("\($0)") },
    ]
    _ = try LoadedLibrary(paths[0])
    XCTAssertEqual(texts.take(), ["OnLoadFirst", "OnLoadFirst"])
    XCTAssertEqual(Set(all.take()), ["OnLoadFirst", "Derived", "Other"])
    _ = try LoadedLibrary(paths[0])
    XCTAssertEqual(texts.take() + all.take(), [])
    _ = try LoadedLibrary(paths[1])
    XCTAssertEqual(texts.take(), ["OnLoadSecond", "OnLoadSecond"])
    XCTAssertTrue(observations[0].remove())
    XCTAssertFalse(observations[0].remove())
    tracker.expectNothingAlive()
    _ = try LoadedLibrary(paths[2])
    XCTAssertEqual(texts.take(), [])
    XCTAssertEqual(all.take().count, 6)
    XCTAssertTrue(observations[1].remove())
    // Nothing but these watched.
    ImportedFunction.followLoadedObjects()
    XCTAssertFalse(ImportSlot.all(of: "dlopen").contains(where: \.isHooked))
  }
}
