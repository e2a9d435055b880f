import Observation
import ObservationBridge

// Random programs, run with `@Observable` classes and with `@Observed` properties: each observer must
// hear the same.

/// A part of one kind of model.
protocol Part: KeyValueObservable {
  var size: Int { get set }
  var label: String? { get set }
}

/// A model of one kind: objects that refer to each other.
protocol Whole: KeyValueObservable {
  associatedtype Member: Part
  var part: Member? { get set }
  var factor: Int { get set }
  var product: Int { get }
  init()
  static func makePart() -> Member
}

@Observable final class TrackedPart: Part {
  var size = 0
  var label: String?
}

@Observable final class TrackedWhole: Whole {
  var part: TrackedPart?
  var factor = 1
  var product: Int { factor * (part?.size ?? -1) }

  init() {}
  static func makePart() -> TrackedPart { TrackedPart() }
}

final class ObservedPart: Part {
  @Observed var size = 0
  @Observed var label: String?
}

final class ObservedWhole: Whole {
  @Observed var part: ObservedPart?
  @Observed var factor = 1
  var product: Int { factor * (part?.size ?? -1) }

  static func makePart() -> ObservedPart { ObservedPart() }
}

/// A whole of key-value observing with parts of Observation.
final class MixedWhole: Whole {
  @Observed var part: TrackedPart?
  @Observed var factor = 1
  var product: Int { factor * (part?.size ?? -1) }

  static func makePart() -> TrackedPart { TrackedPart() }
}

/// What one observer has heard.
final class Log {
  var lines: [String] = []
}

/// A random program that a seed determines, and what its observers hear.
struct RandomProgram {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  /// Runs the program with one kind of model.
  ///
  /// - Returns: What each observer has heard.
  mutating func run<Model: Whole>(_ type: Model.Type) -> [[String]] {
    let model = Model()
    var parts = [Model.makePart(), Model.makePart()]
    var observers: [(log: Log, observation: KeyValueObservation)] = []
    for _ in 0..<60 {
      switch next(9) {
      case 0:
        let log = Log()
        let options: [ObservingOptions] = [
          .new, .old, [.old, .new], [.prior, .old], [.initial, .new], [.old, .new, .distinct],
        ]
        let chosen = options[next(options.count)]
        func hear<Value>(_: Model, _ change: Change<Value>) { log.lines.append(text(change)) }
        let observation =
          switch next(4) {
          case 0: model.observe(\.product, options: chosen, hear)
          case 1: model.observe(\.part?.size, options: chosen, hear)
          case 2: model.observe(\.part?.label, options: chosen, hear)
          default: model.observe(\.factor, options: chosen, hear)
          }
        observers.append((log, observation))
      case 1: if !observers.isEmpty { observers[next(observers.count)].observation.remove() }
      case 2: model.part = next(3) == 0 ? nil : parts[next(2)]
      case 3: parts[next(2)] = Model.makePart()
      // Each value is another: Observation tells nothing of a value that is set to an equal one.
      case 4: model.factor += 1 + next(3)
      case 5: parts[next(2)].size += 1 + next(3)
      case 6: model.part?.size += 1 + next(3)
      case 7: parts[next(2)].label = "\(next(1_000_000))"
      default:
        withChangeTransaction {
          model.factor += 1
          model.part?.size += 1
        }
      }
    }
    return observers.map(\.log.lines)
  }
}

func compareModels() {
  var heard = 0
  for seed in 1...300 as ClosedRange<UInt64> {
    var programs = (0..<3).map { _ in RandomProgram(seed: seed) }
    let expected = programs[0].run(ObservedWhole.self)
    heard += expected.joined().count
    for (name, logs) in [
      ("tracked", programs[1].run(TrackedWhole.self)), ("mixed", programs[2].run(MixedWhole.self)),
    ] where logs != expected {
      for (index, (log, other)) in zip(logs, expected).enumerated() where log != other {
        return print("seed \(seed), observer \(index), \(name):", log, "instead of", other)
      }
    }
  }
  print("the models agree:", heard > 1000)
}
