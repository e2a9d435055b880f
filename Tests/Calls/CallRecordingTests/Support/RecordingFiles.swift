import BlockABI
import BlockHooks
import CallRecording
import Foundation
import Invocations
import TestSupport
import XCTest

/// A path in the temporary directory for the duration of a body.
func withTemporaryFile<Result>(_ body: (String) throws -> Result) rethrows -> Result {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("recording-\(UUID().uuidString)").path
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(path)
}

/// The bytes of a recording of what a body does to a block.
func recordedBytes(
  of block: Block, as name: String = "block", codec: RecordingCodec? = nil,
  _ body: (Block) throws -> Void
) throws -> [UInt8] {
  try withTemporaryFile { path in
    let recorder = try CallRecorder(path: path)
    let hook = try block.install(.recording(to: recorder, as: name, codec: codec))
    try body(block)
    hook.remove()
    try recorder.close()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}

/// A recording of what a body does to a block.
func recording(
  of block: Block, as name: String = "block", codec: RecordingCodec? = nil,
  _ body: (Block) throws -> Void
) throws -> Recording {
  try Recording(bytes: try recordedBytes(of: block, as: name, codec: codec, body))
}
