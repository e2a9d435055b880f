// A server whose requests are spans, with the blocks that it sends to queues as spans below them: neither
// handlers nor queues know of spans.
import Dispatch
import Glibc
import Hummingbird
import HummingbirdTesting
import InMemoryTracing
import SymbolInterposing
import TraceSpans
import Tracing

let requestCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100

let tracer = InMemoryTracer()
InstrumentationSystem.bootstrap(tracer)

// The two lines that a server needs: every block of its own code is a span, and its parent is the span in
// which it was sent.
var ownBlocks = BlockFilter()
ownBlocks.symbols = ["*TracedServer*"]
let spans = try EveryBlock(matching: ownBlocks).install(.span())
let carrying = try EverySubmission.carryServiceContext()

let database = DispatchQueue(label: "database")
let log = DispatchQueue(label: "log")

/// The price of an order, read on the database's queue, and noted on another.
func price(of order: Int) async -> Int {
  await withCheckedContinuation { continuation in
    database.async {
      let price = tracer.withSpan("SELECT price") { _ in order * 10 }
      let noted = DispatchWorkItem { continuation.resume(returning: price) }
      log.async(execute: noted)
    }
  }
}

let router = Router()
router.add(middleware: TracingMiddleware())
router.get("/orders/:order") { _, context in
  let order = try context.parameters.require("order", as: Int.self)
  return "\(await price(of: order))"
}

try await Application(router: router).test(.live) { client in
  try await withThrowingTaskGroup(of: Void.self) { group in
    for order in 0..<requestCount {
      group.addTask {
        try await client.execute(uri: "/orders/\(order)", method: .get) { response in
          precondition(String(buffer: response.body) == "\(order * 10)")
        }
      }
    }
    try await group.waitForAll()
  }
}
// The last block may still be running that answered a request.
spans.removeAndWait()
carrying.remove()

let report = SpanReport(tracer.finishedSpans)
print(report.firstTree)
let faults = report.faults(requestCount: requestCount)
for fault in faults { print("fault:", fault) }
print("\(requestCount) requests, \(report.count) spans, \(faults.count) faults")
exit(faults.isEmpty ? 0 : 1)
