import BlockRuntime

print("hook-demo")
