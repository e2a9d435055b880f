import BlockRuntime
import CBaselines
import Glibc

/// What a million blocks keep in memory, pending and cancelled.
enum DelayMemory {
  private static let count = 1_000_000

  static func run() {
    // What the first block of the process needs is not counted.
    DelayTimer.shared.perform(after: .seconds(3600)) {}.cancel()
    var tokens: [DelayedBlock?] = Array(repeating: nil, count: count)
    trim()
    let start = bytesInUse
    let residentAtStart = residentBytes
    for number in 0..<count { tokens[number] = DelayTimer.shared.perform(after: .seconds(3600)) {} }
    Study.printRow("delay.pending.bytes", (bytesInUse - start) / Double(count))
    for number in 0..<count {
      tokens[number]?.cancel()
      tokens[number] = nil
    }
    Study.printRow("delay.left.bytes", max(0, bytesInUse - start))
    trim()
    Study.printRow("delay.resident.bytes", max(0, residentBytes - residentAtStart))
  }

  private static func trim() { cbl_trim() }

  private static var bytesInUse: Double { Double(cbl_bytes_in_use()) }

  /// The pages of the process that are in memory.
  private static var residentBytes: Double {
    // SAFETY: the stream is this function's own; the numbers are as the format says.
    guard let stream = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(stream) }
    var text = [CChar](repeating: 0, count: 256)
    guard unsafe fgets(&text, Int32(text.count), stream) != nil else { return 0 }
    let words = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
    )
    .split(separator: " ")
    return words.count > 1 ? (Double(words[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
