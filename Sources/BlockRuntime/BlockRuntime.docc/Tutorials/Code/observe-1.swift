import BlockRuntime

final class Address: KeyValueObservable {
  @Observed var city = "London"
}

let home = Address()
let observation = home.observe(\.city, options: [.old, .new]) { _, change in
  print("moved from", change.old ?? "", "to", change.new ?? "")
}
home.city = "Marlow"
