// actor A calls B which awaits A's result through a Task (cycle)
actor A {
  var b: B?; var t: Task<Int, Never>?
  func set(_ b: B) { self.b = b }
  func compute() async -> Int {
    if let t { return await t.value }; let t = Task { await b?.ask() ?? 0 }; self.t = t;
    return await t.value
  }
}
actor B {
  let a: A; init(_ a: A) { self.a = a }
  func ask() async -> Int { await a.compute() + 1 }
}
@main struct M {
  static func main() async { let a = A(), b = B(a); await a.set(b); print(await a.compute()) }
}
