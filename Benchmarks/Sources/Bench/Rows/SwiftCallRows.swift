import BlockRuntime
import Measuring

/// Swift calls of methods, and reads of a stored property, that ask a slot, as the attributes `@Messages(.calls)`
/// and `@Hookable(.stored)` write them.
///
/// Each row removes its hook after it, for all have one slot.
enum SwiftCallRows {
  static var all: [Row] {
    [
      row("swiftCall.plain") { receiver, iterations in
        sum(iterations) { receiver.plain($0) }
      },
      row("swiftCall.unhooked") { receiver, iterations in sum(iterations) { receiver.add($0) } },
      row("swiftCall.typedHook") { receiver, iterations in
        let hook = try Instrument.hook(add) { original, _, a in try original(a) }
        defer { hook.remove() }
        return sum(iterations) { receiver.add($0) }
      },
      row("swiftCall.hooked") { receiver, iterations in
        let hook = try Instrument.target("add:").hook(.instead, onError: handlerFailed) {
          try $0.proceed()
        }
        defer { hook.remove() }
        return sum(iterations) { receiver.add($0) }
      },
      row("swiftCall.typedHook.instance") { receiver, iterations in
        let hook = try receiver.hook(add) { original, _, a in try original(a) }
        defer { hook.remove() }
        return sum(iterations) { receiver.add($0) }
      },
      row("swiftCall.otherInstance") { receiver, iterations in
        let other = Instrument()
        let hook = try other.hook(add) { original, _, a in try original(a) }
        defer { hook.remove() }
        return sum(iterations) { receiver.add($0) }
      },
      row("swiftCall.read") { receiver, iterations in
        sum(iterations) { $0 &+ receiver.level }
      },
      row("swiftCall.read.typedHook") { receiver, iterations in
        let hook = try Instrument.hook(level) { original, _ in try original() }
        defer { hook.remove() }
        return sum(iterations) { $0 &+ receiver.level }
      },
    ]
  }

  private static let add = TypedSelector1<Instrument, Int32, Int32>("add:")

  private static let level = TypedSelector0<Instrument, Int32>("level")

  private static func row(
    _ name: String, _ run: @escaping (Instrument, Int) throws -> Int
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add) {
      let receiver = CommandLine.argc > 1_000 ? Override() : Instrument()
      return { (try? run(receiver, $0)) ?? -1 }
    }
  }

  @inline(__always)
  private static func sum(_ iterations: Int, _ add: (Int32) -> Int32) -> Int {
    var sum = 0
    for index in 0..<iterations { sum += Int(add(Int32(truncatingIfNeeded: index & 1023))) }
    return sum
  }

  /// A class with one method whose calls are messages, and one whose calls are not.
  private class Instrument: MessageReceiver {
    private static let calls = CallSlot()

    func plain(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    func add(_ a: Int32) -> Int32 {
      if Instrument.calls.isHooked { return hookedAdd(a) }
      return bodyOfAdd(a)
    }

    @inline(never)
    private func hookedAdd(_ a: Int32) -> Int32 {
      Instrument.calls.call(self, a) { bodyOfAdd(a) }
    }

    private func bodyOfAdd(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    private static let reads = CallSlot()
    private var storedLevel = Int32(Sums.second)

    var level: Int32 {
      if Instrument.reads.isHooked { return hookedLevel() }
      return storedLevel
    }

    @inline(never)
    private func hookedLevel() -> Int32 { Instrument.reads.call(self, ()) { storedLevel } }

    class var methods: MethodTable {
      MethodTable(Instrument.self) {
        Method("level") { (self: Instrument) -> Int32 in
          reads.keeping(self) { self.storedLevel }
        }.called { reads.set($0) }
        Method("add:") { (self: Instrument, a: Int32) -> Int32 in
          calls.keeping(self) { self.bodyOfAdd(a) }
        }.called { calls.set($0) }
      }
    }
  }

  /// The compiler would call the methods of a class without overrides directly.
  private final class Override: Instrument {
    override func plain(_ a: Int32) -> Int32 { a }
    override func add(_ a: Int32) -> Int32 { a }
    override var level: Int32 { 0 }
  }
}
