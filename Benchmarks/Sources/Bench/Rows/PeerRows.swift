import Measuring
import OpenCombine

/// Peers that run in this process; they share no operation with a row of ours yet.
enum PeerRows {
  static var all: [Row] {
    [
      Row("opencombine.send", baseline: "call.direct", expected: Sums.count) {
        let received = Counter()
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.sink { received.count += $0 }
        return { iterations in
          received.count = 0
          for _ in 0..<iterations { subject.send(1) }
          withExtendedLifetime(subscription) {}
          return received.count
        }
      }
    ]
  }

  private final class Counter {
    var count = 0
  }
}
