/// An operator of a key path on the members of a collection: `NSKeyValueOperator`.
enum CollectionOperator: String, CaseIterable, Sendable {
  case count, sum, avg, min, max, unionOfObjects, distinctUnionOfObjects
  case unionOfArrays, distinctUnionOfArrays, unionOfSets, distinctUnionOfSets

  /// Why an operator does not take some values.
  struct Refusal: Error {
    let message: String
    let code: ErrorCode

    init(_ message: String, code: ErrorCode = .typeMismatch) {
      (self.message, self.code) = (message, code)
    }
  }

  /// The operator's result.
  ///
  /// - Parameter values: The values of the members' paths.
  /// - Returns: The result; nil for the minimum and the maximum of no values.
  /// - Throws: Why the operator does not take the values.
  func result(of values: [Any?]) throws(Refusal) -> Any? {
    let present = values.compactMap { $0 }
    switch self {
    case .count: return values.count
    case .sum: return try sum(of: present).result()
    case .avg:
      // As in Foundation: nil counts as 0, and the average of no values is 0.
      let sum = try sum(of: present)
      return values.isEmpty ? 0.0 : sum.double / Double(values.count)
    case .min, .max: return try extreme(of: present)
    case .unionOfObjects: return present
    case .distinctUnionOfObjects: return try distinct(present)
    case .unionOfArrays: return try elements(of: present)
    case .distinctUnionOfArrays:
      return try distinct(elements(of: present))
    case .unionOfSets, .distinctUnionOfSets:
      return try set(of: elements(of: present))
    }
  }

  /// The elements of values that are collections, without nil.
  private func elements(of values: [Any]) throws(Refusal) -> [Any] {
    var elements: [Any] = []
    for value in values {
      guard let collection = members(of: value) else {
        throw Refusal(
          "@\(self) takes collections of collections, not of \(type(of: value)); "
            + "name a key of a collection")
      }
      for element in collection {
        if let element = withoutOptionals(element) { elements.append(element) }
      }
    }
    return elements
  }

  private func set(of values: [Any]) throws(Refusal) -> Set<AnyHashable> {
    var set: Set<AnyHashable> = []
    for value in values {
      guard let value = value as? any Hashable else {
        throw Refusal(
          "@\(self) takes values that are Hashable, which \(type(of: value)) is not; "
            + "use @distinctUnionOfArrays")
      }
      set.insert(AnyHashable(value))
    }
    return set
  }

  private func sum(of values: [Any]) throws(Refusal) -> Sum {
    var sum = Sum()
    for value in values {
      guard sum.add(value) else {
        throw Refusal(
          "@\(self) takes numbers, not \(type(of: value)); name a key of a number")
      }
    }
    return sum
  }

  private func extreme(of values: [Any]) throws(Refusal) -> Any? {
    func find<Value: Comparable>(_ first: Value) throws(Refusal) -> Any? {
      var best = first
      for other in values {
        guard let other = other as? Value else {
          throw Refusal(
            "@\(self) compares values of one type, not \(Value.self) and \(type(of: other))")
        }
        if self == .min ? other < best : other > best { best = other }
      }
      return best
    }
    guard let first = values.first else { return nil }
    guard let comparable = first as? any Comparable else {
      throw Refusal(
        "@\(self) takes values that are Comparable, which \(type(of: first)) is not")
    }
    return try find(comparable)
  }

  private func distinct(_ values: [Any]) throws(Refusal) -> [Any] {
    var seen: Set<AnyHashable> = []
    var distinct: [Any] = []
    for value in values {
      let identity: AnyHashable
      if let hashable = value as? any Hashable {
        identity = AnyHashable(hashable)
      } else if type(of: value) is AnyClass {
        identity = ObjectIdentifier(value as AnyObject)
      } else {
        throw Refusal(
          "@\(self) takes objects and values that are Hashable, which \(type(of: value)) is not")
      }
      if seen.insert(identity).inserted { distinct.append(value) }
    }
    return distinct
  }
}

/// A sum of numbers; an integer if all of them are integers.
private struct Sum {
  private var integers: Int128 = 0
  private var floats = 0.0
  private var isFloating = false

  /// Whether an integer did not fit into `integers`, and was added to `floats`.
  private var isTooLarge = false

  /// Adds a number; false counts as 0, true as 1.
  ///
  /// - Returns: Whether the value is a number.
  mutating func add(_ value: Any) -> Bool {
    switch value {
    case let value as Int: add(integer: value)
    case let value as Double: add(floating: value)
    case let value as Bool: add(integer: value ? 1 : 0)
    case let value as any BinaryInteger: add(integer: value)
    case let value as any BinaryFloatingPoint: add(floating: value)
    default: return false
    }
    return true
  }

  private mutating func add(integer value: some BinaryInteger) {
    if let exact = Int128(exactly: value) {
      let (sum, isOverflow) = integers.addingReportingOverflow(exact)
      if !isOverflow {
        integers = sum
        return
      }
    }
    isTooLarge = true
    floats += Double(value)
  }

  private mutating func add(floating value: some BinaryFloatingPoint) {
    isFloating = true
    floats += Double(value)
  }

  var double: Double { Double(integers) + floats }

  /// The sum as an `Int`, or as a `Double` if one of the numbers is floating-point.
  func result() throws(CollectionOperator.Refusal) -> Any {
    if isFloating { return double }
    guard !isTooLarge, let sum = Int(exactly: integers) else {
      throw CollectionOperator.Refusal(
        "the sum does not fit into an Int; sum floating-point numbers", code: .overflow)
    }
    return sum
  }
}
