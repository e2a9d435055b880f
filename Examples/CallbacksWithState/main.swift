// C callbacks without room for a context: a Swift closure with captures is one anyway.
import BlockRuntime
import Glibc
import Synchronization

// SAFETY, for the whole file: the callbacks have the signatures that C's headers give them, and C
// calls them only while the function runs that they are passed to.

typealias Comparison = @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Int32

// qsort sorts numbers by the cities that they stand for: the closure captures their names.
let names = ["Oslo", "Rome", "Bern", "Lima", "Cairo"]
let calls = Atomic(0)
let byName = try FunctionPointer(signature: "i^v^v") { [names] call in
  calls.add(1, ordering: .relaxed)
  let left = unsafe try call.argument(0, as: UnsafePointer<Int>.self).pointee
  let right = unsafe try call.argument(1, as: UnsafePointer<Int>.self).pointee
  try call.setResult(Int32(names[left] < names[right] ? -1 : names[left] == names[right] ? 0 : 1))
}
var order = Array(names.indices)
let size = MemoryLayout<Int>.stride
try unsafe qsort(&order, order.count, size, byName.value(as: Comparison.self))
print("sorted:", order.map { names[$0] }.joined(separator: ", "))
print("compared:", calls.load(ordering: .relaxed) > 0)

// bsearch by the same order.
var rome = 1
if let found = try unsafe bsearch(
  &rome, order, order.count, size, byName.value(as: Comparison.self))
{
  print("Rome stands for", unsafe found.load(as: Int.self))
}

// nftw walks a tree. Swift does not import its callback: it is called by its signature.
var template = Array("/tmp/callbacks-XXXXXX".utf8CString)
guard let folder = unsafe mkdtemp(&template).map({ unsafe String(cString: $0) }) else { exit(1) }
for (name, text) in [("one", "1"), ("three", "333"), ("five", "55555")] {
  guard let file = unsafe fopen("\(folder)/\(name)", "w") else { exit(1) }
  unsafe fputs(text, file)
  unsafe fclose(file)
}

let walk = unsafe try CFunction(symbol: "nftw", signature: "ir*^?ii")
let bytes = Mutex<[String: Int]>([:])
let measure = try FunctionPointer(signature: "ir*^vi^v") { [folder] call in
  let path = try call.argument(0, as: String.self)
  let status = unsafe try call.argument(1, as: UnsafeRawPointer.self).load(as: stat.self)
  guard path != folder else { return }
  bytes.withLock { $0[String(path.dropFirst(folder.count + 1))] = Int(status.st_size) }
}
print("walked:", try walk(folder, measure, 8, 0, returning: Int32.self))
print("sizes:", bytes.withLock { $0 }.sorted { $0.value < $1.value }.map { "\($0) \($1)" })

// Files before their folder, from the leaves up: what a recursive removal needs.
let depthFirst: Int32 = 8
let remove = try FunctionPointer(signature: "ir*^vi^v") { call in
  try call.setResult(unsafe Glibc.remove(call.argument(0, as: String.self)))
}
print("removed:", try walk(folder, remove, 8, depthFirst, returning: Int32.self) == 0)
