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
        var sum = 0
        for index in 0..<iterations { sum += Int(receiver.plain(argument(index))) }
        return sum
      },
      row("swiftCall.unhooked") { sum($0, $1) },
      row("swiftCall.typedHook") { receiver, iterations in
        let hook = try Instrument.hook(add, pass)
        defer { hook.remove() }
        return sum(receiver, iterations)
      },
      row("swiftCall.hooked") { receiver, iterations in
        let hook = try Instrument.target("add:").hook(.instead, onError: handlerFailed) {
          try $0.proceed()
        }
        defer { hook.remove() }
        return sum(receiver, iterations)
      },
      row("swiftCall.typedHook.instance") { receiver, iterations in
        let hook = try receiver.hook(add, pass)
        defer { hook.remove() }
        return sum(receiver, iterations)
      },
      row("swiftCall.otherInstance") { receiver, iterations in
        let other = Instrument()
        let hook = try other.hook(add, pass)
        defer { withExtendedLifetime(other) { hook.remove() } }
        return sum(receiver, iterations)
      },
      row("swiftCall.read") { receiver, iterations in
        sumOfLevels(receiver, iterations)
      },
      row("swiftCall.read.typedHook") { receiver, iterations in
        let hook = try Instrument.hook(level) { original, _ in try original() }
        defer { hook.remove() }
        return sumOfLevels(receiver, iterations)
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

  /// One hook for all rows: the compiler makes one of equal closures, which then are called by others.
  @Sendable
  private static func pass(
    _ original: (Int32) throws -> Int32, _: Instrument, _ a: Int32
  ) throws -> Int32 { try original(a) }

  @inline(never)
  private static func sum(_ receiver: Instrument, _ iterations: Int) -> Int {
    var sum = 0
    for index in 0..<iterations { sum += Int(receiver.add(argument(index))) }
    return sum
  }

  @inline(never)
  private static func sumOfLevels(_ receiver: Instrument, _ iterations: Int) -> Int {
    var sum = 0
    for index in 0..<iterations { sum += Int(argument(index) &+ receiver.level) }
    return sum
  }

  @inline(__always)
  private static func argument(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: index & 1023) }

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

    private func sentAdd(_ a: Int32) -> Int32 {
      Instrument.calls.keeping(self) { () -> Int32 in bodyOfAdd(a) }
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
          Instrument.reads.keeping(self) { self.storedLevel }
        }.called { Instrument.reads.set($0) }
        Method("add:") { (self: Instrument, a: Int32) -> Int32 in self.sentAdd(a) }
          .called { Instrument.calls.set($0) }
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
