internal import BlockRuntimeThreads
package import DelayedBlocks
private import Glibc

/// A watch over the system's memory: when it is short, caches lose values.
///
/// Once a second, while there are caches that ask for it, two sources are read: how long tasks have
/// waited for memory (`/proc/pressure/memory`), and how often the process's control group was at a
/// limit (`high`, `max` and `oom` in its `memory.events`). If tasks waited for a tenth of a second
/// or more, or if the group was at a limit since the last time, each cache loses the least recently
/// used half of its values. The corresponding notification on Apple's platforms is a memory
/// warning.
public final class MemoryPressure: Sendable {
  /// The pressure on the system and on the process's control groups.
  public static let system = MemoryPressure(
    stalls: "/proc/pressure/memory",
    events: ControlGroup.directories.first.map { "\($0)/memory.events" })

  private struct Reference: Sendable { weak let cache: (any MemoTrimming)? }

  private struct State {
    var caches: [Reference] = []
    var timer: RepeatingBlock?
    var last: Numbers?
  }

  /// The numbers of both sources at one time, as far as they can be read.
  private struct Numbers {
    /// How long tasks have waited, in microseconds.
    var stalled: UInt64?
    var events: UInt64?

    var isAny: Bool { stalled != nil || events != nil }

    /// Whether there was pressure since an earlier time.
    func showPressure(since earlier: Numbers) -> Bool {
      func rise(_ number: UInt64?, _ earlier: UInt64?) -> UInt64 {
        guard let number, let earlier, number > earlier else { return 0 }
        return number - earlier
      }
      return rise(stalled, earlier.stalled) >= 100_000 || rise(events, earlier.events) > 0
    }
  }

  private let stalls: String
  private let events: String?
  private let timer: DelayTimer
  private let state = Locked(State())

  /// Reads the pressure from files at other paths, by a timer whose blocks clients do not cancel.
  package init(
    stalls: String, events: String?, timer: DelayTimer = DelayTimer(clock: SuspendingClock())
  ) {
    self.stalls = stalls
    self.events = events
    self.timer = timer
  }

  /// Whether one of the sources can be read; if none can, nothing is ever trimmed.
  public var isMeasured: Bool { numbers.isAny }

  /// Trims a cache from now on; the cache is not retained.
  func add(_ cache: any MemoTrimming) {
    let numbers = numbers
    guard numbers.isAny else { return }
    let isFirst = state.withLock { state in
      state.caches.append(Reference(cache: cache))
      guard state.last == nil else { return false }
      state.last = numbers
      return true
    }
    guard isFirst else { return }
    let timer = try? timer.repeat(every: .seconds(1), tolerance: .milliseconds(500)) {
      [weak self] _ in
      self?.check()
    }
    state.withLock { $0.timer = timer }
  }

  /// Reads the sources, and trims all caches if there was pressure; without caches the timer ends.
  private func check() {
    let numbers = numbers
    let caches = state.withLock { $0.caches }.map(\.cache)
    let (isPressed, ended) = state.withLock { state -> (Bool, RepeatingBlock?) in
      state.caches.removeAll { $0.cache == nil }
      let isPressed = state.last.map { numbers.showPressure(since: $0) } ?? false
      guard state.caches.isEmpty else {
        state.last = numbers
        return (isPressed, nil)
      }
      state.last = nil
      return (isPressed, state.timer.take())
    }
    ended?.cancel()
    if isPressed { for cache in caches { cache?.trimUnderPressure() } }
  }

  private var numbers: Numbers {
    func sum(_ path: String, _ isChosen: (Substring) -> Bool) -> UInt64? {
      text(at: path).map { text in
        text.split(separator: "\n").filter(isChosen).reduce(0) { sum, line in
          sum &+ (line.split { $0 == " " || $0 == "=" }.last.flatMap { UInt64($0) } ?? 0)
        }
      }
    }
    return Numbers(
      stalled: sum(stalls) { $0.hasPrefix("some ") },
      events: events.flatMap { events in
        sum(events) { line in ["high ", "max ", "oom "].contains { line.hasPrefix($0) } }
      })
  }

  /// The number of bytes that the process may use: the machine's memory, or the least `memory.max`
  /// of the process's control groups.
  static var availableMemory: Int {
    let machine = max(sysconf(Int32(_SC_PHYS_PAGES)), 0) * max(sysconf(Int32(_SC_PAGESIZE)), 0)
    let limits = ControlGroup.directories.compactMap { directory in
      text(at: "\(directory)/memory.max")?.split(separator: "\n").first.flatMap { Int($0) }
    }
    return limits.reduce(machine, min)
  }
}

/// A cache that is trimmed under pressure.
protocol MemoTrimming: AnyObject, Sendable {
  /// Removes the least recently used half of the values.
  func trimUnderPressure()
}

/// The control group of the process, of version 2.
private enum ControlGroup {
  /// The directories of the group and of those around it, the innermost first.
  static let directories: [String] = {
    guard
      let line = text(at: "/proc/self/cgroup")?.split(separator: "\n")
        .first(where: { $0.hasPrefix("0::/") })
    else { return [] }
    let parts = line.dropFirst(4).split(separator: "/")
    return (0...parts.count).reversed().map { count in
      (["/sys/fs/cgroup"] + parts.prefix(count).map(String.init)).joined(separator: "/")
    }
  }()
}

/// The text of a small file of the system; nil if it cannot be read.
private func text(at path: String) -> String? {
  ReentrancyGuard.ignoringThread {
    // SAFETY: the path is null-terminated during the call; the kernel writes at most as many bytes
    // as the buffer has.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return unsafe String(unsafeUninitializedCapacity: 8192) { buffer in
      unsafe max(read(descriptor, buffer.baseAddress, buffer.count), 0)
    }
  }
}
