// lock order: three threads; a semaphore never signalled; pthread mutex deadlock (not dispatch)
import Foundation

let m1 = NSLock(), m2 = NSLock()
let g = DispatchGroup()
@inline(never) func one() { m1.lock(); usleep(50_000); m2.lock(); m2.unlock(); m1.unlock() }
@inline(never) func two() { m2.lock(); usleep(50_000); m1.lock(); m1.unlock(); m2.unlock() }
DispatchQueue.global().async(group: g) { one() }
DispatchQueue.global().async(group: g) { two() }
g.wait()
