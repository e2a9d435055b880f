/// The C expressions for the first bit of each member, in the order of encodings, outermost first.
extension CType {
  func places(in typeName: String) -> [String] {
    guard case .record(let record) = self else { return [] }
    return record.places(in: typeName, below: "")
  }
}

extension CRecord {
  fileprivate func places(in typeName: String, below prefix: String) -> [String] {
    members.flatMap { member in
      switch member {
      case .field(let name, let type):
        var places = ["8 * (long)__builtin_offsetof(\(typeName), \(prefix)\(name))"]
        if case .record(let record) = type {
          places += record.places(in: typeName, below: "\(prefix)\(name).")
        }
        return places
      case .bits(nil, _, _): return ["NO_PLACE"]
      case .bits(let name?, _, _): return ["FIRST_BIT(\(typeName), \(prefix)\(name))"]
      // It has no name to ask for; its members have.
      case .anonymous(let record):
        return ["NO_PLACE"] + record.places(in: typeName, below: prefix)
      }
    }
  }
}

extension CType {
  /// Whether there are bit-fields without a name in it.
  var hasUnnamedBits: Bool {
    switch self {
    case .scalar: false
    case .record(let record): record.hasUnnamedBits
    case .array(let element, _): element.hasUnnamedBits
    }
  }
}

extension CRecord {
  fileprivate var hasUnnamedBits: Bool {
    members.contains { member in
      switch member {
      case .field(_, let type): type.hasUnnamedBits
      case .bits(let name, _, _): name == nil
      case .anonymous(let record): record.hasUnnamedBits
      }
    }
  }
}
