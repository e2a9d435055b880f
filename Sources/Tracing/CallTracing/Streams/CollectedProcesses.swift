/// The processes that have streams of their own.
///
/// A stream has the records of the process that created it and of its forks. What it says in the
/// name of another one's process is its own process's: nobody speaks for others. A fork may go on
/// as another program, with another stream: what it wrote before is in its parent's.
final class CollectedProcesses {
  /// In which look at the directory the first stream of a process was found.
  private var looks: [Int32: Int] = [:]

  /// The number of this look at the directory.
  private(set) var look = 0

  func beginLook() { look += 1 }

  func add(_ process: Int32) { if looks[process] == nil { looks[process] = look } }

  /// Whether a stream of a process was found before a look.
  func hasStream(_ process: Int32, before look: Int) -> Bool {
    looks[process].map { $0 < look } ?? false
  }
}

/// Which processes a stream speaks for.
struct StreamSpeakers {
  /// The process that created the stream.
  private let process: Int32
  private let processes: CollectedProcesses?
  private let look: Int

  /// Where what processes wrote to the stream ends, which have streams of their own since.
  private var ends: [Int32: UInt64] = [:]

  init(_ process: Int32, among processes: CollectedProcesses?) {
    self.process = process
    self.processes = processes
    look = processes?.look ?? 0
  }

  /// Notes that a process has a stream of its own, while this one had a position.
  mutating func exclude(_ other: Int32, behind position: UInt64) {
    guard other != process, ends[other] == nil, !hadStream(other) else { return }
    ends[other] = position
  }

  /// The process of a record at a place that names one.
  func process(named other: Int32, at place: UInt64) -> Int32 {
    guard other != process else { return process }
    if let end = ends[other] { return place > end ? process : other }
    return hadStream(other) ? process : other
  }

  private func hadStream(_ other: Int32) -> Bool {
    processes?.hasStream(other, before: look) == true
  }
}
