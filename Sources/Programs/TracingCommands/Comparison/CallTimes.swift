import CallTracing
import CommandOptionsAndResults

/// How long the calls of a trace took and waited, by name; read from a file of `--json`.
struct CallTimes {
  /// The times of one name, sorted.
  struct Times {
    /// The short name.
    let title: String
    var durations: [UInt64] = []
    var waits: [UInt64] = []
  }

  /// What calls of other processes and builds have in common.
  struct Key: Hashable {
    let kind: String
    let name: String
  }

  private(set) var all: [Key: Times] = [:]

  /// Reads a file.
  ///
  /// - Parameter path: Its path; `-` is standard input.
  /// - Throws: `unreadableFile`, `notATrace`.
  init(path: String) throws(Failure) {
    var reader = try LineReader(path: path)
    var number = 0
    while let line = try reader.next() {
      number += 1
      if line.isEmpty { continue }
      guard case .object(let members)? = try? JSONReader.value(of: line), add(members) else {
        throw Failure(
          code: "notATrace",
          message: "line \(number) of \(path) is no call of a trace; give files that "
            + "hook-demo trace --json FILE -- PROGRAM writes")
      }
    }
    for key in all.keys {
      all[key]?.durations.sort()
      all[key]?.waits.sort()
    }
  }

  /// Adds a call; false if the members are not those of one.
  private mutating func add(_ members: [JSONValue.Member]) -> Bool {
    let values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard case .string(let kind)? = values["kind"], ["call", "wait"].contains(kind),
      let duration = values["duration"]?.time,
      case .string(let signature)? = values["signature"],
      case .string(let outcome)? = values["outcome"]
    else { return false }
    guard ["returned", "replaced", "threw"].contains(outcome) else { return true }
    let name = values["name"]?.string ?? signature
    let key = Key(kind: kind, name: name)
    let title = values["shortName"]?.string ?? name
    all[key, default: Times(title: title)].durations.append(duration)
    switch values["waited"] {
    case .null?, nil: return true
    case let value?:
      guard let wait = value.time else { return false }
      all[key]?.waits.append(wait)
      return true
    }
  }
}

extension JSONValue {
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }

  /// A number of nanoseconds.
  fileprivate var time: UInt64? {
    switch self {
    case .number(let text): UInt64(text)
    case .integer(let number): UInt64(exactly: number)
    default: nil
    }
  }
}
