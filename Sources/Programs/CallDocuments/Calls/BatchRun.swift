#if Everything
import ArgumentParser
import CommandOptionsAndResults

/// Makes the calls of a batch, one after the other, and writes a line with the answer to each.
struct BatchRun {
  /// The file with the calls, `-` for standard input.
  let path: String

  /// Makes all calls.
  ///
  /// - Throws: The exit status 1 if any of them failed.
  func run() throws {
    // Called functions must neither read the batch nor write between its answers.
    let worker = WorkerProcess(.init(sharesInput: false, sharesOutput: false))
    defer { worker.finish() }
    var isGood = true
    do throws(Failure) {
      var input = try LineReader(path: path)
      while let line = try input.next() {
        guard !Self.isBlank(line) else { continue }
        isGood = Self.answer(line, worker) && isGood
      }
    } catch {
      StandardOutput.write(error.json.text + "\n")
      isGood = false
    }
    guard isGood else { throw ExitCode.failure }
  }

  /// Makes the call of one line, and writes the answer.
  ///
  /// - Returns: Whether the call succeeded.
  private static func answer(_ line: [UInt8], _ worker: WorkerProcess) -> Bool {
    do throws(Failure) {
      let answer = try worker.ask(WorkerMessage(kind: .line, bytes: line)).answer()
      StandardOutput.write(String(decoding: answer.bytes, as: UTF8.self))
      return answer.kind == .success
    } catch {
      StandardOutput.write(error.json.text + "\n")
      return false
    }
  }

  private static func isBlank(_ line: [UInt8]) -> Bool {
    line.allSatisfy { [0x20, 0x09, 0x0B, 0x0C, 0x0D].contains($0) }
  }
}
#endif
