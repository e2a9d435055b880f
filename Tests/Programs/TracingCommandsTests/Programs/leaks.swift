import Foundation

// work items queued to a suspended queue, and asyncAfter far ahead: never run
let q = DispatchQueue(label: "com.example.paused"); q.suspend()
final class Big { var b = [UInt8](repeating: 0, count: 1 << 16) }
@inline(never) func schedule(_ i: Int) {
  let b = Big(); q.async { b.b[0] = 1 };
  DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { b.b[1] = 1 }
}
for i in 0..<300 { schedule(i) }
usleep(200_000); print("scheduled"); exit(0)
