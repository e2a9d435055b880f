import Foundation
import XCTest

/// A Chromium without a screen, in which a page is opened as a reader does.
struct Browser {
  private let program: String

  /// Finds the browser on PATH.
  ///
  /// - Throws: `XCTSkip` if there is none.
  init() throws {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates = ["chromium", "chromium-browser", "google-chrome"].flatMap { name in
      directories.map { "\($0)/\(name)" }
    }
    guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw XCTSkip("there is no chromium here; Scripts/test --browser installs it")
    }
    program = found
  }

  /// Opens a page, at a fragment of its address, and returns it as it is after its scripts have
  /// run.
  ///
  /// - Parameters:
  ///   - page: The page's text.
  ///   - fragment: What follows `#` in its address.
  ///   - script: What a reader does, as statements of an asynchronous function in which `drawn()`
  ///     waits until all is drawn; what it returns is the page's `data-answer`.
  /// - Returns: The page.
  /// - Throws: What the system says.
  func open(_ page: String, fragment: String = "", script: String = "") throws -> OpenedPage {
    let directory = NSTemporaryDirectory() + "browser-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let reader = """
      <script>
      // Frames come by the real time, all else here by a virtual one.
      window.requestAnimationFrame = (draw) => setTimeout(draw, 16);
      const drawn = () => new Promise((go) => setTimeout(go, 300));
      const key = (name) => dispatchEvent(new KeyboardEvent('keydown', { key: name }));
      const state = () => ({ ...document.documentElement.dataset });
      addEventListener('load', async () => {
        await drawn();
        const answer = await (async () => { \(script) })();
        document.body.dataset.answer = JSON.stringify(answer) ?? '';
      });
      addEventListener('error', (event) => { document.body.dataset.failure = event.message; });
      </script>
      """
    // Errors are heard from the beginning.
    let text = page.replacingOccurrences(of: "<style>", with: reader + "<style>")
    try text.write(toFile: directory + "/page.html", atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "timeout", "120", program, "--headless", "--no-sandbox", "--disable-gpu",
      "--user-data-dir=\(directory)/profile", "--window-size=1400,900",
      "--virtual-time-budget=20000", "--dump-dom",
      "file://\(directory)/page.html#\(fragment)",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let dump = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
    return OpenedPage(text: String(decoding: dump, as: UTF8.self))
  }
}

/// A page as the browser had it in the end.
struct OpenedPage {
  /// Its elements, written as HTML.
  let text: String

  /// A data attribute, nil if there is none.
  func value(_ name: String) -> String? {
    guard let begin = text.range(of: " data-\(name)=\"")?.upperBound,
      let end = text.range(of: "\"", range: begin..<text.endIndex)?.lowerBound
    else { return nil }
    return [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(
      String(text[begin..<end])
    ) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  /// A data attribute that is a number.
  func number(_ name: String) -> Int? { value(name).flatMap(Int.init) }

  /// The text of the element with an identifier, up to its first child.
  func content(_ identifier: String) -> String? {
    guard let place = text.range(of: " id=\"\(identifier)\"")?.upperBound,
      let begin = text.range(of: ">", range: place..<text.endIndex)?.upperBound,
      let end = text.range(of: "<", range: begin..<text.endIndex)?.lowerBound
    else { return nil }
    return String(text[begin..<end])
  }

  /// What the reader's script returned.
  func answer<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let text = try XCTUnwrap(value("answer"), "no answer; failure: \(value("failure") ?? "none")")
    return try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
