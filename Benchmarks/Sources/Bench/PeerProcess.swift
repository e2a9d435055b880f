import Glibc
import Measuring

/// A peer that is a program of its own; it prints one line `name nanoseconds` a row.
struct PeerProcess {
  /// What the times of all of them are divided by.
  static let baseline = "call.direct"

  /// The rows that it prints.
  let rows: [String]

  /// How to start it, by preference: the first that succeeds counts.
  let commands: [[String]]

  /// The peers.
  ///
  /// - Parameters:
  ///   - sources: The directory with the Python programs.
  ///   - products: The directory with what was compiled.
  ///   - rounds: How many series each row gets.
  /// - Returns: The peers, whether they are installed or not.
  static func all(sources: String, products: String, rounds: Int) -> [PeerProcess] {
    let library = "\(products)/libvictims.so"
    func python(_ program: String) -> [[String]] {
      let words = ["-B", "\(sources)/\(program)", library, "\(rounds)"]
      // Debian's modules are seen by Debian's interpreter only.
      return [["python3"] + words, ["/usr/bin/python3"] + words]
    }
    return [
      PeerProcess(
        rows: ["gnustep.send", "gnustep.invoke"], commands: [["\(products)/gnustep", "\(rounds)"]]),
      PeerProcess(rows: ["ctypes.call", "ctypes.callback"], commands: python("ctypes_peer.py")),
      PeerProcess(rows: ["cffi.call"], commands: python("cffi_peer.py")),
    ]
  }

  /// Runs the peer; what it does not print is absent, with the reason.
  func measure() -> [Measurement] {
    var reason = "it could not be started"
    for command in commands {
      if let program = command.first, program.contains("/"), !isExecutable(program) {
        reason = "there is no \(program)"
        continue
      }
      let output = ProcessOutput.running(command)
      guard output.succeeded else {
        reason = output.lines.last.map(String.init) ?? reason
        continue
      }
      let times = Self.times(output.lines)
      return rows.map { name in
        Measurement(
          name, baseline: Self.baseline, nanoseconds: times[name],
          absence: times[name] == nil ? "it printed no such row" : nil)
      }
    }
    return rows.map { Measurement($0, baseline: Self.baseline, absence: reason) }
  }

  private func isExecutable(_ path: String) -> Bool {
    // SAFETY: the path is a C string for the duration of the call.
    unsafe access(path, X_OK) == 0
  }

  private static func times(_ lines: [Substring]) -> [String: Double] {
    var times: [String: Double] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 2, let time = Double(words[1]) else { continue }
      times[String(words[0])] = time
    }
    return times
  }
}
