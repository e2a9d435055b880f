/// A submission whose block has not begun, or not for every call.
struct WaitingSubmission {
  let submission: TraceSubmission

  /// The number of the queue that the block was sent to; 0 if it is not known.
  let queue: UInt32

  /// The address of the block's code.
  let code: UInt64

  /// The head of the record of the submission.
  let head: TraceStreamFormat.Head

  /// How many records were missing when the block was sent.
  let gaps: UInt32

  /// The calls of the block that have not begun.
  var count: UInt32
}

/// The submissions of one block to one queue that wait, the oldest first.
///
/// Each operation takes the same time on average, however many wait.
struct WaitingSubmissions {
  private var entries: [WaitingSubmission] = []

  /// The index of the first one that waits.
  private var first = 0

  /// Whether the calls cannot be told apart until all have begun.
  private(set) var isAmbiguous = false

  var isEmpty: Bool { first == entries.count }

  var all: ArraySlice<WaitingSubmission> { entries[first...] }

  mutating func append(_ new: WaitingSubmission) {
    if isEmpty {
      isAmbiguous = false
    } else if !new.submission.way.isOrdered || !entries[first].submission.way.isOrdered {
      isAmbiguous = true
    }
    entries.append(new)
  }

  /// Removes those that were sent before a gap: they may have begun in it.
  ///
  /// - Returns: How many there were.
  mutating func removeLost(gaps: UInt32) -> Int {
    let start = first
    while first < entries.count, entries[first].gaps != gaps { first += 1 }
    defer { compact() }
    return first - start
  }

  /// Takes one call of the first one.
  ///
  /// - Returns: It; nil if none waits.
  mutating func begin() -> WaitingSubmission? {
    guard !isEmpty else { return nil }
    let found = entries[first]
    if found.count > 1 {
      entries[first].count -= 1
    } else {
      first += 1
      compact()
    }
    return found
  }

  private mutating func compact() {
    guard first >= 32, 2 * first >= entries.count else { return }
    entries.removeFirst(first)
    first = 0
  }
}
