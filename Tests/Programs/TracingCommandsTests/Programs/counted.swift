import Dispatch
import Synchronization

// A program that counts the calls of its functions itself. A function that the optimizer would leave out has
// no other effect.
let own = Mutex<[String: Int]>([:])

func count(_ name: String) { own.withLock { $0[name, default: 0] += 1 } }

func plain(_ number: Int) -> Int {
  count("plain")
  return number &* 7
}

func recursive(_ depth: Int) -> Int {
  count("recursive")
  return depth == 0 ? 0 : 1 + recursive(depth - 1)
}

struct Failed: Error { let number: Int }

func throwing(_ number: Int) throws -> Int {
  count("throwing")
  guard number % 2 == 0 else { throw Failed(number: number) }
  return number
}

func typed(_ number: Int) throws(Failed) -> Int {
  count("typed")
  guard number % 3 == 0 else { throw Failed(number: number) }
  return number
}

func generic<Value: CustomStringConvertible>(_ value: Value) -> [Value] {
  count("generic")
  return [value]
}

// Arguments in all registers and on the stack, and results in memory and in registers.
struct Large { var words = (1, 2.5, 3, 4, 5.5, 6, 7, "eight") }

func large(
  _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, _ g: Int, _ h: Int, _ i: Double,
  _ j: Double, _ k: Double, _ l: Double, _ m: Double, _ n: Double, _ o: Double, _ p: Double,
  _ q: Double, _ r: String
) -> Large {
  count("large")
  let sum = a + b + c + d + e + f + g + h
  return Large(words: (sum, i + j + k + l, 3, 4, m + n + o + p + q, 6, 7, r))
}

func four(_ number: Int) -> (Int, Double, Int, Double) {
  count("four")
  return (number, Double(number), number + 1, Double(number) / 2)
}

func words(_ number: Int) throws -> (Int, Int, Int, Int) {
  count("words")
  return (number, number + 1, number + 2, number + 3)
}

func doubles(_ number: Double) -> (Double, Double, Double, Double) {
  count("doubles")
  return (number, number + 1, number + 2, number + 3)
}

struct Shelf {
  private var stored = 1
  var content: Int {
    get { stored }
    _modify {
      count("Shelf.content.modify")
      yield &stored
    }
  }
}

class Animal {
  let name: String
  init(_ name: String) {
    count("Animal.init")
    self.name = name
  }
  func sound() -> String {
    count("Animal.sound")
    return name
  }
  final func last() -> Int {
    count("Animal.last")
    return secret()
  }
  private func secret() -> Int {
    count("Animal.secret")
    return name.count
  }
  static func make(_ name: String) -> Animal {
    count("Animal.make")
    return Dog(name)
  }
  var twice: String {
    count("Animal.twice.getter")
    return name + name
  }
}

final class Dog: Animal {
  override func sound() -> String {
    count("Dog.sound")
    return super.sound() + "!"
  }
}

struct Cart {
  var items = 0
  mutating func add(_ number: Int) {
    count("Cart.add")
    items += number
  }
}

extension Int {
  func halved() -> Int {
    count("Int.halved")
    return self / 2
  }
}

protocol Shape {}
extension Shape {
  func area() -> Int {
    count("Shape.area")
    return 3
  }
}
struct Square: Shape {}

actor Desk {
  func serve(_ number: Int) -> Int {
    count("Desk.serve")
    return number
  }
}

func later(_ number: Int) async -> Int {
  count("later")
  await Task.yield()
  return number
}

func passing(_ numbers: [Int]) -> [Int] {
  count("passing")
  return numbers.map { plain($0) }
}

@main struct Program {
  static func main() async {
    var results: [String] = []
    DispatchQueue.concurrentPerform(iterations: 2000) { number in
      _ = plain(number)
      _ = try? throwing(number)
    }
    results.append("\(recursive(100)) \(passing([1, 2, 3]))")
    for number in 0..<10 { if let typed = try? typed(number) { results.append("\(typed)") } }
    results.append("\(generic(1)) \(generic("one")) \(four(5))")
    results.append("\(large(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, "text").words)")
    if let words = try? words(1) { results.append("\(words) \(doubles(1))") }
    var shelf = Shelf()
    shelf.content += 4
    results.append("\(shelf.content)")
    let animal = Animal.make("dog")
    results.append("\(animal.sound()) \(animal.last()) \(animal.twice)")
    var cart = Cart()
    for number in 0..<5 { cart.add(number) }
    results.append("\(cart.items) \(9.halved()) \(Square().area())")
    let desk = Desk()
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<50 { group.addTask { await later(number) + (await desk.serve(number)) } }
      results.append("\(await group.reduce(0, +))")
    }
    print(results.joined(separator: "\n"))
    for (name, calls) in own.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      print("\(name)=\(calls)")
    }
  }
}
