import Dispatch

@inline(never) func boom(_ a: [Int], _ i: Int) -> Int { a[i] }
DispatchQueue.global().async { print(boom([1, 2, 3], 7)) }
DispatchSemaphore(value: 0).wait()
