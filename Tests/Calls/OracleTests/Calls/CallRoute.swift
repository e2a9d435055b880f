import BlockABI
import BlockHooks
import Invocations
import TestSupport
import TypeEncodings

/// A way from a caller to a generated function or block through the library.
///
/// Each must leave what C's direct call leaves.
enum CallRoute: String, CaseIterable {
  case functionCalledWithValues
  case blockCalledWithValues
  case blockWithProceedingHook
  case blockWithHookThatRewritesEverything
  case functionPointerOfAHandler
  case functionPointerOfABlock
  case blockOfAHandler

  /// Goes the way.
  func outcome(_ call: CallCase) throws -> CallLibrary.Outcome {
    switch self {
    case .functionCalledWithValues:
      let function = try call.function
      return try call.outcome(of: function.call(values: call.argumentValues()))
    case .blockCalledWithValues:
      return unsafe try call.withBlock { block, _ in
        try call.outcome(of: block.call(values: call.argumentValues()))
      }
    case .blockWithProceedingHook:
      return try call.hooked { frame in try frame.proceed() }
    case .blockWithHookThatRewritesEverything:
      let (library, index, expected) = (call.library, call.index, call.expectedArguments)
      return try call.hooked { frame in
        try frame.checkArguments(from: 1, library, index, expected)
        for index in frame.signature.arguments.indices.dropFirst() {
          try frame.setArgumentValue(index, frame.argumentValue(index))
        }
        try frame.proceed()
        if frame.signature.result.kind != .void {
          try frame.setResultValue(frame.resultValue())
        }
      }
    case .functionPointerOfAHandler: return try call.throughFunctionPointer()
    case .functionPointerOfABlock: return try call.throughFunctionPointerOfBlock()
    case .blockOfAHandler: return try call.throughMadeBlock()
    }
  }
}

extension CallCase {
  fileprivate var function: CFunction {
    get throws {
      unsafe try CFunction(
        unsafeAddress: library.functionAddress(index), signature: encoding)
    }
  }

  fileprivate func withBlock<Result>(
    _ body: (Block, UnsafeRawPointer) throws -> Result
  ) throws -> Result {
    unsafe try library.withBlock(index) { pointer in
      let block = unsafe Block(unsafePointer: pointer)
      // clang writes nothing for vectors.
      return unsafe try body(
        blockEncoding.contains("!") ? block.assuming(signature: blockEncoding) : block, pointer)
    }
  }

  fileprivate func hooked(
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws -> CallLibrary.Outcome {
    unsafe try withBlock { block, pointer in
      let errors = Recorder<String>()
      let hook = try block.hook(.instead, onError: { errors.record("\($0)") }, handler)
      defer { hook.remove() }
      let outcome = outcome { unsafe library.call(index, block: pointer, memory) }
      try Self.refuse(errors)
      return outcome
    }
  }

  fileprivate func throughFunctionPointer() throws -> CallLibrary.Outcome {
    let original = try function
    let (library, index, expected) = (library, index, expectedArguments)
    let errors = Recorder<String>()
    let pointer = try FunctionPointer(
      signature: encoding, onError: { errors.record("\($0)") }
    ) { frame in
      try frame.checkArguments(from: 0, library, index, expected)
      let values = try frame.values(from: 0)
      try frame.answer(original.call(values: values))
    }
    let outcome = outcome {
      withExtendedLifetime(pointer) {
        unsafe library.call(index, function: pointer.unsafeAddress, memory)
      }
    }
    try Self.refuse(errors)
    return outcome
  }

  fileprivate func throughFunctionPointerOfBlock() throws -> CallLibrary.Outcome {
    unsafe try withBlock { block, _ in
      let pointer = try FunctionPointer(calling: block)
      return outcome {
        withExtendedLifetime(pointer) {
          unsafe library.call(index, function: pointer.unsafeAddress, memory)
        }
      }
    }
  }

  fileprivate func throughMadeBlock() throws -> CallLibrary.Outcome {
    let (library, index, expected) = (library, index, expectedArguments)
    return unsafe try withBlock { original, _ in
      let errors = Recorder<String>()
      let made = try Block(
        signature: blockEncoding, onError: { errors.record("\($0)") }
      ) { frame in
        try frame.checkArguments(from: 1, library, index, expected)
        let values = try frame.values(from: 1)
        try frame.answer(original.call(values: values))
      }
      let outcome = outcome {
        unsafe made.withUnsafePointer { unsafe library.call(index, block: $0, memory) }
      }
      try Self.refuse(errors)
      return outcome
    }
  }

  private static func refuse(_ errors: Recorder<String>) throws {
    if let first = errors.entries.first { throw CompilerError(description: first) }
  }
}

extension CallFrame {
  /// Checks the arguments before they are read: a wrong one may not be followed as a C string.
  fileprivate func checkArguments(
    from first: Int, _ library: CallLibrary, _ index: Int, _ expected: [UInt64]
  ) throws {
    var addresses: [UnsafeMutableRawPointer] = unsafe []
    for argument in signature.arguments.indices.dropFirst(first) {
      unsafe addresses.append(try argumentSlot(argument).address)
    }
    let digests = unsafe library.digest(index, addresses)
    for argument in digests.indices where digests[argument] != expected[argument] {
      throw CompilerError(description: "argument \(argument) differs on entry")
    }
  }

  fileprivate func values(from first: Int) throws -> [CValue] {
    var values: [CValue] = []
    for index in signature.arguments.indices.dropFirst(first) {
      values.append(try argumentValue(index))
    }
    return values
  }

  fileprivate mutating func answer(_ result: CValue) throws {
    if case .void = result { return }
    try setResultValue(result)
  }
}
