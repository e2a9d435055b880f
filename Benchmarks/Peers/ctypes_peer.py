"""CPython's ctypes: ctypes_peer.py LIBRARY ROUNDS."""

import ctypes
import sys

from measuring import calls, measure

library = ctypes.CDLL(sys.argv[1])
rounds = int(sys.argv[2])

library.cbl_add.restype = ctypes.c_int32
library.cbl_add.argtypes = [ctypes.c_int32, ctypes.c_double]
library.cbl_call_add.restype = ctypes.c_int64
library.cbl_call_add.argtypes = [ctypes.c_void_p, ctypes.c_int64]

callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.c_double)(
    lambda first, second: first + int(second)
)
address = ctypes.cast(callback, ctypes.c_void_p)

measure("ctypes.call", lambda count: calls(library.cbl_add, count), rounds)
measure("ctypes.callback", lambda count: library.cbl_call_add(address, count), rounds)
