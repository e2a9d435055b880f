// The attributes with which libdispatch creates queues. The program need not have libdispatch.
#pragma once

// The attribute of concurrent queues; NULL without libdispatch.
const void *_Nullable cbr_concurrent_attribute(void);
