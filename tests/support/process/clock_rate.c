/* Preloaded into a process, makes its monotonic clock and its timers run at CLOCK_RATE times their
 * speed. For tests of what happens when two machines' clocks do not run alike. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_settime)(int, int, const struct itimerspec *, struct itimerspec *);
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);
static double rate = 1;
static double start;

static double seconds(const struct timespec *t) { return (double)t->tv_sec + (double)t->tv_nsec / 1e9; }

static struct timespec timespec_of(double s) {
    struct timespec t = {(time_t)s, 0};
    t.tv_nsec = (long)((s - (double)t.tv_sec) * 1e9);
    return t;
}

__attribute__((constructor)) static void begin(void) {
    if (real_gettime) return;
    *(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **)&real_settime = dlsym(RTLD_NEXT, "timerfd_settime");
    *(void **)&real_epoll_wait = dlsym(RTLD_NEXT, "epoll_wait");
    const char *text = getenv("CLOCK_RATE");
    if (text) rate = atof(text);
    struct timespec now;
    real_gettime(CLOCK_MONOTONIC, &now);
    start = seconds(&now);
}

int clock_gettime(clockid_t clock, struct timespec *into) {
    begin();
    const int result = real_gettime(clock, into);
    if (result == 0 && clock == CLOCK_MONOTONIC) {
        *into = timespec_of(start + (seconds(into) - start) * rate);
    }
    return result;
}

/* Times from now are shorter on a faster clock; a moment is turned back into the real clock's. */
int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old) {
    begin();
    struct itimerspec scaled = *value;
    const double s = seconds(&value->it_value);
    if (s > 0) {
        scaled.it_value = timespec_of(flags & TFD_TIMER_ABSTIME ? start + (s - start) / rate : s / rate);
        if (scaled.it_value.tv_sec == 0 && scaled.it_value.tv_nsec == 0) scaled.it_value.tv_nsec = 1;
    }
    return real_settime(fd, flags, &scaled, old);
}

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms) {
    begin();
    return real_epoll_wait(fd, events, count, timeout_ms > 0 ? (int)(timeout_ms / rate) : timeout_ms);
}
