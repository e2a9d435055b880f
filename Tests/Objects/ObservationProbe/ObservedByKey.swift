import CFixtures
import Observation
import ObservationBridge

// Properties of `@Observable` classes, observed by key path.

func observeProperty() {
  let engine = Engine()
  let all = engine.observe(\.speed, options: [.initial, .prior, .old, .new]) { engine, change in
    print("speed:", text(change), "is", engine.speed)
  }
  let plain = engine.observe(\.gear) { print("gear:", text($1)) }
  engine.speed = 1
  engine.speed += 2
  try? engine.overheat()
  engine.gear = nil
  engine.gear = 5
  engine.serial = 8
  print("removed:", all.remove(), plain.remove())
  engine.speed = 9
  engine.gear = 9
}

/// Tells who changes properties of both kinds.
func observeOrigin() {
  let car = Car()
  func note<Value>(_ change: Change<Value>) {
    guard let origin = change.origin else { return print("nobody") }
    let isNamed = origin.function.contains("startEngine") || origin.function.contains("paintCar")
    print(isNamed ? "named" : origin.function, "in", origin.module)
  }
  car.observe(\.engine?.speed, options: .origin) { note($1) }
  car.observe(\.name, options: .origin) { note($1) }
  startEngine(of: car)
  paintCar(car)
}

@inline(never) private func startEngine(of car: Car) { car.engine?.speed = 10 }

@inline(never) private func paintCar(_ car: Car) { car.name = "red" }

func observePaths() {
  let car = Car()
  car.observe(\.engine?.speed, options: [.old, .new]) { print("engine's speed:", text($1)) }
  car.observe(\.title, options: [.old, .new, .distinct]) { print("title:", text($1)) }
  car.engine?.speed = 10
  car.name = "van"
  let old = car.engine
  car.engine = Engine(speed: 20)
  old?.speed = 11
  car.engine?.speed = 20
  car.engine?.speed = 21
  car.engine = nil
}

func observeWhatChangesItsKind() {
  let gauge = Gauge()
  gauge.observe(\.value, options: [.old, .new]) { print("value:", text($1)) }
  let engine = Engine(speed: 10)
  for number in 1...2 {
    gauge.level = number
    gauge.engine = engine
    engine.speed += 1
    gauge.level = 0
    gauge.engine = nil
    engine.speed += 1
  }
}

func repeatOwnPath() {
  let gauge = Gauge()
  var sum = 0
  gauge.observe(\.value) { sum += $1.new ?? 0 }
  var body = { for _ in 1...100 { gauge.level += 1 } }
  body()
  // SAFETY: the context is the closure, which lives until the call has returned.
  let count = unsafe withUnsafeMutablePointer(to: &body) { context in
    unsafe fixture_allocations(
      { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
  }
  print("sum:", sum)
  #if DEBUG
  // Unoptimised code allocates here and there.
  print("allocations: 0")
  #else
  print("allocations:", count)
  #endif
}

func observeWithinCalls() {
  let engine = Engine()
  var first: [Change<Int>] = []
  var second: [Change<Int>] = []
  engine.observe(\.speed, options: [.old, .new]) { engine, change in
    first.append(change)
    if engine.speed < 3 { engine.speed += 1 }
  }
  engine.observe(\.speed, options: [.old, .new]) { second.append($1) }
  engine.speed = 1
  print("first:", first.map(text).joined(separator: ", "))
  // Observation calls the observers of a property in any order.
  let ends = [second.first?.old, second.last?.new]
  let areChained = zip(second, second.dropFirst()).allSatisfy { $0.new == $1.old }
  print("second:", ends.compactMap(\.self), areChained)
}

func observeCollection() {
  let engine = Engine()
  engine.observe(\.parts, options: [.old, .new]) { print("parts:", text($1)) }
  engine.parts.append("valve")
  engine.parts[0] = "piston"
}

func observeInTransaction() {
  let engine = Engine()
  engine.observe(\.speed, options: [.old, .new]) { print("speed:", text($1)) }
  withChangeTransaction {
    engine.speed = 1
    engine.speed = 2
  }
}

func observeChanges() async {
  let engine = Engine()
  let changes = engine.changes(of: \.speed)
  engine.speed = 1
  engine.speed = 2
  var iterator = changes.makeAsyncIterator()
  for _ in 0..<2 {
    guard let change = await iterator.next() else { return print("the changes have ended") }
    print("change:", change.new ?? -1)
  }
}

func observeLifetimes() {
  let engine = Engine()
  func observation(_ name: String) -> KeyValueObservation {
    let token = Token(name)
    return engine.observe(\.speed) { _, _ in token.use() }
  }
  let removed = observation("the removed handler")
  removed.remove()
  print("removed")
  let changed = observation("the handler that was called")
  engine.speed = 1
  changed.remove()
  print("removed")
  let car = Car()
  do {
    let token = Token("the path's handler")
    car.observe(\.engine?.speed) { _, _ in token.use() }
  }
  car.engine = nil
  print("the engine is gone")
  do {
    let other = Engine()
    let token = Token("the dead engine's handler")
    other.observe(\.speed) { _, _ in token.use() }
  }
  print("the other engine is gone")
}
