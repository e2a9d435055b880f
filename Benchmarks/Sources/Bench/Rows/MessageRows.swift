import BlockRuntime
import CallMemoization
import Measuring
import ObservedModels

/// Messages sent to one object and to several, beside direct calls.
enum MessageRows {
  static var all: [Row] { sends + multicasts }

  private static var sends: [Row] {
    [
      row("send.direct") {
        let receiver = Receiver()
        return { iterations in sum(iterations) { receiver.add($0, Sums.second) } }
      },
      row("send.typed") {
        let (receiver, selector) = (Receiver(), Selector("add:to:"))
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.literal") {
        let receiver = Receiver()
        return { iterations in
          try sum(iterations) { try receiver.send("add:to:", $0, Sums.second) }
        }
      },
      row("send.forward") {
        let (receiver, selector) = (Forwarder(Receiver()), Selector("add:to:"))
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.weakProxy") {
        let (target, selector) = (Receiver(), Selector("add:to:"))
        let receiver = WeakProxy(target)
        return { iterations in
          defer { withExtendedLifetime(target) {} }
          return try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.forwardInvocation") {
        let (receiver, selector) = (InvocationForwarder(Receiver()), Selector("add:to:"))
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.hooked") {
        let (receiver, selector) = (OfHookedClass(), Selector("add:to:"))
        try OfHookedClass.target(selector).hook(.instead, onError: handlerFailed) {
          try $0.proceed()
        }
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.typedHook") {
        let (receiver, selector) = (OfTypedHookClass(), Selector("add:to:"))
        try OfTypedHookClass.hook(TypedSelector2(selector, OfTypedHookClass.add)) {
          original, _, a, b in
          try original(a, b)
        }
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      row("send.typedHook.instance") {
        let (receiver, selector) = (TypedHookReceiver(), Selector("add:"))
        try receiver.hook(\.add) { original, _, a in try original(a) }
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0) }
        }
      },
      // The typed hook is outside of the one with a frame.
      row("send.mixedHooks") {
        let (receiver, selector) = (MixedHooksReceiver(), Selector("add:"))
        try MixedHooksReceiver.target(selector).hook(.instead, onError: handlerFailed) {
          try $0.proceed()
        }
        try MixedHooksReceiver.hook(\.add) { original, _, a in try original(a) }
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0) }
        }
      },
      // Every result is kept, as in `hook.memoized`; the receiver is part of the key.
      row("send.memoized") {
        let (receiver, selector) = (TypedMemoizedReceiver(), Selector("add:"))
        try TypedMemoizedReceiver.target(selector).install(
          .memoizing(limits: MemoLimits(count: 2048)))
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0) }
        }
      },
      row("send.memoizedFrame") {
        let (receiver, selector) = (MemoizedReceiver(), Selector("add:"))
        try MemoizedReceiver.target(selector).install(.memoizing(limits: MemoLimits(count: 2048)))
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0) }
        }
      },
      row("send.typedSelector") {
        let receiver = TypedReceiver()
        return { iterations in
          try sum(iterations) { try receiver.send(\.add, $0, Sums.second) }
        }
      },
      row("send.hooked.instance") {
        let (receiver, selector) = (HookedReceiver(), Selector("add:to:"))
        try receiver.target(selector).hook(.instead, onError: handlerFailed) { try $0.proceed() }
        return { iterations in
          try sum(iterations) { try receiver.send(selector, $0, Sums.second) }
        }
      },
      unknown("send.unknown5", FiveMethods.init),
      unknown("send.unknown1000", ThousandMethods.init),
    ]
  }

  /// Sends that nobody answers.
  private static func unknown(
    _ name: String, _ make: @escaping () -> some MessageReceiver
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.count) {
      let (receiver, selector) = (make(), Selector("method:"))
      return { iterations in
        var count = 0
        for _ in 0..<iterations {
          do { try receiver.send(selector, 1 as Int32) } catch { count += 1 }
        }
        return count
      }
    }
  }

  private final class FiveMethods: MessageReceiver {
    static var methods: MethodTable { MethodTable(FiveMethods.self) { numbered(5) } }
  }

  private final class ThousandMethods: MessageReceiver {
    static var methods: MethodTable { MethodTable(ThousandMethods.self) { numbered(1_000) } }
  }

  private static func numbered(_ count: Int) -> [Method] {
    (0..<count).map { Method(Selector("method\($0):"), signature: "v@:i") { _ in } }
  }

  private static var multicasts: [Row] {
    [
      Row("multicast.loop", baseline: "call.direct", expected: Sums.count) {
        let listeners = (0..<4).map { _ in Receiver() }
        let boxes = listeners.map { WeakListener($0) }
        return { iterations in
          received(by: listeners) {
            for _ in 0..<iterations {
              for box in boxes { box.listener?.receive(1) }
            }
          }
        }
      },
      Row("multicast.listeners4", baseline: "call.direct", expected: Sums.count) {
        let objects = (0..<4).map { _ in Receiver() }
        let listeners = WeakListeners<any Listener>()
        for object in objects { listeners.add(object) }
        return { iterations in
          received(by: objects) {
            for _ in 0..<iterations { listeners.forEach { $0.receive(1) } }
          }
        }
      },
      Row("multicast.proxy4", baseline: "call.direct", expected: Sums.count) {
        let listeners = (0..<4).map { _ in Receiver() }
        let proxy = MultiTargetProxy(weak: listeners)
        let selector = Selector("receive:")
        return { iterations in
          received(by: listeners) {
            for _ in 0..<iterations { try? proxy.send(selector, 1 as Int32) }
          }
        }
      },
    ]
  }

  /// What each of some receivers has got.
  @inline(__always)
  private static func received(by listeners: [Receiver], _ body: () -> Void) -> Int {
    for listener in listeners { listener.sum = 0 }
    body()
    return Set(listeners.map(\.sum)).count == 1 ? listeners[0].sum : 0
  }

  private final class WeakListener {
    weak var listener: (any Listener)?

    init(_ listener: any Listener) { self.listener = listener }
  }

  /// Of a class of its own: where one instance has hooks, the others look for theirs.
  private final class HookedReceiver: Receiver {}

  private final class OfHookedClass: Receiver {}

  private final class OfTypedHookClass: Receiver {}

  private final class MixedHooksReceiver: TypedMessageReceiver {
    func add(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    struct Messages: MessageNames {
      var add: TypedSelector1<MixedHooksReceiver, Int32, Int32> { .init("add:") }
    }

    static var methods: MethodTable {
      MethodTable(MixedHooksReceiver.self) { Method("add:", MixedHooksReceiver.add) }
    }
  }

  private final class MemoizedReceiver: MessageReceiver {
    static var methods: MethodTable {
      MethodTable(MemoizedReceiver.self) {
        Method("add:", signature: "i@:i") { call in
          try call.setResult(call.argument(2, as: Int32.self) &+ Int32(Sums.second))
        }
      }
    }
  }

  private final class TypedMemoizedReceiver: MessageReceiver {
    func add(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    static var methods: MethodTable {
      MethodTable(TypedMemoizedReceiver.self) { Method("add:", TypedMemoizedReceiver.add) }
    }
  }

  private final class TypedReceiver: Receiver, TypedMessageReceiver {
    struct Messages: MessageNames {
      var add: TypedSelector2<TypedReceiver, Int32, Double, Int32> { .init("add:to:") }
    }
  }

  /// Its method has one argument: the compiler would merge code with the other hook's.
  private final class TypedHookReceiver: TypedMessageReceiver {
    func add(_ a: Int32) -> Int32 { a &+ Int32(Sums.second) }

    struct Messages: MessageNames {
      var add: TypedSelector1<TypedHookReceiver, Int32, Int32> { .init("add:") }
    }

    static var methods: MethodTable {
      MethodTable(TypedHookReceiver.self) { Method("add:", TypedHookReceiver.add) }
    }
  }

  /// A row that adds as those of calls do; -1 tells of an error.
  private static func row(
    _ name: String, _ prepare: @escaping () throws -> (Int) throws -> Int
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.add) {
      let run = try prepare()
      return { (try? run($0)) ?? -1 }
    }
  }

  @inline(__always)
  private static func sum(
    _ iterations: Int, _ add: (Int32) throws -> Int32
  ) rethrows -> Int {
    var sum = 0
    for index in 0..<iterations { sum += Int(try add(Int32(truncatingIfNeeded: index & 1023))) }
    return sum
  }
}
