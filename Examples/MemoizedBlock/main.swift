// A block that computes for long, hooked so that it keeps its results, and traced: its callers, and
// the block itself, know nothing of either.
import BlockRuntime
import CallMemoization
import CallTracing

typealias Fibonacci = @convention(block) (Int64) -> Int64

/// A recursive block reaches itself through here.
nonisolated(unsafe) var fibonacci: Fibonacci = { $0 }
unsafe fibonacci = { number in
  number < 2 ? number : unsafe fibonacci(number - 1) + fibonacci(number - 2)
}

let buffer = TraceBuffer()
let tracer = Tracer(buffer)
let block = unsafe try Block(fibonacci)

// Below the memoizing hook a trace sees only the calls that really run.
let tracing = try block.install(.tracing(with: tracer, priority: -1))
print("fibonacci(15) = \(unsafe fibonacci(15))")
tracer.flush()
print("without a hook: \(buffer.statistics.first?.durations.count ?? 0) calls ran")

buffer.removeAll()
let installed = try block.install(.memoizing(limits: MemoLimits(count: 50)))
let memo = installed.handle
print("fibonacci(90) = \(unsafe fibonacci(90))")
tracer.flush()
print("memoized: \(buffer.records.count) calls ran, \(memo.hits) were answered")

try memo.remove(arguments: [90])
print("fibonacci(90) = \(unsafe fibonacci(90))")
print("results kept: \(memo.count), evicted: \(memo.statistics.evictions)")
installed.hook.remove()
tracing.remove()
tracer.close()
