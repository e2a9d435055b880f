// On processors without plans of calls all calls go through libffi, and no registers are in memory.
#pragma once

#define CBR_MEMORY_RESULT_ADDRESS 0
#define CBR_MEMORY_FLOAT_SIZE 8
#define CBR_FLOAT_REGISTERS 0
#define CBR_MEMORY_RESULT 0
#define CBR_MEMORY_FLOAT_RESULT 0
#define CBR_MEMORY_STACK 16
#define CBR_RESULT_PLAIN 0
