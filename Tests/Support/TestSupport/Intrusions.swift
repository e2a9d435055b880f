import XCTest

/// Checks that every use of a subject ends while intruders in it make any of the uses.
///
/// - Parameters:
///   - uses: The uses, each of which also runs once before, in this order: uses that free intruders
///     must come first. Errors are ignored.
///   - file: The file in which a failure is reported.
///   - line: The line there.
///   - make: Makes a new subject for each pair of uses.
/// - Returns: The operations in which intruders have run a use.
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
          // A use may make and free further intruders, so the number of their uses is limited.
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
