import BlockRuntime
import Measuring

extension Row {
  /// A row that the C loop over functions of `cbl_add`'s type measures.
  ///
  /// - Parameters:
  ///   - name: The row's name.
  ///   - prepare: Makes the function.
  /// - Returns: The row, with the direct call as its baseline.
  static func callingFunction(_ name: String, _ prepare: @escaping () throws -> AddCode) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add) {
      let function = try prepare()
      return { function.sum(calling: $0) }
    }
  }

  /// A row that the C loop over blocks measures.
  ///
  /// - Parameters:
  ///   - name: The row's name.
  ///   - prepare: Receives a new block, and hooks it.
  /// - Returns: The row, with the direct call as its baseline.
  static func callingBlock(_ name: String, _ prepare: @escaping (AddBlock) throws -> Void) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add) {
      let block = try AddBlock()
      try prepare(block)
      return { block.sum(calling: $0) }
    }
  }
}
