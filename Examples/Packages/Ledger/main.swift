// A program that knows nothing of this library, to be traced from outside:
//   swift build --package-path Examples/Packages --product Ledger
//   Scripts/demo trace --summary -q --sort wait -- Examples/Packages/.build/debug/Ledger
// Reads wait behind a long write, because a DatabaseQueue has one serial queue for both.
import Foundation
import GRDB

/// Enters a year's bookings in one transaction.
func importYear(_ ledger: DatabaseQueue) throws {
  try ledger.write { database in
    for day in 1...20_000 {
      try database.execute(sql: "INSERT INTO booking (amount) VALUES (?)", arguments: [day % 97])
    }
  }
}

/// Reads what a page of a program would show.
func showBalance(_ ledger: DatabaseQueue) throws -> Int {
  try ledger.read { database in
    try Int.fetchOne(database, sql: "SELECT total(amount) FROM booking") ?? 0
  }
}

let ledger = try DatabaseQueue()
try ledger.write { database in
  try database.execute(sql: "CREATE TABLE booking (amount INTEGER)")
}
let readers = DispatchGroup()
DispatchQueue.global().async(group: readers) { try? importYear(ledger) }
usleep(100_000)  // the import has begun
for _ in 0..<4 {
  DispatchQueue.global().async(group: readers) { _ = try? showBalance(ledger) }
}
readers.wait()
print("balance:", try showBalance(ledger))
