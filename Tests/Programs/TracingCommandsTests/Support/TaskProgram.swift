#if Everything
/// A program of Swift tasks of every kind, each created by a function of its own.
enum TaskProgram {
  static let source = #"""
    import Dispatch
    import Glibc
    import Synchronization

    let parts = Atomic<Int>(0)
    @inline(never) func ran() { parts.add(1, ordering: .relaxed) }
    func nap() async { try? await Task.sleep(for: .milliseconds(2)) }

    actor Counter {
      var total = 0
      func add(_ number: Int) { total += number }
    }
    let counter = Counter()

    let isAwaited = Atomic<Bool>(false)
    func plain() -> Task<Int, Never> {
      Task {
        while !isAwaited.load(ordering: .relaxed) { await nap() }
        try? await Task.sleep(for: .milliseconds(100))
        ran()
        return 1
      }
    }
    func detached() -> Task<Int, Never> { Task.detached(priority: .background) { ran(); return 2 } }
    #if compiler(>=6.2)
    func named() -> Task<Int, Never> { Task(name: "the \"named\" one") { ran(); return 3 } }
    #else
    func named() -> Task<Int, Never> { Task { ran(); return 3 } }
    #endif
    func waiting(_ task: Task<Int, Never>) -> Task<Int, Never> {
      Task {
        ran()
        isAwaited.store(true, ordering: .relaxed)
        return await task.value
      }
    }
    func resumed() -> Task<Int, Never> {
      Task {
        ran()
        return await withCheckedContinuation { continuation in
          DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
            continuation.resume(returning: 4)
          }
        }
      }
    }
    func main1() -> Task<Int, Never> { Task { @MainActor in ran(); await nap(); ran(); return 5 } }
    func acting() -> Task<Void, Never> { Task { ran(); await counter.add(1) } }
    func grouped() -> Task<Int, Never> {
      Task.detached {
        ran()
        return await withTaskGroup(of: Int.self) { group in
          for number in 0..<3 { group.addTask { await nap(); ran(); return number } }
          return await group.reduce(0, +)
        }
      }
    }
    func lets() -> Task<Int, Never> {
      Task.detached {
        async let first = letValue()
        async let second = letValue()
        ran()
        return await first + second
      }
    }
    func letValue() async -> Int { await nap(); ran(); return 1 }
    func cancelled() -> Task<Void, Never> {
      let task = Task { try? await Task.sleep(for: .seconds(100)); ran() }
      task.cancel()
      return task
    }

    func busy() -> Task<Int, Never> {
      Task.detached(priority: .utility) {
        for _ in 0..<3 {
          let start = DispatchTime.now().uptimeNanoseconds
          while DispatchTime.now().uptimeNanoseconds < start + 5_000_000 {}
          ran()
          // A task whose time is over before it is suspended goes on in the same part.
          try? await Task.sleep(for: .milliseconds(100))
        }
        return 0
      }
    }

    /// Waits until every other thread sleeps: a thread that a task has left may have yet to say so.
    func settle() {
      while let entries = opendir("/proc/self/task") {
        defer { closedir(entries) }
        var awake = 0
        while let entry = readdir(entries) {
          let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          guard Int(name) != nil, let file = fopen("/proc/self/task/\(name)/stat", "r") else {
            continue
          }
          var text = [UInt8](repeating: 0, count: 256)
          fread(&text, 1, 255, file)
          fclose(file)
          // "thread (name) state ...".
          let state = text.lastIndex(of: UInt8(ascii: ")")).map { text[$0 + 2] }
          if state != UInt8(ascii: "S") { awake += 1 }
        }
        // This thread is.
        if awake <= 1 { return }
        sched_yield()
      }
    }

    let slow = plain()
    let all = [slow, detached(), named(), waiting(slow), resumed(), main1(), grouped(), lets(), busy()]
    var sum = 0
    for task in all { sum += await task.value }
    await acting().value
    await cancelled().value
    print(sum, await counter.total)
    print(parts.load(ordering: .relaxed))
    settle()
    """#
}
#endif
