// The program of the README.
import MessageMacros
@Messages class Weather { func degrees(_ city: String) -> Double { 20 } }
try Weather.hook(\.degrees) { original, _, city in try original(city) + 1 }
print(try Weather().send(\.degrees, "Oslo"))
@Forwarding protocol Pages: AnyObject { func didLoad(_ count: Int) }
final class AllPages: PagesForwarding { let targets = Targets() }
let pages = AllPages()
pages.add { $0.didLoad = { print("the log saw", $0) } }
pages.didLoad(3)
