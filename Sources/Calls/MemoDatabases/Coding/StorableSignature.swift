#if Database
internal import CallMemoization
internal import TypeEncodings

/// A signature whose results, and perhaps arguments, mean the same in every process.
struct StorableSignature {
  let signature: MethodSignature

  /// How results that are objects are stored; nil for other results.
  let coding: ResultCoding?

  /// Checks the result.
  ///
  /// - Throws: `notMemoizable`.
  init(_ signature: MethodSignature, coding: ResultCoding?) throws(MemoizationError) {
    self.signature = signature
    let result = signature.result
    guard case .object(let className) = result.type else {
      if coding != nil {
        throw MemoizationError(
          .notMemoizable, "the result \(result) is no object: leave out the `coding:`")
      }
      if let part = result.processPart {
        throw MemoizationError(
          .notMemoizable,
          "the result \(result) holds \(part), which means something in this process only: memoize it in "
            + "memory, or have the block return text or numbers")
      }
      self.coding = nil
      return
    }
    guard let coding = coding ?? (className == "NSString" ? .text : nil) else {
      throw MemoizationError(
        .notMemoizable,
        "the result \(result) is an object, of which nothing says how it is stored: give a `coding:`, such "
          + "as `.codable(Page.self)` or `.text`")
    }
    self.coding = coding
  }

  /// Checks that the arguments can be a key.
  ///
  /// - Throws: `notMemoizable`.
  func requireStorableArguments() throws(MemoizationError) {
    if signature.form == .method {
      throw MemoizationError(
        .notMemoizable,
        "the receiver of a method means something in this process only; give a `key:` that reads what "
          + "the result depends on")
    }
    let hidden = signature.form == .block ? 1 : 0
    for index in signature.arguments.indices.dropFirst(hidden) {
      let encoding = signature.arguments[index].encoding
      if case .object(let name) = encoding.type {
        guard let name, !["NSString", "NSNumber"].contains(name) else { continue }
        throw MemoizationError(
          .notMemoizable,
          "argument \(index), \(encoding), is an object, of which a key in another process cannot be told; "
            + "give a `key:` that reads what the result depends on", at: .argument(index))
      }
      guard let part = encoding.processPart(isArgument: true) else { continue }
      throw MemoizationError(
        .notMemoizable,
        "argument \(index), \(encoding), holds \(part), which means something in this process only; give a "
          + "`key:` that reads what the result depends on", at: .argument(index))
    }
  }
}

extension TypeEncoding {
  /// A part of the type's values that has a meaning in one process only; nil if there is none.
  fileprivate var processPart: String? { processPart(isArgument: false) }

  fileprivate func processPart(isArgument: Bool) -> String? {
    switch type {
    case .pointer: return "a pointer"
    case .block: return "a block"
    case .object: return "an object"
    case .primitive(.classObject): return "a class"
    case .primitive(.selector): return "a selector"
    case .unknown, .vanished, .primitive(.blank): return "a part of unknown type"
    case .array(_, let element):
      return isArgument ? "a pointer" : element.processPart
    case .structure(let record):
      guard let fields = record.fields else { return "a part of unknown type" }
      return fields.lazy.compactMap(\.encoding.processPart).first
    case .union(let record):
      // Of a union only the bytes are known, and they may be the address of a text.
      guard let fields = record.fields else { return "a part of unknown type" }
      if let part = fields.lazy.compactMap(\.encoding.processPart).first { return part }
      return holds { $0.kind == .cString } ? "a pointer" : nil
    case .primitive, .bitField, .complex, .vector: return nil
    }
  }
}
#endif
