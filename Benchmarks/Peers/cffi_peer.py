"""cffi in its ABI mode: cffi_peer.py LIBRARY ROUNDS."""

import sys

from measuring import calls, measure

try:
    import cffi
except ImportError as error:
    sys.exit(f"python3 has no cffi: {error}")

interface = cffi.FFI()
interface.cdef("int32_t cbl_add(int32_t first, double second);")
library = interface.dlopen(sys.argv[1])
rounds = int(sys.argv[2])

measure("cffi.call", lambda count: calls(library.cbl_add, count), rounds)
