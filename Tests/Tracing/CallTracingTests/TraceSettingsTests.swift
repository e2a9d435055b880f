import BlockHooks
import CallTracing
import XCTest

final class TraceSettingsTests: XCTestCase {
  func testSettingsArriveAsTheyWereSent() {
    var settings = TraceSettings(directory: "/tmp/a=b c")
    XCTAssertEqual(TraceSettings(settings.text), settings)
    settings.capacity = 4096
    settings.followsPrograms = false
    settings.callerCount = 32
    settings.recordsValues = false
    settings.tracesLoops = true
    settings.functions = ["getaddrinfo=i*r*r^v^^v", "f=v{P=ii}"]
    settings.images = ["lib*.so", "[ab]=*"]
    settings.excludedImages = ["libc.so.6"]
    settings.symbols = ["closure #* in é"]
    settings.excludedSymbols = ["?"]
    settings.signatures = ["v@?*"]
    settings.queues = ["com.example.*", ""]
    for choice: InjectedFault.Choice in [.all, .nth(3), .every(.max), .share(0.1)] {
      settings.fault = InjectedFault(
        error: 28, delay: 200_000_000, choice, title: "ENOSPC after 1, 2 or 3 s")
      XCTAssertEqual(TraceSettings(settings.text), settings)
      settings.fault?.error = nil
      XCTAssertEqual(TraceSettings(settings.text), settings)
    }
  }

  func testWhatIsNotUnderstoodIsNoSettings() {
    for text in [
      "", "directory=", "capacity=1", "directory=/tmp\nnew=1", "directory=/\ncapacity=x",
      "directory=/\ncallers=", "directory=/\nfault=1,2,some,3,x",
      "directory=/\nfault=1,2,nth,0.5,x",
      "directory=/\nfault=", "directory=/\nfault=1,-2,all,0,x",
    ] {
      XCTAssertNil(TraceSettings(text), text)
    }
  }
}
