import KeyValueObserving
import TestSupport
import XCTest

final class CollectionOperatorTests: XCTestCase {
  func testOperatorsAndKeysOfMembers() throws {
    let shelf = Shelf([Member("Ada", 36, height: 1.5), Member("Eve", 20), Member("Ada", 40)])
    shelf.maybe = [shelf.members[0], nil]
    shelf.offices = [Office("Rome", shelf.members), Office("Oslo")]
    shelf.named = ["first": shelf.members[0], "second": shelf.members[1]]
    shelf.tags = ["b", "a"]
    shelf.numbered = [3: "c", 4: "d"]
    let table: [(String, String)] = [
      ("members.@count", "3"), ("members.@count.self", "3"), ("tags.@count", "2"),
      ("named.@count", "2"), ("shelves.@count", "0"),
      ("members.@sum.age", "96"), ("members.@avg.age", "32.0"), ("members.@min.name", "Ada"),
      ("members.@max.age", "40"), ("members.@max.age.self", "40"), ("tags.@min", "a"),
      ("named.@sum.age", "56"), ("named.first.age", "36"), ("numbered.@max.self", "d"),
      ("members.@sum.height", "1.5"), ("members.@avg.height", "0.5"),
      ("members.@min.height", "1.5"), ("maybe.@sum.age", "36"), ("maybe.@avg.age", "18.0"),
      ("maybe.@count", "2"), ("maybe.@max.age", "36"),
      ("shelves.@sum.total", "0"), ("shelves.@avg.total", "0.0"), ("shelves.@max.total", "nil"),
      ("members.name", #"[Optional("Ada"), Optional("Eve"), Optional("Ada")]"#),
      ("maybe.name", #"[Optional("Ada"), nil]"#), ("shelves.members.name", "[]"),
      ("members.@unionOfObjects.name", #"["Ada", "Eve", "Ada"]"#),
      ("members.@distinctUnionOfObjects.name", #"["Ada", "Eve"]"#),
      ("members.@unionOfObjects.height", "[1.5]"),
      ("offices.members.@count", "2"), ("offices.members.@count.self", "2"),
      ("offices.members.name.@count", "2"), ("shelves.shelves.@count", "0"),
      ("offices.@sum.members.@count", "3"), ("offices.@max.members.@sum.age", "96"),
      ("shelves.@distinctUnionOfObjects", "[]"), ("total", "96"),
    ]
    for (path, expected) in table {
      XCTAssertEqual(text(try shelf.value(forKeyPath: path)), expected, path)
    }
    shelf.maybe = shelf.members + shelf.members
    XCTAssertEqual(
      (try shelf.value(forKeyPath: "maybe.@distinctUnionOfObjects") as? [Any])?.count, 3)
  }

  func testTheElementsOfCollectionsOfCollections() throws {
    let (ada, eve, ann) = (Member("Ada", 36), Member("Eve", 20), Member("Ada", 40))
    let shelf = Shelf()
    shelf.offices = [Office("Rome", [ada, eve]), Office("Oslo"), Office("Bonn", [eve, ann])]
    let (first, second) = (Shelf(values: [1, nil, 2]), Shelf(values: [2, "a"]))
    (first.tags, second.tags) = (["a", "b"], ["b", "c"])
    first.numbered = [3: "c"]
    shelf.shelves = [first, second]
    let table: [(String, String)] = [
      ("offices.@unionOfArrays.members.name", #"["Ada", "Eve", "Eve", "Ada"]"#),
      ("offices.@distinctUnionOfArrays.members.name", #"["Ada", "Eve"]"#),
      ("offices.members.@unionOfArrays.name", #"["Ada", "Eve", "Eve", "Ada"]"#),
      ("offices.members.@distinctUnionOfArrays.age", "[36, 20, 40]"),
      ("offices.members.@unionOfArrays.height", "[]"),
      ("shelves.@unionOfArrays.values", #"[1, 2, 2, "a"]"#),
      ("shelves.@distinctUnionOfArrays.values", #"[1, 2, "a"]"#),
      ("shelves.@unionOfArrays.numbered", #"["c"]"#),
      ("offices.@unionOfArrays.members.@count", "typeMismatch"),
      ("offices.@unionOfArrays.city", "typeMismatch"), ("named.@unionOfArrays", "[]"),
    ]
    for (path, expected) in table {
      var result: String
      do throws(KeyValueError) { result = text(try shelf.value(forKeyPath: path)) } catch {
        result = error.code.rawValue
      }
      XCTAssertEqual(result, expected, path)
    }
    let members = try shelf.value(forKeyPath: "offices.@distinctUnionOfArrays.members") as? [Any]
    XCTAssertEqual(
      members?.map { ObjectIdentifier($0 as AnyObject) },
      [ada, eve, ann].map(ObjectIdentifier.init))
    for name in ["unionOfSets", "distinctUnionOfSets"] {
      XCTAssertEqual(
        try shelf.value(forKeyPath: "shelves.@\(name).tags") as? Set<AnyHashable>, ["a", "b", "c"])
      XCTAssertEqual(
        try shelf.value(forKeyPath: "shelves.tags.@\(name)") as? Set<AnyHashable>, ["a", "b", "c"])
      expectError(.typeMismatch, "use @distinctUnionOfArrays") {
        _ = try shelf.value(forKeyPath: "offices.@\(name).members")
      }
    }
  }

  /// As in GNUstep, which has no array of counts.
  func testAnOperatorAfterKeysOfMembersTakesTheirValues() throws {
    let root = Shelf()
    root.shelves = [Shelf(), Shelf(), Shelf()]
    root.shelves[1].shelves = [Shelf(), Shelf()]
    XCTAssertEqual(try root.value(forKeyPath: "shelves.shelves.@count") as? Int, 3)
  }

  func testNumbersOfManyTypes() {
    let table: [([Any?], sum: String, avg: String, min: String, max: String)] = [
      ([], "0", "0.0", "nil", "nil"), ([nil, nil], "0", "0.0", "nil", "nil"),
      ([3, 1, 2], "6", "2.0", "1", "3"),
      ([1.5, nil, 2.5], "4.0", "1.3333333333333333", "1.5", "2.5"),
      ([1, 2.5], "3.5", "1.75", "typeMismatch", "typeMismatch"),
      ([UInt8(200), UInt8(100)], "300", "150.0", "100", "200"),
      ([Float(0.5), Int16(2)], "2.5", "1.25", "typeMismatch", "typeMismatch"),
      ([true, false, true], "2", "0.6666666666666666", "typeMismatch", "typeMismatch"),
      ([Int.max, 1], "overflow", "4.611686018427388e+18", "1", "\(Int.max)"),
      ([Int.max, 1, -1], "\(Int.max)", "3.0744573456182584e+18", "-1", "\(Int.max)"),
      ([UInt64.max], "overflow", "1.8446744073709552e+19", "\(UInt64.max)", "\(UInt64.max)"),
      ([UInt128.max], "overflow", "3.402823669209385e+38", "\(UInt128.max)", "\(UInt128.max)"),
      (
        [Int128.max, Int128.max, 0.5], "3.402823669209385e+38", "1.1342745564031281e+38",
        "typeMismatch", "typeMismatch"
      ),
      (["b", "a"], "typeMismatch", "typeMismatch", "a", "b"),
      (["b", 1], "typeMismatch", "typeMismatch", "typeMismatch", "typeMismatch"),
      ([Point()], "typeMismatch", "typeMismatch", "typeMismatch", "typeMismatch"),
      ([[1, 2]], "typeMismatch", "typeMismatch", "typeMismatch", "typeMismatch"),
    ]
    for (values, sum, avg, min, max) in table {
      let shelf = Shelf(values: values)
      for (name, expected) in [("sum", sum), ("avg", avg), ("min", min), ("max", max)] {
        for path in ["values.@\(name)", "values.@\(name).self"] {
          let result: String
          do throws(KeyValueError) {
            result = text(try shelf.value(forKeyPath: path))
          } catch {
            XCTAssertEqual(error.position, 7)
            result = error.code.rawValue
          }
          XCTAssertEqual(result, expected, "\(path) of \(values)")
        }
      }
    }
  }

  func testDistinctValuesAreComparedAsTheyAre() throws {
    let shelf = Shelf(values: ["a", 1, nil, "a", [1], [1], 1])
    XCTAssertEqual(
      text(try shelf.value(forKeyPath: "values.@distinctUnionOfObjects")), #"["a", 1, [1]]"#)
    shelf.values = [Point()]
    expectError(.typeMismatch) { _ = try shelf.value(forKeyPath: "values.@distinctUnionOfObjects") }
  }
}
