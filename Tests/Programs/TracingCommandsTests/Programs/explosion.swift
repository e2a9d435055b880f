import Dispatch
import Foundation

let g = DispatchGroup()
let lock = DispatchSemaphore(value: 0)
@inline(never) func fetchAvatar(_ i: Int) { usleep(300_000) }
for i in 0..<100 { DispatchQueue.global().async(group: g) { fetchAvatar(i) } }
g.wait(); print("done")
