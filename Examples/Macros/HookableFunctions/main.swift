// Hooks of the ordinary calls of a function, and of a structure's method.
import MessageMacros

@Hookable func parse(_ text: String) -> Int { text.count }

struct Account {
  var balance = 0
  @Hookable mutating func pay(_ amount: Int) { balance += amount }
}

let longer = try $parse.hook { original, text in try original(text + "!") }
let answers = try $parse.hook(.after) { call in
  print("answered", try call.result(as: Int.self), "to", try call.argument(2, as: String.self))
}
print(parse("four"))
longer.remove()
print(parse("four"))

// The value is in an object, because the method changes it.
let fee = try Account.$pay.hook { original, account, amount in
  try original(account, amount * 2)
  account.value.balance -= 1
}
var account = Account()
account.pay(5)
print(account.balance)
