"""What debuggers show of blocks, hooks and invocations: see Debugging.md.

The modules here read memory and nothing else, so they serve processes and core files alike.
`blockruntime_gdb.py` and `blockruntime_lldb.py` beside this folder make commands of them.
"""
