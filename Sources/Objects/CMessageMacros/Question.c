#include "CMMQuestion.h"

_Thread_local void *_Nullable cmm_thread_question;
