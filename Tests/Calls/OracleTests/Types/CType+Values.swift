/// The C statements that give a value random contents, and that digest it, member by member.
///
/// Padding is neither filled nor digested. `*s` is the state of the random numbers, `h` the digest.
extension CType {
  func fillStatements(_ path: String, depth: Int = 0) -> String {
    switch self {
    case .scalar(let scalar): return scalar.fillStatement(path)
    case .record(let record):
      if let tag = record.tag { return "fill_\(tag)(&\(path), s); " }
      return record.fillStatements(path, depth: depth)
    case .array(let element, let counts):
      return loops(counts, path, depth: depth) { path, depth in
        element.fillStatements(path, depth: depth)
      }
    }
  }

  func digestStatements(_ path: String, depth: Int = 0) -> String {
    switch self {
    case .scalar(let scalar): return scalar.digestStatement(path)
    case .record(let record):
      if let tag = record.tag { return "h = digest_\(tag)(h, &\(path)); " }
      return record.digestStatements(path, depth: depth)
    case .array(let element, let counts):
      return loops(counts, path, depth: depth) { path, depth in
        element.digestStatements(path, depth: depth)
      }
    }
  }

  private func loops(
    _ counts: [Int], _ path: String, depth: Int, _ body: (String, Int) -> String
  ) -> String {
    guard let count = counts.first else { return body(path, depth) }
    let inner = loops(Array(counts.dropFirst()), "\(path)[i\(depth)]", depth: depth + 1, body)
    return "for (int i\(depth) = 0; i\(depth) < \(count); i\(depth)++) { \(inner)} "
  }
}

extension CScalar {
  fileprivate func fillStatement(_ path: String) -> String {
    if case .vector(let count, let element) = values {
      let next = ["float", "double"].contains(element) ? "next_number(s)" : "next(s)"
      return "for (int lane = 0; lane < \(count); lane++) "
        + "((\(element) *)&\(path))[lane] = (\(element))\(next); "
    }
    let value =
      switch values {
      case .integer, .pointer: "(\(name))next(s)"
      case .wideInteger: "(\(name))next_wide(s)"
      case .truth: "next(s) & 1"
      case .floatingPoint: "(\(name))next_number(s)"
      case .complex(let part):
        "next_complex_\(part.split(separator: " ").joined(separator: "_"))(s)"
      case .text: "next_text(s)"
      case .null, .vector: "0"
      }
    return "{ \(name) t = \(value); memcpy((void *)&\(path), &t, sizeof t); } "
  }

  fileprivate func digestStatement(_ path: String) -> String {
    switch (values, name) {
    case (.vector(let count, let element), _):
      "h = fold(h, (const void *)&\(path), \(count) * sizeof(\(element))); "
    case (.text, _): "h = fold_text(h, \(path)); "
    case (.floatingPoint, "long double"): "h = fold(h, (const void *)&\(path), LONG_DOUBLE_SIZE); "
    case (.complex(part: "long double"), _):
      "h = fold(h, (const void *)&\(path), LONG_DOUBLE_SIZE); "
        + "h = fold(h, (const char *)&\(path) + 16, LONG_DOUBLE_SIZE); "
    default: "h = fold(h, (const void *)&\(path), sizeof \(path)); "
    }
  }
}

extension CRecord {
  func fillStatements(_ path: String, depth: Int = 0) -> String {
    activeMembers.map { member in
      switch member {
      case .field(let name, let type): type.fillStatements("\(path).\(name)", depth: depth)
      case .bits(nil, _, _): ""
      case .bits(let name?, let base, _):
        "\(path).\(name) = (\(base.name))next_wide(s)\(base.name == "bool" ? " & 1" : ""); "
      case .anonymous(let record): record.fillStatements(path, depth: depth)
      }
    }.joined()
  }

  func digestStatements(_ path: String, depth: Int = 0) -> String {
    activeMembers.map { member in
      switch member {
      case .field(let name, let type): type.digestStatements("\(path).\(name)", depth: depth)
      case .bits(nil, _, _): ""
      case .bits(let name?, _, _):
        "{ unsigned __int128 t = \(path).\(name); h = fold(h, &t, sizeof t); } "
      case .anonymous(let record): record.digestStatements(path, depth: depth)
      }
    }.joined()
  }
}
