#define _GNU_SOURCE
#include "CProcess.h"

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>

int cprocess_start_writing(int descriptor, long long offset, long long count) {
  return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
}

int cprocess_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
#endif
