// A form and its model, as in a port of an app: key-value observing, two ways, without a base class.
import BlockRuntime

/// The model.
final class Account: KeyValueObservable {
  @Observed var name = ""
  @Observed var password = ""
  @Observed var address: Address?

  /// Depends on what it reads.
  var isComplete: Bool { !name.isEmpty && password.count >= 4 && address != nil }
}

final class Address: KeyValueObservable {
  @Observed var city: String

  init(_ city: String) { self.city = city }
}

/// What the user sees: its observers end with it.
final class Form {
  private let account: Account

  init(_ account: Account) {
    self.account = account
    account.observe(\.isComplete, options: [.initial, .new, .distinct]) { _, change in
      print("  the button is \(change.new == true ? "enabled" : "disabled")")
    }.bind(to: self)
    account.observe(\.address?.city, options: [.old, .new]) { _, change in
      print("  the map moves from \(change.old ?? "nowhere") to \(change.new ?? "nowhere")")
    }.bind(to: self)
  }

  /// The user types: fields of the form set the model, and its observers hold their breath until all is set.
  func fillIn(name: String, password: String) {
    withChangeTransaction {
      account.name = name
      account.password = password
    }
  }

  deinit { print("the form is closed, observers: \(account.observations.count)") }
}

let account = Account()
var form: Form? = Form(account)

print("filled in")
form?.fillIn(name: "Ada", password: "1815")
print("address given")
account.address = Address("London")
print("moved")
account.address?.city = "Marlow"
print("password removed")
account.password = ""

form = nil
account.address = nil
print("observers: \(account.observations.count)")
