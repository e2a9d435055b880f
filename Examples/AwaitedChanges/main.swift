// Changes as asynchronous sequences: a download and its progress.
import BlockRuntime

final class Download: KeyValueObservable, @unchecked Sendable {
  @Observed var bytes = 0
  @Observed var parts: [String] = []

  /// Receives a part. (A real one would have a lock, or be an actor's.)
  func receive(_ part: String) {
    bytes += part.utf8.count
    $parts.append(part)
  }
}

func follow(_ download: Download) async {
  // Gathers from now on; `coalesced` makes one change of all that came since the last was awaited.
  let total = download.changes(of: \.bytes, options: [.old, .new], buffering: .coalesced)
  let parts = download.changes(of: \.parts)
  var iterator = total.makeAsyncIterator()

  for part in ["The ", "quick ", "brown "] { download.receive(part) }
  if let change = await iterator.next() {
    print("bytes: \(change.old ?? 0) to \(change.new ?? 0)")
  }
  for part in ["fox ", "jumps"] { download.receive(part) }
  if let change = await iterator.next() {
    print("bytes: \(change.old ?? 0) to \(change.new ?? 0)")
  }

  // Each change of the parts has waited. The sequence ends with its observation, or with the object.
  parts.observation.remove()
  for await change in parts {
    print(
      "\(change.kind) at \(change.indexes?.ranges.first?.lowerBound ?? -1): \(change.new ?? [])")
  }
}

let download = Download()
await follow(download)
// Sequences that are dropped observe no longer.
print("observers: \(download.observations.count)")
