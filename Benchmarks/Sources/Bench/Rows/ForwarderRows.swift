/// Forwarders that a macro makes: they are measured where `Scripts/bench --macros` builds them.
#if Macros
import Measuring
import MessageMacros
import ObservedModels

enum ForwarderRows {
  static var all: [Row] {
    [
      Row("forwarder.reference", baseline: "call.direct", expected: Sums.add) {
        let target = Receiver()
        let box = WeakTarget(target)
        return { iterations in
          defer { withExtendedLifetime(target) {} }
          return sum(iterations) { box.target?.add($0, Sums.second) ?? 0 }
        }
      },
      row("forwarder.weak") { forwarder, target in forwarder.add(weak: target) },
      row("forwarder.strong") { forwarder, target in forwarder.add(strong: target) },
      row("forwarder.closure") { forwarder, target in
        forwarder.add { $0.add = { target.add($0, $1) } }
      },
      Row("multicast.forwarder4", baseline: "call.direct", expected: Sums.count) {
        let targets = (0..<4).map { _ in Receiver() }
        let forwarder = Forwarders()
        for target in targets { forwarder.add(weak: target) }
        return { iterations in
          for target in targets { target.sum = 0 }
          for _ in 0..<iterations { forwarder.receive(1) }
          return Set(targets.map(\.sum)).count == 1 ? targets[0].sum : 0
        }
      },
    ]
  }

  private static func row(
    _ name: String, _ add: @escaping (Forwarders, Receiver) -> Void
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add) {
      let (forwarder, target) = (Forwarders(), Receiver())
      add(forwarder, target)
      // As the client of a delegate has it.
      let delegate: any Forwarded = forwarder
      return { iterations in
        defer { withExtendedLifetime(target) {} }
        return sum(iterations) { delegate.add($0, Sums.second) }
      }
    }
  }

  @inline(__always)
  private static func sum(_ iterations: Int, _ add: (Int32) -> Int32) -> Int {
    var sum = 0
    for index in 0..<iterations { sum += Int(add(Int32(truncatingIfNeeded: index & 1023))) }
    return sum
  }

  private final class WeakTarget {
    weak var target: (any Forwarded)?

    init(_ target: any Forwarded) { self.target = target }
  }
}

@Forwarding
protocol Forwarded: AnyObject {
  func add(_ first: Int32, _ second: Double) -> Int32
  func receive(_ number: Int32)
}

extension Receiver: Forwarded {}

final class Forwarders: ForwardedForwarding { let targets = Targets() }
#endif
