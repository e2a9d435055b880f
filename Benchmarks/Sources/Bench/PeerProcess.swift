import Glibc
import Measuring

/// A program of its own that measures; it prints one line `name number` a row, in nanoseconds or, where
/// the name ends in `.bytes`, in bytes.
struct PeerProcess {
  /// What the times of all of them are divided by.
  static let baseline = "call.direct"

  /// The rows that it prints.
  let rows: [String]

  /// How to start it, by preference: the first that succeeds counts.
  let commands: [[String]]

  /// How often to run it; the median counts.
  var rounds = 1

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
        rows: [
          "gnustep.send", "gnustep.lookup", "gnustep.forward", "gnustep.multicast4",
          "gnustep.invoke", "gnustep.kvo1",
        ],
        commands: [["\(products)/gnustep", "\(rounds)"]]),
      PeerProcess(rows: ["ctypes.call", "ctypes.callback"], commands: python("ctypes_peer.py")),
      PeerProcess(rows: ["cffi.call"], commands: python("cffi_peer.py")),
    ]
  }

  /// Runs the program; what it does not print is absent, with the reason.
  func measure() -> [Measurement] {
    var reason = "it could not be started"
    for command in commands {
      if let program = command.first, program.contains("/"), !isExecutable(program) {
        reason = "there is no \(program)"
        continue
      }
      var numbers: [String: [Double]] = [:]
      for _ in 0..<rounds {
        let output = ProcessOutput.running(command)
        guard output.succeeded else {
          reason = output.lines.last.map(String.init) ?? reason
          break
        }
        for (name, number) in Self.numbers(output.lines) {
          numbers[name, default: []].append(number)
        }
      }
      guard !numbers.isEmpty else { continue }
      return rows.map { name in
        let number = median(numbers[name] ?? [])
        let isTime = !name.hasSuffix(".bytes")
        return Measurement(
          name, baseline: Self.baseline, nanoseconds: isTime ? number : nil,
          bytes: isTime ? nil : number, absence: number == nil ? "it printed no such row" : nil)
      }
    }
    return rows.map { Measurement($0, baseline: Self.baseline, absence: reason) }
  }

  private func isExecutable(_ path: String) -> Bool {
    // SAFETY: the path is a C string for the duration of the call.
    unsafe access(path, X_OK) == 0
  }

  private static func numbers(_ lines: [Substring]) -> [String: Double] {
    var numbers: [String: Double] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count == 2, let number = Double(words[1]) else { continue }
      numbers[String(words[0])] = number
    }
    return numbers
  }
}
