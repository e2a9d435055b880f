import KeyValueObserving

/// A class with a link, an optional, and computed properties.
class Person: KeyValueObservable {
  @Observed var name: String
  @Observed var nickname: String?
  @Observed var age = 0
  @Observed var address: Address?
  @Observed var friend: Person?

  var greeting: String { "Hello, \(nickname ?? name)" }
  var sameAge: Int { age }
  var mirror: Person { self }
  var letterhead: String { "\(greeting) of \(address?.city ?? "nowhere")" }

  init(_ name: String = "", in city: String? = nil) {
    self.name = name
    address = city.map(Address.init)
  }
}

class Student: Person {
  @Observed var school = ""
}

final class Address: KeyValueObservable {
  @Observed var city: String
  @Observed var streets: [String] = []

  var sortedStreets: [String] { streets.sorted() }
  var ways: [String] { streets }

  init(_ city: String) { self.city = city }
}

/// A class that tells of its changes manually.
class Account: KeyValueObservable {
  private var amount = 0

  var balance: Int {
    get {
      willRead(\.balance)
      return amount
    }
    set { withChange(of: \.balance) { amount = newValue } }
  }

  @ManuallyObserved var owner = ""
}

final class SavingsAccount: Account {}

/// A node of a list.
final class Node: KeyValueObservable {
  @Observed var next: Node?
  @Observed var value: Int
  @Observed var extra: Int?

  init(_ value: Int = 0, _ next: Node? = nil) {
    self.value = value
    self.next = next
  }
}

/// A class with collections.
final class Team: KeyValueObservable {
  @Observed var members: [Person] = []
  @Observed var scores: [Int] = []
  @Observed var tags: Set<String> = []
  @Observed var results: [String: Int] = [:]

  var count: Int { scores.count }
  var totalAge: Int { members.reduce(0) { $0 + $1.age } }
}
