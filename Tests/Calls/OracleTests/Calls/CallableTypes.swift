import Invocations
import TypeEncodings

/// Which generated types the library passes and returns by value, and why it refuses the others.
struct CallableTypes {
  private(set) var arguments: [Int] = []
  private(set) var results: [Int] = []
  private(set) var scalars: Set<Int> = []

  /// Records that are larger take no other way than those of this size.
  private static let sizeLimit = 200

  init(_ program: CProgram, _ rows: [LayoutLibrary.Row], _ report: inout OracleReport) {
    for (index, row) in rows.enumerated()
    where row.size <= Self.sizeLimit && program.types[index].isPassedByValue {
      if Self.isAccepted("v" + row.encoding, row, "as argument", &report) {
        arguments.append(index)
        if case .scalar = program.types[index] { scalars.insert(index) }
      }
      if Self.isAccepted(row.encoding, row, "as result", &report) { results.append(index) }
    }
  }

  private static func isAccepted(
    _ encoding: String, _ row: LayoutLibrary.Row, _ place: String, _ report: inout OracleReport
  ) -> Bool {
    do throws(InvocationError) {
      let interface = try CallInterface.of(encoding)
      let memory = unsafe CallMemory.allocate(interface)
      defer { unsafe memory.deallocate() }
      if interface.signature.arguments.isEmpty {
        _ = unsafe try memory.resultSlot().value()
      } else {
        _ = unsafe try memory.argumentSlot(0).value()
      }
      return true
    } catch {
      report.addRefusal(
        "\(place), \(error.code.rawValue): \(reason(error.message))", of: row.encoding)
      return false
    }
  }

  /// The message without the encodings that it quotes.
  private static func reason(_ message: String) -> String {
    let words = message.split(separator: " ").filter { word in
      !word.contains { "{}()[]^".contains($0) } || word.hasPrefix("(")
    }
    let start = words.firstIndex { ["is", "has", "the", "an"].contains($0) } ?? 0
    return words[start...].joined(separator: " ")
  }
}
