import Invocations
import TypeEncodings

// SAFETY, for the whole file: the generated functions have the signatures that they are called by.

/// The calls of one generated signature through one engine, beneath the public interface.
struct EngineCall {
  let call: CallCase
  let interface: CallInterface

  /// Prepares calls.
  ///
  /// - Throws: The refusal of the signature.
  init(_ call: CallCase, _ engine: CallEngine) throws {
    self.call = call
    interface = try CallInterface(
      CallInterface.of(call.encoding).signature, engine: engine)
  }

  /// Calls a function with its arguments in memory.
  func outcome(calling function: UnsafeRawPointer) throws -> CallLibrary.Outcome {
    let memory = unsafe CallMemory.allocate(interface)
    defer { unsafe memory.deallocate() }
    for index in interface.argumentLayouts.indices {
      guard let argument = unsafe call.memory.arguments[index] else { continue }
      unsafe try memory.argumentSlot(index).address.copyMemory(
        from: argument, byteCount: interface.argumentLayouts[index].size)
    }
    return try call.outcome {
      unsafe memory.call(function)
      guard let layout = interface.resultLayout else { return }
      unsafe try call.memory.result.copyMemory(
        from: memory.resultSlot().address, byteCount: layout.size)
    }
  }

  /// Calls code that the engine made, and that calls a function through the engine.
  func outcome(entering function: UnsafeRawPointer) throws -> CallLibrary.Outcome {
    let address = UInt(bitPattern: function)
    let receiver = CallReceiver(
      interface, hiddenArgumentCount: 0,
      first: CallHandler(onError: reportHandlerError) { frame in
        guard let function = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        unsafe frame.call(function)
      })
    let entry = try CallEntry(interface, receiver: receiver, .ownCode)
    return withExtendedLifetime(entry) {
      call.outcome {
        unsafe call.library.call(call.index, function: entry.code, call.memory)
      }
    }
  }
}
