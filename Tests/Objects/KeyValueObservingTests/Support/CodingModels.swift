import KeyValueObserving

struct Point: Equatable {
  var x = 0.0
  var y = 0.0
}

/// A class that lists its keys, some of which cannot be used.
class Member: KeyValueCoding {
  @Observed var name: String
  @Observed var nickname: String?
  @Observed var age: Int
  @Observed var height: Double?
  @Observed var office: Office?
  @Observed var friend: Member?
  @Observed var origin = Point()
  @Observed var settings: [String: Any] = [:]
  @Observed var limits: [String: Int] = [:]
  @Observed var floors = [3]
  /// Changed manually, without an attribute.
  var mood = "calm"
  weak var boss: Member?
  let badge: Int??

  var title: String { "\(name), \(age)" }

  class var keys: KeyTable {
    [
      "name": \Member.name, "nickname": \Member.nickname, "age": \Member.age,
      "height": \Member.height, "office": \Member.office, "friend": \Member.friend,
      "origin": \Member.origin, "settings": \Member.settings, "limits": \Member.limits,
      "mood": \Member.mood, "boss": \Member.boss, "badge": \Member.badge, "title": \Member.title,
      "city": \Member.office?.city, "foreign": \Office.city, "me": \Member.self,
      "floors": \Member.floors, "twice": \Member.age, "twice": \Member.name,
      "größe": \Member.height,
    ]
  }

  init(_ name: String, _ age: Int = 0, height: Double? = nil, in city: String? = nil) {
    self.name = name
    self.age = age
    self.height = height
    badge = .some(.none)
    office = city.map { Office($0) }
  }
}

final class Manager: Member {
  @Observed var budget = 0
  override class var keys: KeyTable {
    super.keys + ["budget": \Manager.budget, "age": \Manager.budget]
  }
}

final class Office: KeyValueCoding {
  @Observed var city: String
  @Observed var zip: String?
  @Observed var floor = 0
  @Observed var members: [Member] = []

  static let keys: KeyTable = [
    "city": \Office.city, "zip": \Office.zip, "floor": \Office.floor, "members": \Office.members,
  ]

  init(_ city: String = "", _ members: [Member] = []) {
    self.city = city
    self.members = members
  }
}

/// A class with collections of many kinds.
final class Shelf: KeyValueCoding {
  @Observed var members: [Member] = []
  @Observed var maybe: [Member?] = []
  @Observed var offices: [Office] = []
  @Observed var named: [String: Member] = [:]
  @Observed var values: [Any?] = []
  @Observed var tags: Set<String> = []
  @Observed var numbered: [Int: String] = [:]
  @Observed var shelves: [Shelf] = []

  var total: Int? { try? value(forKeyPath: "members.@sum.age") as? Int }

  var moods: [Any]? {
    try? value(forKeyPath: "members.@distinctUnionOfObjects.mood") as? [Any]
  }

  static let keys: KeyTable = [
    "members": \Shelf.members, "maybe": \Shelf.maybe, "offices": \Shelf.offices,
    "named": \Shelf.named, "values": \Shelf.values, "tags": \Shelf.tags,
    "numbered": \Shelf.numbered, "shelves": \Shelf.shelves, "total": \Shelf.total,
  ]

  init(_ members: [Member] = []) { self.members = members }

  init(values: [Any?]) { self.values = values }
}

/// An object that any thread may observe.
final class Gauge: KeyValueCoding, @unchecked Sendable {
  @Observed var level = 0
  static let keys: KeyTable = ["level": \Gauge.level]
}

/// A value as a text, in which doubly optional ones show.
func text(_ value: Any?) -> String {
  guard let value else { return "nil" }
  return Mirror(reflecting: value).displayStyle == .optional ? "optional \(value)" : "\(value)"
}
