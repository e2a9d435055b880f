// Swift closures as SQLite's callbacks: SQL functions, a collation, rows, and what is changed.
import BlockRuntime

/// What a closure keeps, to see when SQLite lets go of it.
final class Rates: Sendable {
  let name: String
  let percent: Double

  init(_ name: String, percent: Double) { (self.name, self.percent) = (name, percent) }

  deinit { print("  \(name) freed") }
}

// In functions of their own: the closures alone keep the rates.
func makePrice(_ name: String, percent: Double) throws -> Block {
  let rates = Rates(name, percent: percent)
  let price: @convention(block) (Double, Int32) -> Double = { price, count in
    price * Double(count) * (1 - rates.percent / 100)
  }
  return try Block(price)
}

func addCollation(to database: Database) throws {
  let rates = Rates("collation", percent: 0)
  try database.collate("BY_LENGTH") { left, right in
    withExtendedLifetime(rates) { Int32(left.count - right.count) }
  }
}

func useDatabase() throws {
  let database = try Database()
  try database.onUpdate { change, table, row in print("  \(change) \(table) \(row)") }
  try database.execute(
    """
    CREATE TABLE book (title TEXT, price REAL, count INTEGER);
    INSERT INTO book VALUES ('Emma', 20, 2), ('Persuasion', 30, 1), ('Ulysses', 50, NULL);
    UPDATE book SET price = 10 WHERE title = 'Emma';
    """)

  // A block is an SQL function by its signature, and a hook prints its calls.
  do {
    let price = try makePrice("summer", percent: 50)
    try database.define("price", as: price)
    try price.hook(.after) { print("  price(\($0.arguments)) = \($0.resultText ?? "?")") }
    try database.execute("SELECT title, price(price, count) FROM book") { print($0) }
  }

  // The old function is freed when another takes its place, the collation with the database.
  try database.define("price", as: makePrice("winter", percent: 10))
  try addCollation(to: database)
  let sorted = "SELECT title, price(price, 1) FROM book ORDER BY title COLLATE BY_LENGTH DESC"
  try database.execute(sorted) { print($0) }
  try database.execute("SELECT price('Emma', 1.5)")
}

do { try useDatabase() } catch { print(error) }
