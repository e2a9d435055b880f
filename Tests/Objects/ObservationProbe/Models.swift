import Foundation
import Observation
import ObservationBridge

/// An observable class of Observation's, which key-value observing observes too.
@Observable final class Engine {
  var speed = 0
  var gear: Int? = 1
  var parts: [String] = []
  @ObservationIgnored var serial = 7

  init(speed: Int = 0) { self.speed = speed }

  /// Changes the speed in place, and throws.
  func overheat() throws {
    func burn(_ speed: inout Int) throws {
      speed = -1
      throw CocoaError(.featureUnsupported)
    }
    try burn(&speed)
  }
}

extension Engine: KeyValueObservable {}

/// A class with properties of both kinds on its paths.
final class Car: KeyValueObservable {
  @Observed var engine: Engine? = Engine()
  @Observed var name = "car"

  var title: String { "\(name) at \(engine?.speed ?? 0)" }
}

/// A class whose properties Observation tracks.
final class Player: ObservationTrackable {
  @Observed var score = 0
  @Observed var lives = 3
  @ManuallyObserved var rank = 1
  @ObservedWeak var rival: Player?

  var summary: String { "\(score) \(lives)" }

  func promote() {
    withChange(of: \.rank) { rank += 1 }
  }
}

/// A class with observed properties that Observation does not track.
final class Silent: KeyValueObservable {
  @Observed var score = 0
}

/// A class whose path leads to an observed property, or to one of Observation's.
final class Gauge: KeyValueObservable {
  @Observed var level = 0
  @Observed var engine: Engine?

  var value: Int { engine?.speed ?? level }
}

/// Prints once it is destroyed.
final class Token {
  private let name: String

  init(_ name: String) { self.name = name }

  deinit { print("\(name) is freed") }

  func use() {}
}

/// The text of a change.
func text<Value>(_ change: Change<Value>) -> String {
  let values = [change.old.map { "old \($0)" }, change.new.map { "new \($0)" }]
  return ([change.isPrior ? "prior" : "\(change.kind)"] + values.compactMap { $0 })
    .joined(separator: " ")
}
