import Foundation

// An operation queue sends its next operation when one has ended, from where that was called.
let work = OperationQueue()
work.maxConcurrentOperationCount = 1
for _ in 0..<3 { work.addOperation { usleep(2000) } }
work.waitUntilAllOperationsAreFinished()
print("done")
