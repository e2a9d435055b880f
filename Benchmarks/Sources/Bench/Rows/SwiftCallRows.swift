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

  /// A class with one method whose calls are messages, and one whose calls are not. `BenchmarkedCallTests`
  /// compares the text with what the attributes write.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private class Instrument: MessageReceiver {
    func plain(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    func add(_ a: Int32) -> Int32 {
      if _Calls.of_add_1.isHooked { return CalledBody.call(a, _Calls.of_add_1, self) }
      return _body_Instrument_of_add_1(a)
    }

    private final func _body_Instrument_of_add_1(_ a: Int32) -> Int32 {
      a &+ Int32(Sums.second)
    }

    private static func _sent_Instrument_of_add_1(
      _ receiver: Instrument, _ arguments: Int32, _ keeps: Bool
    ) -> Int32 {
      let answer: Int32 = receiver._body_Instrument_of_add_1(arguments)
      _Calls.of_add_1.keep(answer, of: receiver, if: keeps)
      return answer
    }

    private var _stored_level: Int32 = Int32(Sums.second)

    var level: Int32 {
      if _Calls.of_level.isHooked { return CalledBody.call((), _Calls.of_level, self) }
      return _body_level()
    }

    private final func _body_level() -> Int32 {
      _stored_level
    }

    private static func _sent_level(
      _ receiver: Instrument, _ arguments: (), _ keeps: Bool
    ) -> Int32 {
      let answer: Int32 = receiver._body_level()
      _Calls.of_level.keep(answer, of: receiver, if: keeps)
      return answer
    }

    class var methods: MethodTable {
      MethodTable(
        Instrument.self,
        bodies: { bodies in
          unsafe _Calls.of_add_1.list(in: &bodies)
          unsafe _Calls.of_level.list(in: &bodies)
        })
    }

    nonisolated private enum _Calls {
      static let of_add_1 = CalledBody<Int32, Int32, Never>("add:") {
        Instrument._sent_Instrument_of_add_1
      }
      static let of_level = CalledBody<(), Int32, Never>("level") { Instrument._sent_level }
    }
  }

  /// The compiler would call the methods of a class without overrides directly.
  private final class Override: Instrument {
    override func plain(_ a: Int32) -> Int32 { a }
    override func add(_ a: Int32) -> Int32 { a }
    override var level: Int32 { 0 }
  }
}
