import InMemoryTracing
import Tracing

/// The spans of all requests, as trees, and what is wrong with them.
struct SpanReport {
  private let spans: [FinishedInMemorySpan]
  private let children: [String: [FinishedInMemorySpan]]

  init(_ spans: [FinishedInMemorySpan]) {
    self.spans = spans
    children = Dictionary(grouping: spans) { $0.parentSpanID ?? "" }
  }

  var count: Int { spans.count }

  private var roots: [FinishedInMemorySpan] { children[""] ?? [] }

  /// The tree of one request.
  var firstTree: String { roots.first.map { tree($0, "") } ?? "no spans" }

  private func tree(_ span: FinishedInMemorySpan, _ indentation: String) -> String {
    let queue =
      if case .string(let label)? = span.attributes["blockruntime.queue"]?.toSpanAttribute() {
        " on \(label)"
      } else {
        ""
      }
    let below = (children[span.spanID] ?? []).map { "\n" + tree($0, indentation + "  ") }
    return "\(indentation)\(span.operationName)\(queue)" + below.joined()
  }

  /// The differences from what the server's code says: each request has a block on the database's queue, which has
  /// a query and a block on the log's queue.
  func faults(requestCount: Int) -> [String] {
    var faults: [String] = []
    if roots.count != requestCount {
      faults.append("\(roots.count) spans have no parent, of \(requestCount) requests")
    }
    let expected = """
      /orders/{order}
        price › closure #1 › closure #1 on database
          SELECT price
          price › closure #1 › closure #1 › closure #2 on log
      """
    if Set(spans.map(\.traceID)).count != requestCount {
      faults.append("not each request has one trace")
    }
    for root in roots {
      let found = tree(root, "")
      if found != expected { faults.append("a request has the spans\n\(found)") }
    }
    return faults
  }
}
