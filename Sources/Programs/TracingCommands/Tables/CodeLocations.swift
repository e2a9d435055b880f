internal import BlockRuntimeThreads
import CallTracing
import SourceLocations

/// The files and lines where code was written, which are looked up when they are printed.
///
/// One symbolizer answers all questions. It is started by the first one, and ended by this object.
final class CodeLocations: Sendable {
  private enum Search {
    case notBegun
    case running(Symbolizer)
    /// The symbolizer is missing, or answers no more.
    case ended(SourceLocationError)
  }

  private struct State {
    var search = Search.notBegun
    var known: [CodePlace: SourceLocation?] = [:]
  }

  private let state = Locked(State())

  /// When the trace began, in nanoseconds since 1970.
  private let begin: UInt64

  /// How long the symbolizer may take in all, in seconds.
  private static let patience = 10

  /// Programs may have any amount of code.
  private static let limit = 1 << 16

  /// - Parameter begin: When the trace began, in nanoseconds since 1970.
  init(begin: UInt64) { self.begin = begin }

  /// Where code was written; nil if that is not known, or if the compiler made it.
  func find(_ code: CodePlace?) -> SourceLocation? {
    guard let code else { return nil }
    return state.withLock { state in
      if let known = state.known[code] { return known }
      let found = Self.ask(for: code, &state.search, since: begin)
      if state.known.count == Self.limit { state.known = [:] }
      state.known[code] = .some(found)
      return found
    }
  }

  private static func ask(
    for code: CodePlace, _ search: inout Search, since begin: UInt64
  ) -> SourceLocation? {
    do throws(SourceLocationError) {
      let symbolizer: Symbolizer
      switch search {
      case .notBegun: symbolizer = try Symbolizer(seconds: patience, unchangedSince: begin)
      case .running(let known): symbolizer = known
      case .ended: return nil
      }
      search = .running(symbolizer)
      return try location(of: code, by: symbolizer)
    } catch {
      search = .ended(error)
      return nil
    }
  }

  /// The outermost location that is not the compiler's, as the name is that of the function into
  /// which others were inlined; of a closure that is called by the compiler's code, the closure's.
  private static func location(
    of code: CodePlace, by symbolizer: Symbolizer
  ) throws(SourceLocationError) -> SourceLocation? {
    let locations = try symbolizer.locations(of: code)
    if let location = locations.last(where: { $0.line > 0 }) { return location }
    guard !locations.isEmpty else { return nil }
    for closure in code.closures() {
      let locations = try symbolizer.locations(of: closure)
      if let location = locations.last(where: { $0.line > 0 }) { return location }
    }
    return nil
  }

  /// The search for the files of a trace.
  var search: LocationSearch {
    { [self] code in find(code).map { (file: $0.file, line: $0.line) } }
  }

  /// The file and the line in parentheses, behind a name; empty if they are not known.
  func suffix(_ code: CodePlace?) -> String { find(code).map { " (\($0))" } ?? "" }

  /// Callers with their files and lines, the innermost first.
  func chain(_ callers: [TraceCaller]) -> String { callers.chain { self.suffix($0.place) } }

  /// Why names have no files and lines, or not all of them; nil if nothing was in the way.
  var remark: String? {
    guard case .ended(let error) = state.withLock({ $0.search }) else { return nil }
    return "no more files and lines: \(error.message)"
  }
}
