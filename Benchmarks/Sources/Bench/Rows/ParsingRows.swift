import BlockRuntime
import Measuring

/// Signatures out of their type encodings.
enum ParsingRows {
  private static let encoding = "v40@?0{P=dd}8r*24@32"

  static var all: [Row] {
    [
      row("parse.signature") { try MethodSignature(parsing: encoding).arguments.count },
      row("parse.signature.cached") { try CallInterface.of(encoding).argumentCount },
      row("parse.declaration") {
        try MethodSignature(declaration: "void *bsearch(const void *, const void *, size_t)")
          .arguments.count + 1
      },
    ]
  }

  private static func row(_ name: String, _ count: @escaping () throws -> Int) -> Row {
    Row(name, baseline: "call.direct", expected: { $0 * 4 }) {
      { iterations in
        var sum = 0
        for _ in 0..<iterations { sum += try count() }
        return sum
      }
    }
  }
}
