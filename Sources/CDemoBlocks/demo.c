#include "CDemoBlocks.h"
