import BlockABI
import Invocations
import TypeEncodings

/// One generated signature, ready to be called every way there is.
struct CallCase {
  let library: CallLibrary
  let index: Int

  /// The function's signature, made of the encodings of its types, without frame offsets.
  var encoding: String

  /// The same with a block in front.
  let blockEncoding: String
  let memory: CaseMemory

  /// The digests of the arguments, as C's direct call shows them.
  var expectedArguments: [UInt64] = []

  var argumentCount: Int { library.signatures[index].arguments.count }

  init(_ library: CallLibrary, _ index: Int, types: [LayoutLibrary.Row]) {
    let signature = library.signatures[index]
    self.library = library
    self.index = index
    let result = signature.result.map { types[$0].encoding } ?? "v"
    let arguments = signature.arguments.map { types[$0].encoding }.joined()
    encoding = result + arguments
    blockEncoding = result + "@?" + arguments
    memory = CaseMemory(argumentCount: signature.arguments.count)
  }

  /// The arguments as values described at run time.
  func argumentValues() throws -> [CValue] {
    let signature = try MethodSignature(parsing: encoding)
    let layouts = try signature.callLayouts().arguments
    return try zip(signature.arguments.indices, layouts).map { argument, layout in
      guard let address = unsafe memory.arguments[argument] else { return .void }
      return unsafe try ValueSlot(
        signature.arguments[argument].encoding, layout, .argument(argument), at: address
      ).value()
    }
  }

  /// Digests a result described at run time.
  func outcome(of result: CValue) throws -> CallLibrary.Outcome {
    let signature = try MethodSignature(parsing: encoding)
    var kept = KeptValues()
    if let layout = try signature.callLayouts().result {
      unsafe memory.result.initializeMemory(as: UInt8.self, repeating: 0, count: layout.size)
      unsafe try ValueSlot(signature.result, layout, .result, at: memory.result).store(
        value: result, keeping: &kept)
    }
    return withExtendedLifetime(kept) { library.takeOutcome(index, memory) }
  }

  /// Makes a call that leaves its result in memory, and digests that.
  func outcome(_ call: () throws -> Void) rethrows -> CallLibrary.Outcome {
    memory.clearResult()
    try call()
    return library.takeOutcome(index, memory)
  }
}
