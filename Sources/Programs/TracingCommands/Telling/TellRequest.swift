/// What `hook-demo tell` asks of a trace.
struct TellRequest: Hashable {
  enum Verb: String, CaseIterable {
    case start, stop, report, unfinished
  }

  let verb: Verb

  /// Whether the answer is a JSON document.
  let isJSON: Bool

  /// The version of requests and answers: one of another version is refused.
  private static let version = "hook-demo 1"

  /// The request on one line.
  var line: String { "\(Self.version) \(verb.rawValue)\(isJSON ? " json" : "")\n" }

  init(_ verb: Verb, isJSON: Bool) { (self.verb, self.isJSON) = (verb, isJSON) }

  /// Reads a request; nil if it is of another version.
  init?(line: String) {
    let requests = Verb.allCases.flatMap { verb in
      [false, true].map { TellRequest(verb, isJSON: $0) }
    }
    guard let request = requests.first(where: { $0.line == line }) else { return nil }
    self = request
  }
}
