// A program that knows nothing of this library, to be traced from outside:
//   swift build --package-path Examples --product SlowDownload
//   Scripts/demo trace --summary -- Examples/.build/debug/SlowDownload
// URLSession downloads a text from a server, in the same program, which takes a second to answer.
import Dispatch
import Foundation
import Glibc

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Listens on a free port of this machine.
func openPort() -> (socket: Int32, port: UInt16) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  // SAFETY: the address is a local one, of that length, and is not kept.
  unsafe withUnsafeMutableBytes(of: &address) { bytes in
    guard let start = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return }
    _ = unsafe bind(listener, start, length)
    _ = listen(listener, 1)
    _ = unsafe getsockname(listener, start, &length)
  }
  return (listener, UInt16(bigEndian: address.sin_port))
}

/// Answers one request, late.
func answer(_ listener: Int32) {
  let connection = accept(listener, nil, nil)
  sleep(1)
  let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
  // SAFETY: the text has as many bytes.
  _ = unsafe write(connection, text, text.utf8.count)
}

let (listener, port) = openPort()
Thread { answer(listener) }.start()
let done = DispatchSemaphore(value: 0)
let url = URL(string: "http://127.0.0.1:\(port)/")
if let url {
  URLSession.shared.dataTask(with: url) { data, _, _ in
    print(data.map { String(decoding: $0, as: UTF8.self) } ?? "no answer")
    done.signal()
  }.resume()
  done.wait()
}
