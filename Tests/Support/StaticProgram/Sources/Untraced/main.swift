import Dispatch

DispatchQueue.global().sync { print("a program without the tracer") }
