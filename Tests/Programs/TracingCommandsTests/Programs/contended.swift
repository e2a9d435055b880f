import Foundation

actor Hot {
  var n = 0; func work() { var x = 1; for i in 0..<2_000_000 { x = x &* 31 &+ i }; n += x & 1 }
}
actor Cold { var n = 0; func work() { n += 1 } }
let hot = Hot(), cold = Cold()
@main struct M {
  static func main() async {
    await withTaskGroup(of: Void.self) { g in
      for _ in 0..<16 { g.addTask { for _ in 0..<20 { await hot.work(); await cold.work() } } }
    }
    print("done")
  }
}
