import XCTest

/// Expects that every use of something ends while intruders that it frees or asks do any of the uses.
///
/// - Parameters:
///   - uses: What is done, all of it beforehand in this order: what frees comes first. What throws is done
///     as far as it goes.
///   - file: Where a failure is reported.
///   - line: Where a failure is reported.
///   - make: Makes what is used, anew for each pair of uses.
/// - Returns: On which occasions intruders did something.
@discardableResult
public func expectIntrudersMay<Subject: Sendable>(
  do uses: [(name: String, body: @Sendable (Subject) throws -> Void)],
  file: StaticString = #filePath,
  line: UInt = #line, with make: @escaping @Sendable () throws -> Subject
) -> Set<Intruder.Occasion> {
  var occasions: Set<Intruder.Occasion> = []
  for (name, use) in uses {
    for (what, intrude) in uses {
      let hasEnded = expectToEnd("\(name), with intruders that \(what),", file: file, line: line) {
        do {
          let subject = try make()
          for (_, prepare) in uses { try? prepare(subject) }
          // What they do may make others, which end when it is done: at some time they do nothing.
          var left = 20
          Intruder.acting(
            { _ in
              guard left > 0 else { return }
              left -= 1
              try? intrude(subject)
            }, while: { try? use(subject) })
        } catch { XCTFail("\(error)", file: file, line: line) }
      }
      guard hasEnded else { return occasions }
      occasions.formUnion(Intruder.occasions)
    }
  }
  return occasions
}
