import Dispatch
import Measuring
import NIOCore
import NIOPosix
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
      },
      // What is cancelled stays in memory until its deadline: so few.
      Row(
        "dispatch.workitem", baseline: "call.direct", maximumIterations: 500,
        countsInstructions: false, expected: Sums.count
      ) {
        let queue = DispatchQueue(label: "bench.dispatch.workitem")
        return { iterations in
          var cancelled = 0
          for _ in 0..<iterations {
            let item = DispatchWorkItem {}
            queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
            item.cancel()
            cancelled += item.isCancelled ? 1 : 0
          }
          return cancelled
        }
      },
      Row(
        "nio.schedule", baseline: "call.direct", maximumIterations: 2000,
        countsInstructions: false, expected: Sums.count
      ) {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        return { iterations in
          // On the loop's own thread: otherwise waking it is measured.
          try loop.submit {
            var scheduled = 0
            for _ in 0..<iterations {
              loop.scheduleTask(in: .hours(1)) {}.cancel()
              scheduled += 1
            }
            return scheduled
          }.wait()
        }
      },
    ]
  }

  private final class Counter {
    var count = 0
  }
}
