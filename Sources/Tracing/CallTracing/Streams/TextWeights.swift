/// What descriptions take of the reader's memory: the bytes of their texts, and of those that they
/// refer to.
///
/// Values are weighed with their descriptions: a program may describe a queue anew before each use,
/// and what is forgotten of a table stays in memory as long as a value refers to it.
extension TraceStreamFormat {
  /// What a value takes of the reader's limits, which are numbers of values with short texts.
  static func weight(ofTexts bytes: Int) -> Int { 1 + bytes / 512 }

  /// What a value with some texts takes of the reader's limits.
  static func weight(of texts: String?...) -> Int {
    weight(ofTexts: texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
  }
}

extension TracedQueue {
  var textBytes: Int { label.utf8.count + (target?.utf8.count ?? 0) }
}

extension TraceCaller {
  var textBytes: Int { (name?.utf8.count ?? 0) + (image?.utf8.count ?? 0) }
}

extension [TraceCaller] {
  var textBytes: Int { reduce(0) { $0 + $1.textBytes } }
}

extension TraceSubmission {
  var textBytes: Int { (queue?.textBytes ?? 0) + callers.textBytes }
}

extension TraceObstacle {
  var textBytes: Int { longest.textBytes + (submission?.textBytes ?? 0) }
}

extension TracedTask {
  var textBytes: Int { (name?.utf8.count ?? 0) + creators.textBytes }
}

extension TraceTexts {
  var textBytes: Int {
    (arguments ?? []).reduce((result?.utf8.count ?? 0) + (error?.utf8.count ?? 0)) {
      $0 + $1.utf8.count
    }
  }
}

extension TraceDispatch {
  var textBytes: Int {
    let sent = submission?.textBytes ?? callers.textBytes
    return sent + (queue?.textBytes ?? 0) + (obstacle?.textBytes ?? 0) + (task?.textBytes ?? 0)
  }
}
