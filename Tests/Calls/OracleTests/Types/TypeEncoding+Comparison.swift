import TypeEncodings

extension TypeEncoding {
  /// The encoding without what only declarations say: members' names and blocks' signatures.
  ///
  /// An incomplete record has no members.
  var withoutNames: TypeEncoding {
    var copy = self
    switch type {
    case .pointer(let pointee): copy.type = .pointer(pointee.withoutNames)
    case .array(let count, let element):
      copy.type = .array(count: count, element: element.withoutNames)
    case .structure(let record): copy.type = .structure(record.withoutNames)
    case .union(let record): copy.type = .union(record.withoutNames)
    case .block: copy.type = .block(nil)
    default: break
    }
    return copy
  }

  /// The same without `const`, which clang leaves out of a typedef's encoding.
  var withoutMore: TypeEncoding {
    var copy = withoutNames
    copy.qualifiers.removeAll { $0 == .const }
    return copy
  }
}

extension RecordEncoding {
  fileprivate var withoutNames: RecordEncoding {
    guard let fields, !fields.isEmpty else { return RecordEncoding(tag: tag, fields: nil) }
    return RecordEncoding(tag: tag, fields: fields.map { FieldEncoding($0.encoding.withoutNames) })
  }
}
