import KeyValueObserving
import Measuring
import Observation
import ObservedModels
import OpenCombine

/// Setting a property that is observed, by this library and by its peers.
///
/// Every observer adds one to a counter for each call: one call too many or too few is a wrong
/// result.
enum ObservingRows {
  static var all: [Row] { plain + ours + inPlace + ofPeers }

  private static var plain: [Row] {
    [
      Row("observe.plain", baseline: "call.direct", expected: Sums.count) {
        let model = Models.plain()
        return { iterations in
          for number in 0..<iterations { model.value = number + 1 }
          return model.value
        }
      },
      Row("observe.plainText", baseline: "call.direct", expected: Sums.count) {
        let model = Models.plainText()
        return { iterations in
          for number in 0..<iterations { model.text = text(number) }
          return iterations - model.text.utf8.count + text(0).utf8.count
        }
      },
      didSet(1),
      didSet(10),
    ]
  }

  private static var ours: [Row] {
    [
      observed("observe.set0", observers: 0),
      observed("observe.set1", observers: 1),
      observed("observe.set10", observers: 10),
      Row("observe.final0", baseline: "call.direct", expected: Sums.count) {
        let model = makeFinalModel()
        return { iterations in
          for number in 0..<iterations { model.value = number + 1 }
          return model.value
        }
      },
      Row("observe.final1", baseline: "call.direct", expected: Sums.count) {
        let model = makeFinalModel()
        let calls = Counter()
        model.observe(\.value) { calls.count += $1.new == nil ? 0 : 1 }
        return { iterations in
          calls.count = 0
          for number in 0..<iterations { model.value = number + 1 }
          return calls.count
        }
      },
      Row("observe.text0", baseline: "call.direct", expected: Sums.count) {
        let model = Models.observed()
        return { iterations in
          for number in 0..<iterations { model.text = text(number) }
          return iterations - model.text.utf8.count + text(0).utf8.count
        }
      },
      Row("observe.text1", baseline: "call.direct", expected: Sums.count) {
        let model = Models.observed()
        let calls = Counter()
        model.observe(\.text) { calls.count += $1.new == nil ? 0 : 1 }
        return { iterations in
          calls.count = 0
          for number in 0..<iterations { model.text = text(number) }
          return calls.count
        }
      },
      Row("observe.get", baseline: "call.direct", expected: Sums.count) {
        let model = Models.observed()
        model.value = 1
        return { iterations in
          var sum = 0
          for _ in 0..<iterations { sum += model.value }
          return sum
        }
      },
      path("observe.path1", Models.observed, \.address.city) { $0.address },
      path("observe.path3", Models.group, \.company.model.address.city) {
        $0.company.model.address
      },
      path("observe.path4", Models.union, \.group.company.model.address.city) {
        $0.group.company.model.address
      },
    ]
  }

  /// Sets the property at the end of an observed path.
  @inline(__always)
  private static func path<Model: KeyValueObservable>(
    _ name: String, _ make: @escaping () -> Model, _ path: KeyPath<Model, Int>,
    _ end: @escaping (Model) -> ObservedAddress
  ) -> Row {
    Row(name, baseline: "call.direct", expected: Sums.count) {
      let model = make()
      let calls = Counter()
      model.observe(path) { calls.count += $1.new == nil ? 0 : 1 }
      return { iterations in
        calls.count = 0
        for number in 0..<iterations { end(model).city = number + 1 }
        return calls.count
      }
    }
  }

  /// Changes in place: of a number, and appends to an array.
  private static var inPlace: [Row] {
    func observed() -> ObservedModel {
      let model = Models.observed()
      model.observe(\.items) { _, _ in }
      return model
    }
    return [
      adding("observe.plainAdd", baseline: "call.direct", Models.plain, \.value) { $0.value += 1 },
      adding("observe.add0", baseline: "observe.plainAdd", Models.observed, \.value) {
        $0.value += 1
      },
      adding("observe.finalAdd0", baseline: "observe.plainAdd", makeFinalModel, \.value) {
        $0.value += 1
      },
      appending("observe.plainAppend", baseline: "call.direct", Models.plain, \.items) {
        $0.items.append($1)
      },
      appending("observe.append0", Models.observed, \.items) { $0.items.append($1) },
      appending("observe.append1", observed, \.items) { $0.items.append($1) },
      appending("observe.projectedAppend0", Models.observed, \.items) { $0.$items.append($1) },
      appending("observe.projectedAppend1", observed, \.items) { $0.$items.append($1) },
      appending("observe.finalAppend0", makeFinalModel, \.items) { $0.items.append($1) },
    ]
  }

  @inline(__always)
  private static func adding<Model>(
    _ name: String, baseline: String, _ make: @escaping () -> Model,
    _ value: ReferenceWritableKeyPath<Model, Int>, _ add: @escaping (Model) -> Void
  ) -> Row {
    Row(name, baseline: baseline, expected: Sums.count) {
      let model = make()
      return { iterations in
        model[keyPath: value] = 0
        for _ in 0..<iterations { add(model) }
        return model[keyPath: value]
      }
    }
  }

  @inline(__always)
  private static func appending<Model>(
    _ name: String, baseline: String = "observe.plainAppend", _ make: @escaping () -> Model,
    _ items: ReferenceWritableKeyPath<Model, [Int]>, _ append: @escaping (Model, Int) -> Void
  ) -> Row {
    Row(name, baseline: baseline, maximumIterations: 1_000_000, expected: Sums.count) {
      let model = make()
      return { iterations in
        model[keyPath: items] = []
        for number in 0..<iterations { append(model, number) }
        return model[keyPath: items].count
      }
    }
  }

  private static var ofPeers: [Row] {
    [
      Row("opencombine.set1", baseline: "call.direct", expected: Sums.count) {
        let model = PublishedModel()
        let calls = Counter()
        let subscription = model.$value.dropFirst().sink { _ in calls.count += 1 }
        return { iterations in
          calls.count = 0
          for number in 0..<iterations { model.value = number + 1 }
          withExtendedLifetime(subscription) {}
          return calls.count
        }
      },
      Row("observation.set1", baseline: "call.direct", expected: Sums.count) {
        let model = TrackedModel()
        let calls = Counter()
        return { iterations in
          calls.count = 0
          for number in 0..<iterations {
            // It tells of one change only: each set needs another tracking.
            withObservationTracking {
              _ = model.value
            } onChange: {
              calls.count += 1
            }
            model.value = number + 1
          }
          return calls.count
        }
      },
    ]
  }

  private static func didSet(_ count: Int) -> Row {
    Row("observe.didSet\(count)", baseline: "call.direct", expected: { $0 * count }) {
      let model = Models.didSet()
      let calls = Counter()
      for _ in 0..<count { model.observers.append { calls.count += $0 == 0 ? 0 : 1 } }
      return { iterations in
        calls.count = 0
        for number in 0..<iterations { model.value = number + 1 }
        return calls.count
      }
    }
  }

  private static func observed(_ name: String, observers: Int) -> Row {
    Row(name, baseline: "call.direct", expected: { $0 * max(observers, 1) }) {
      let model = Models.observed()
      let calls = Counter()
      for _ in 0..<observers { model.observe(\.value) { calls.count += $1.new == nil ? 0 : 1 } }
      return { iterations in
        calls.count = 0
        for number in 0..<iterations { model.value = number + 1 }
        return observers == 0 ? model.value : calls.count
      }
    }
  }

  // Two texts on the heap, made once: the same for all rows.
  private static let texts = [String(repeating: "a", count: 40), String(repeating: "b", count: 40)]

  @inline(__always)
  private static func text(_ number: Int) -> String { texts[number & 1] }
}

// One thread runs all rows.
private final class Counter: @unchecked Sendable {
  var count = 0
}

private final class FinalModel: KeyValueObservable {
  @Observed var value = 0
  @Observed var items: [Int] = []
}

@inline(never) private func makeFinalModel() -> FinalModel { FinalModel() }

private final class PublishedModel {
  @Published var value = 0
}

@Observable private final class TrackedModel {
  var value = 0
}
