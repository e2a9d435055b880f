// Messages as objects: recorded, sent to others, sent later, and undone.
import BlockRuntime

final class Account: TypedMessageReceiver, @unchecked Sendable {  // of one thread
  let name: String
  var balance = 0

  init(_ name: String) { self.name = name }

  func deposit(_ amount: Int, _ purpose: String) -> Int {
    balance += amount
    print("\(name): \(amount) for \(purpose), \(balance) in all")
    return balance
  }

  // The attribute `@Messages` of the product `MessageMacros` writes these two.
  struct Messages: MessageNames {
    var deposit: TypedSelector2<Account, Int, String, Int> { .init("deposit:for:") }
  }
  static var methods: MethodTable {
    MethodTable(Account.self) { Method("deposit:for:", Account.deposit) }
  }
}

let (ada, bo) = (Account("Ada"), Account("Bo"))

// The next message is not sent, but becomes an invocation, with its arguments checked.
let gift = try ada.record(\.deposit, 10, "a gift")
print("recorded:", gift.selector?.name ?? "", try gift.argument(2, as: Int.self))

// It is sent any number of times, to anybody who has the method; arguments can be changed.
try gift.send(to: ada)
try gift.send(to: bo)
try gift.setArgument(2, -4)
try gift.setArgument(3, "a book")
try gift.send(to: bo)
print("answered:", try gift.result(as: Int.self))

// Later, unless it is cancelled: here on a clock that the program moves.
let clock = ManualClock()
let timer = DelayTimer(clock: clock)
let rent = try ada.perform(\.deposit, -5, "the rent", after: .seconds(60), timer: timer)
try ada.perform(\.deposit, -1, "a coffee", after: .seconds(30), timer: timer)
print("cancelled in time:", rent.cancel())
clock.advance(by: .seconds(60))

// By its name, a message is checked when it is sent.
do {
  try bo.send("deposit:to:", 1, "nobody")
} catch {
  print(error)
}
