// A program that knows nothing of this library, to be traced from outside:
//   swift build --package-path Examples/Packages --product Lookups
//   Scripts/demo trace --summary -q -- Examples/Packages/.build/debug/Lookups
// A server: each request for an item awaits two lookups. It ends with SIGTERM.
import Hummingbird

/// Takes as long as a query of a database on another machine.
func lookup(_ item: String) async -> Int {
  try? await Task.sleep(for: .milliseconds(3))
  return item.count
}

let router = Router()
router.get("/item/:id") { _, context -> String in
  let id = context.parameters.get("id") ?? ""
  async let price = lookup(id)
  async let stock = lookup(id + " in stock")
  return "\(await price + stock)\n"
}
let server = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8099)))
try await server.runService()
