import KeyValueObserving

/// A class with a link, an optional, and a computed property.
class Person: KeyValueObservable {
  @Observed var name: String
  @Observed var nickname: String?
  @Observed var age = 0
  @Observed var address: Address?
  @Observed var friend: Person?

  var greeting: String { "Hello, \(nickname ?? name)" }

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

  init(_ city: String) { self.city = city }
}
