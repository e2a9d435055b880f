public import BlockABI
public import BlockHooks
internal import Invocations
private import TypeEncodings

extension Block {
  /// Records the block's calls: its own arguments as they come in, and the result as it goes out.
  ///
  /// Several blocks may share a recorder. Hooks further out change what is recorded, hooks further
  /// in are part of it. A call is recorded when it returns; those that end otherwise are not.
  /// Numbers, text, records and unions of them are recorded so that they can be replayed; pointers,
  /// objects, blocks, and unions that may hold them, are described, unless a codec writes them.
  ///
  /// - Parameters:
  ///   - recorder: Receives the calls; the hook keeps it.
  ///   - name: What the recording calls the block; the name of its code if not given.
  ///   - priority: As for `hook(_:name:priority:when:onError:_:)`.
  ///   - codec: Writes what would be described.
  /// - Returns: The token that ends it. Dropping it does not.
  /// - Throws: `recordingFailed`, and as `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func record(
    to recorder: CallRecorder, as name: String? = nil, priority: Int = 0,
    codec: RecordingCodec? = nil
  ) throws(RecordingError) -> Hook {
    let target = dispatchedBlock ?? self
    let interface: CallInterface
    do { interface = try target.callInterface } catch { throw RecordingError(passing: error) }
    let subject = try recorder.addSubject(
      name: name ?? target.implementation?.name ?? "block",
      signature: interface.signature.description, usesStructReturn: target.structReturnFlag)
    let writer = CallWriter(subject: subject, codec: codec)
    do throws(HookError) {
      return try hook(.instead, name: "record", priority: priority) { call in
        let number = recorder.beginCall()
        let arguments = writer.arguments(of: call)
        let hasResult: Bool
        do {
          hasResult = try call.proceedForResult()
        } catch {
          recorder.add(call: nil)
          throw error
        }
        recorder.add(call: writer.body(number, arguments, hasResult: hasResult, of: call))
      }
    } catch {
      throw RecordingError(passing: error)
    }
  }
}
