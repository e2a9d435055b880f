import TestSupport
import TypeEncodings
import XCTest

/// Generated types of C: what clang says of their layout, and what the library reads from
/// encodings.
final class LayoutOracleTests: XCTestCase {
  func testTheLayoutOfGeneratedTypesIsClangs() throws {
    let compiler = try Compiler()
    let start = ContinuousClock.now
    var report = OracleReport()
    for (count, seed) in OracleSettings.batches(of: OracleSettings.typeCount, limit: 500) {
      let program = CProgram(count: count, seed: seed, sizeLimit: 200)
      for row in try LayoutLibrary(program, compiler: compiler).rows {
        Self.compare(row, seed: seed, &report)
      }
    }
    report.print(
      "layout oracle: seed \(OracleSettings.seed), \(OracleSettings.typeCount) types, "
        + "\(ContinuousClock.now - start)")
    XCTAssert(report.isClean, report.failure)
  }

  static func compare(_ row: LayoutLibrary.Row, seed: UInt64, _ report: inout OracleReport) {
    let told = "ORACLE_SEED=\(seed) \(row.declaration) \(row.encoding)"
    let layout: TypeLayout
    do throws(TypeEncodingError) {
      let encoding = try TypeEncoding(parsing: row.encoding)
      if encoding.description != row.encoding {
        report.addDifference("\(told): printed as \(encoding)")
      }
      // By itself, the layout counts all bit-fields as named.
      // An array is an argument in a record only.
      if row.hasUnnamedBits {
        let record = try MethodSignature(parsing: "v{?=\(row.encoding)}").callLayouts().arguments[0]
        layout = record.fields[0].layout ?? record
      } else {
        layout = try encoding.layout()
      }
    } catch {
      return report.addRefusal(error.code.rawValue, of: row.encoding)
    }
    // Without the names, the size is known up to the words that are passed.
    let unit = row.hasUnnamedBits ? 8 : 1
    if layout.size > row.size || (layout.size + unit - 1) / unit != (row.size + unit - 1) / unit {
      report.addDifference("\(told): size \(layout.size), clang \(row.size)")
    }
    // Below 8 bytes the alignment makes no difference to a call.
    let least = row.hasUnnamedBits ? 8 : 1
    if max(layout.alignment, least) != max(row.alignment, least) {
      report.addDifference("\(told): alignment \(layout.alignment), clang \(row.alignment)")
    }
    let places = layout.places
    if places.count != row.places.count {
      report.addDifference("\(told): \(places.count) members, clang \(row.places.count)")
    }
    for (index, (ours, clangs)) in zip(places, row.places).enumerated()
    where clangs != nil && ours != nil && clangs != ours {
      report.addDifference("\(told): member \(index) at bit \(ours ?? -1), clang \(clangs ?? -1)")
    }
  }
}

extension TypeLayout {
  /// The first bit of each member, nested ones behind the record they belong to; nil for those that
  /// the encoding does not settle.
  var places: [Int?] { places(from: 0) }

  private func places(from start: Int?) -> [Int?] {
    fields.flatMap { field in
      let start = field.isSettled ? start : nil
      if let bitOffset = field.bitOffset { return [start.map { $0 + bitOffset }] }
      let place = start.map { $0 + field.offset * 8 }
      return [place] + (field.layout?.places(from: place) ?? [])
    }
  }
}
