import BlockRuntime
import Dispatch
import Measuring
import NIOCore
import NIOPosix

/// One delayed block scheduled and cancelled, by this library and by its peers.
enum DelayRows {
  static var all: [Row] {
    [
      Row("delay.scheduleCancel", baseline: "call.direct", expected: Sums.count) {
        { iterations in
          var cancelled = 0
          for _ in 0..<iterations {
            let block = DelayTimer.shared.perform(after: .seconds(3600)) {}
            cancelled += block.cancel() ? 1 : 0
          }
          return cancelled
        }
      },
      Row("delay.reschedule", baseline: "call.direct", expected: Sums.count) {
        let block = DelayTimer.shared.perform(after: .seconds(3600)) {}
        return { iterations in
          var moved = 0
          for _ in 0..<iterations { moved += block.reschedule(after: .seconds(3600)) ? 1 : 0 }
          return moved
        }
      },
      // What is cancelled stays in memory until its deadline: so few.
      Row(
        "delay.dispatch", baseline: "call.direct", fixedIterations: 500,
        expected: Sums.count
      ) {
        let queue = DispatchQueue(label: "bench.delay.dispatch")
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
        "delay.nio", baseline: "call.direct", fixedIterations: 2000,
        expected: Sums.count
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
}
