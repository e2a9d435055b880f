import Dispatch

let a = DispatchQueue(label: "com.example.accounts"),
  b = DispatchQueue(label: "com.example.billing")
let ra = DispatchSemaphore(value: 0), rb = DispatchSemaphore(value: 0)
@inline(never) func updateAccount() {
  a.sync {
    ra.signal(); rb.wait(); b.sync { print("a then b") }
  }
}
@inline(never) func sendBill() {
  b.sync {
    rb.signal(); ra.wait(); a.sync { print("b then a") }
  }
}
let g = DispatchGroup()
DispatchQueue.global().async(group: g) { updateAccount() }
DispatchQueue.global().async(group: g) { sendBill() }
g.wait()
