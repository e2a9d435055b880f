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
    settings.functions = ["getaddrinfo=i*r*r^v^^v", "f=v{P=ii}"]
    settings.images = ["lib*.so", "[ab]=*"]
    settings.excludedImages = ["libc.so.6"]
    settings.symbols = ["closure #* in é"]
    settings.excludedSymbols = ["?"]
    settings.signatures = ["v@?*"]
    settings.queues = ["com.example.*", ""]
    XCTAssertEqual(TraceSettings(settings.text), settings)
  }

  func testWhatIsNotUnderstoodIsNoSettings() {
    for text in [
      "", "directory=", "capacity=1", "directory=/tmp\nnew=1", "directory=/\ncapacity=x",
      "directory=/\ncallers=",
    ] {
      XCTAssertNil(TraceSettings(text), text)
    }
  }
}
