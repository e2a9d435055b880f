import BlockRuntime

final class Address: KeyValueObservable {
  @Observed var city = "London"
}

final class Person: KeyValueObservable {
  @Observed var address = Address()
}

let ada = Person()
let observation = ada.observe(\.address.city, options: [.old, .new]) { _, change in
  print("moved from", change.old ?? "", "to", change.new ?? "")
}
ada.address.city = "Marlow"
ada.address = Address()
