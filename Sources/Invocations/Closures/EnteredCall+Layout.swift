private import CInvocations.HazardPointers

extension EnteredCall {
  /// Whether Swift's layouts of targets and frames are those that the assembly uses
  /// (CBRCallEntry.h).
  package static var agreesWithAssembly: Bool {
    get throws {
      // SAFETY: only offsets are read.
      let target = unsafe [
        MemoryLayout<CallTarget>.offset(of: \.body): CBR_TARGET_BODY,
        MemoryLayout<CallTarget>.offset(of: \.context): CBR_TARGET_CONTEXT,
        MemoryLayout<CallTarget>.offset(of: \.firstActivation): CBR_TARGET_ACTIVATION,
        MemoryLayout<CallTarget>.offset(of: \.plan): CBR_TARGET_PLAN,
        MemoryLayout<CallTarget>.offset(of: \.replacement): CBR_TARGET_REPLACEMENT,
      ]
      let receiver = try CallReceiver(
        CallInterface.of("v"), hiddenArgumentCount: 0,
        first: CallHandler(onError: reportHandlerError) { _ in })
      // SAFETY: the frame is only inspected, as memory that is valid during the closure.
      let image = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 16)
      defer { unsafe image.deallocate() }
      var frame = unsafe CallFrame(receiver.target, image)
      unsafe frame.outcome.setHasResult()
      let isFrameRight = unsafe withUnsafeBytes(of: &frame) { bytes in
        func word(_ offset: Int32) -> UInt {
          unsafe bytes.load(fromByteOffset: Int(offset), as: UInt.self)
        }
        return unsafe bytes.count <= Int(CBR_FRAME_SIZE)
          && bytes[Int(CBR_FRAME_OUTCOME)] == UInt8(CBR_OUTCOME_RESULT)
          && word(CBR_FRAME_IMAGE) == UInt(bitPattern: image)
          && word(CBR_FRAME_PLAN) == UInt(bitPattern: receiver.plan)
          && word(CBR_FRAME_TARGET) == UInt(bitPattern: receiver.target)
          && bytes.load(fromByteOffset: Int(CBR_FRAME_ACTIVATION), as: UInt32.self)
            == receiver.target.pointee.firstActivation.tag
      }
      return isFrameRight && target.allSatisfy { $0.key == Int($0.value) }
    }
  }
}
