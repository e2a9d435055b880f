// A script uses an object of Swift's, answers its messages, and gives results in parts.
import BlockRuntime
import ScriptBridge

/// A page that scripts use: its messages and its keys are what its class lists.
final class Page: MessageReceiver, KeyValueCoding, @unchecked Sendable {  // of one thread at a time
  @Observed var title = "untitled"

  func load(_ address: String, _ attempts: Int) throws -> String {
    "\(address), loaded \(attempts == 1 ? "at once" : "in \(attempts) attempts")"
  }

  static var methods: MethodTable {
    MethodTable(Page.self) { Method("load:attempts:", Page.load) }
  }
  static var keys: KeyTable { ["title": \Page.title] }
}

let page = Page()
let bridge = ScriptBridge(timeout: .seconds(60))
bridge.export(page, as: "page")
let observation = page.observe(\.title) { page, _ in print("  title:", page.title) }

// `load:attempts:` is the function `loadAttempts`, the key a property; both answer at once.
try await bridge.load(
  """
  var page = bridge.object("page");
  bridge.handle("visit", function (addresses, answer) {
    for (var index = 0; index < addresses.length; index++) {
      page.title = addresses[index];
      answer.part(page.loadAttempts(addresses[index], index + 1));
    }
    answer(null, "that was all");
  });
  """)
for try await part in bridge.results(of: "visit", ["a.example", "b.example"]) { print(part) }

// A function of the script's in the place of a method: the method may be called twice, or not at all.
let hook = try await bridge.replaceMethod(
  Page.target("load:attempts:"),
  by: """
    function (original, page, address, attempts) {
      if (address === "") throw new Error("there is no address");
      return original() + "; " + original("mirror." + address, attempts + 1) + " as " + page.title;
    }
    """)
print(try page.send("load:attempts:", "c.example", 1, returning: String.self))
do { try page.send("load:attempts:", "", 1) } catch { print(error.underlyingError ?? error) }
hook.remove()
print(try page.send("load:attempts:", "c.example", 1, returning: String.self))
observation.remove()
