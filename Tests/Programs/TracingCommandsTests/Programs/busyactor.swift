// An actor that is busy nearly all of the time.
import Dispatch

actor Hot {
  func crunch(_ milliseconds: UInt64) {
    let end = DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}

@main struct M {
  static func main() async {
    let hot = Hot()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { await hot.crunch(200) } }
    }
  }
}
