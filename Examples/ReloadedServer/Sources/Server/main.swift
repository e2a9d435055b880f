// A line is a request, and each connection has its own cart. Run it by
//   Scripts/demo reload --package Examples/ReloadedServer -- Server
// connect with `nc localhost 8080`, and change the bodies in Shop.swift.
import Foundation
import Glibc
import Shop

signal(SIGPIPE, SIG_IGN)
let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
var address = sockaddr_in()
address.sin_family = sa_family_t(AF_INET)
address.sin_port = UInt16(CommandLine.arguments.dropFirst().first ?? "8080")?.bigEndian ?? 0
address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
var length = socklen_t(MemoryLayout.size(ofValue: address))
let isListening = withUnsafeMutablePointer(to: &address) { pointer in
  pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
    bind(listener, $0, length) == 0 && listen(listener, 8) == 0
      && getsockname(listener, $0, &length) == 0
  }
}
guard isListening else {
  perror("no server")
  exit(1)
}
print("listening on port", UInt16(bigEndian: address.sin_port))
fflush(nil)

while case let connection = accept(listener, nil, nil), connection >= 0 {
  Thread.detachNewThread {
    var shop = Shop()
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    guard let stream = fdopen(connection, "r+") else { return }
    defer {
      fclose(stream)
      free(line)
    }
    while getline(&line, &capacity, stream) > 0, let line {
      let request = String(cString: line).trimmingCharacters(in: .whitespacesAndNewlines)
      fputs(shop.answer(request) + "\n", stream)
      fflush(stream)
    }
  }
}
