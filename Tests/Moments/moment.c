// Preloaded, moves the calendar's clock by MOMENT_OFFSET_SECONDS; monotonic clocks stay.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset;

__attribute__((constructor)) static void read_offset(void) {
  const char *text = getenv("MOMENT_OFFSET_SECONDS");
  if (text) offset = atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
  int code = (int)syscall(SYS_clock_gettime, clock, moment);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    moment->tv_sec += offset;
  return code;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int code = clock_gettime(CLOCK_REALTIME, &now);
  moment->tv_sec = now.tv_sec;
  moment->tv_usec = now.tv_nsec / 1000;
  return code;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
