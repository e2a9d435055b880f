import TypeEncodings
import XCTest

final class CompatibilityTests: XCTestCase {
  func testTypesAreCompatibleUpToWhatTheRuleIgnores() throws {
    let rows: [(own: String, other: String, areCompatible: Bool, line: UInt)] = [
      ("i", "i", true, #line), ("i", "l", true, #line), ("L", "I", true, #line),
      ("i", "q", false, #line), ("i", "I", false, #line), ("c", "B", false, #line),
      ("ri", "Vi", true, #line), ("r*", "*", true, #line), ("*", "^c", true, #line),
      ("*", "r^C", true, #line), ("*", "^v", true, #line), ("*", "^i", false, #line),
      ("^v", "^{P}", true, #line), ("^v", "^?", true, #line), ("^v", "@", true, #line),
      ("^v", "q", false, #line), ("^i", "^f", false, #line), ("^?", "^i", false, #line),
      ("^^i", "^^v", true, #line), ("@", "@\"NSString\"", true, #line),
      ("@\"A\"", "@\"B\"", true, #line), ("@", "#", false, #line), ("@", "@?", false, #line),
      ("@?", "@?<v@?i>", true, #line), ("@?<v@?i>", "@?<v16@?0i8>", true, #line),
      ("@?<v@?i>", "@?<v@?q>", false, #line), ("@?<v@?i>", "@?<v@?>", false, #line),
      ("@?<v@?@?<v@?i>>", "@?<v@?@?<v@?q>>", false, #line),
      ("{P=dd}", "{P=\"x\"d\"y\"d}", true, #line), ("{P=dd}", "{?=dd}", true, #line),
      ("{P=dd}", "{??=dd}", true, #line), ("{P=dd}", "{Q=dd}", false, #line),
      ("{P=dd}", "{P=ff}", false, #line), ("{P=dd}", "{P=ddd}", false, #line),
      ("{P=dd}", "(P=dd)", false, #line), ("^{P=dd}", "^{P}", true, #line),
      ("^{P}", "^{Q}", false, #line), ("^{P}", "^{?=i}", true, #line),
      ("{A=[4i]}", "{A={?=iiii}}", true, #line), ("{A=[4i]}", "{A=iiii}", true, #line),
      ("{A=c[4i]c}", "{A=c{?=llll}c}", true, #line), ("{A=c[2i]c}", "{A=ciic}", true, #line),
      ("{A=[4i]}", "{A=iii}", false, #line), ("{A=[4i]}", "{A={?=iii}}", false, #line),
      ("{A=[2[2i]]}", "{A={?={?=ii}{?=ii}}}", true, #line),
      ("{A=[3{P=dd}]}", "{A={P=dd}{P=dd}{P=dd}}", true, #line),
      ("{A=i[0q]}", "{A=i}", true, #line), ("{A=i[0q]}", "{A=i{?=}}", true, #line),
      ("[3i]", "[3i]", true, #line), ("[3i]", "[4i]", false, #line),
      ("(U=if)", "(U=if)", true, #line), ("jf", "jf", true, #line), ("jf", "jd", false, #line),
      ("b3", "b3", true, #line), ("b3", "b4", false, #line), ("b3", "b0i3", true, #line),
      ("b0l3", "b0i3", true, #line), ("b0i3", "b1i3", false, #line), ("?", "?", true, #line),
    ]
    for row in rows {
      let own = try TypeEncoding(parsing: row.own)
      let other = try TypeEncoding(parsing: row.other)
      let context = "\(row.own) and \(row.other)"
      XCTAssertEqual(own.isCompatible(with: other), row.areCompatible, context, line: row.line)
      XCTAssertEqual(other.isCompatible(with: own), row.areCompatible, context, line: row.line)
    }
  }

  func testADifferenceNamesThePositionAndBothTypes() throws {
    let hook = try MethodSignature(parsing: "v@?di{P=dd}")
    let block = try MethodSignature(parsing: "i32@?0d8q16^{P=dd}24")
    let differences = hook.differences(from: block)
    XCTAssertEqual(
      differences.map(\.description),
      [
        "result: hook returns v (Void), block returns i (Int32)",
        "argument 2: hook takes i (Int32), block gives q (Int64)",
        "argument 3: hook takes {P=dd} (struct P), block gives ^{P=dd} (pointer)",
      ])
    XCTAssertEqual(differences.map(\.position), [.result, .argument(2), .argument(3)])
    XCTAssertEqual(differences.last?.ours?.description, "{P=dd}")
    XCTAssertEqual(differences.last?.theirs?.description, "^{P=dd}")
  }

  func testADifferenceOfSignsSaysWhichSwiftTypesTellThemApart() throws {
    let hook = try MethodSignature(parsing: "qq")
    let declared = try MethodSignature(declaration: "size_t wcslen(size_t)")
    let remedy = ": write UInt for size_t and unsigned long, Int for ssize_t and long"
    XCTAssertEqual(
      hook.differences(from: declared, theirs: "function").map(\.description),
      [
        "result: hook returns q (Int64), function returns Q (UInt64)\(remedy)",
        "argument 0: hook takes q (Int64), function gives Q (UInt64)\(remedy)",
      ])
  }

  func testTheNumberOfArgumentsIsADifferenceOfItsOwnWithTheCallersNouns() throws {
    let own = try MethodSignature(parsing: "v@:@")
    let other = try MethodSignature(parsing: "v24@0:8")
    let differences = own.differences(from: other, ours: "delegate", theirs: "protocol")
    XCTAssertEqual(
      differences.map(\.description), ["argument count: delegate takes 3, protocol gives 2"])
    XCTAssertEqual(differences.map(\.position), [.argumentCount])
  }

  func testAnArrayArgumentIsThePointerToItsElement() throws {
    let own = try MethodSignature(parsing: "v@?^i")
    XCTAssertEqual(own.differences(from: try MethodSignature(parsing: "v16@?0[3i]8")), [])
    XCTAssertEqual(own.differences(from: try MethodSignature(parsing: "v16@?0[3d]8")).count, 1)
  }
}
