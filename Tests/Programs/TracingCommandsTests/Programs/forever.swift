// an actor awaiting forever + a continuation never resumed
actor Store {
  var waiters: [CheckedContinuation<Int, Never>] = []
  func load(_ k: Int) async -> Int {
    if k == 7 { return await withCheckedContinuation { waiters.append($0) } }  // forgotten
    try? await Task.sleep(for: .milliseconds(2)); return k
  }
}
let store = Store()
@Sendable func handle(_ k: Int) async -> Int { await store.load(k) * 2 }
@main struct M {
  static func main() async {
    await withTaskGroup(of: Int.self) { g in
      for k in 0..<20 { g.addTask(name: "request \(k)") { await handle(k) } }
      var s = 0; for await v in g { s += v }
      print("sum", s)
    }
  }
}
