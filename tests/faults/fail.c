// Preloaded into the program: counts its system calls by call site, or lets those of one site fail.
// FAULT_LOG: a file that gets a line "SITE CALL" for each site when it is first reached (of a fault: from its
// first failure on), and "hit FRAMES" when a fault is first met. FAULT_SITE, FAULT_ERRNO: the site that
// fails, and how; FAULT_ONCE: only its first call does. FAULT_SITE2, FAULT_ERRNO2, FAULT_ONCE2: a second one,
// which fails only after the first one has. FAULT_ALLOCATIONS: only allocations count, instead of all other
// calls. A site is the chain of return addresses within the program; the addresses must not be randomized
// (setarch -R). Of an allocation only the nearest ones count: the same line of a library is reached from many
// places.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <unistd.h>

enum { DEPTH = 10, ALLOCATION_DEPTH = 5, SITES = 1 << 16 };

// Not allocated when it is first used: malloc itself asks for it.
static __thread __attribute__((tls_model("initial-exec"))) int busy;
static uint64_t seen[SITES];
static int failed[2];

static long raw(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

static void note(const char* line) {
  const char* path = getenv("FAULT_LOG");
  if (path == NULL) return;
  const long file = raw(SYS_open, (long)path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  raw(SYS_write, file, (long)line, (long)strlen(line));
  raw(SYS_close, file, 0, 0);
}

/// Where the failing call is, for addr2line. One line, whatever other threads note.
static void note_hit(void* const* frames, int count) {
  char line[(DEPTH + 2) * 20];
  size_t size = (size_t)snprintf(line, sizeof line, "hit");
  for (int i = 2; i < count; ++i) size += (size_t)snprintf(line + size, sizeof line - size, " %p", frames[i]);
  snprintf(line + size, sizeof line - size, "\n");
  note(line);
}

static uint64_t site_of(void* const* frames, int count, const char* call) {
  uint64_t hash = 1469598103934665603ULL;
  for (const char* c = call; *c; ++c) hash = (hash ^ (uint64_t)*c) * 1099511628211ULL;
  for (int i = 2; i < count; ++i) hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211ULL;
  return hash;
}

static void note_site(uint64_t site, const char* call) {
  uint64_t* slot = &seen[site % SITES];
  if (*slot == site) return;
  *slot = site;
  char line[64];
  snprintf(line, sizeof line, "%016llx %s\n", (unsigned long long)site, call);
  note(line);
}

/// The errno with which this fault lets the site fail; 0: it does not.
static int error_of(int fault, uint64_t site, void* const* frames, int count) {
  static const char* const names[2][3] = {{"FAULT_SITE", "FAULT_ERRNO", "FAULT_ONCE"},
                                          {"FAULT_SITE2", "FAULT_ERRNO2", "FAULT_ONCE2"}};
  const char* chosen = getenv(names[fault][0]);
  if (chosen == NULL || strtoull(chosen, NULL, 16) != site) return 0;
  if (failed[fault] && getenv(names[fault][2]) != NULL) return 0;
  if (!failed[fault]) note_hit(frames, count);
  failed[fault] = 1;
  return atoi(getenv(names[fault][1]));
}

/// Whether this call is to fail; errno is set.
static __attribute__((noinline)) int fails_at(const char* call, int depth) {
  if (busy) return 0;
  busy = 1;
  const int before = errno;
  void* frames[DEPTH + 2];
  const int count = backtrace(frames, depth + 2);
  const uint64_t site = site_of(frames, count, call);
  const int second = failed[0];  // not within the very call that was the first failure
  int error = error_of(0, site, frames, count);
  if (error == 0 && second) error = error_of(1, site, frames, count);
  if (getenv("FAULT_SITE") == NULL || second) note_site(site, call);
  busy = 0;
  errno = error != 0 ? error : before;
  return error != 0;
}

#define INLINE static inline __attribute__((always_inline))
INLINE int allocations(void) { return getenv("FAULT_ALLOCATIONS") != NULL; }
INLINE int fails(const char* call) { return !allocations() && fails_at(call, DEPTH); }
INLINE int is_out_of_memory(const char* call) { return allocations() && fails_at(call, ALLOCATION_DEPTH); }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ONE(type, name, parameters, arguments)       \
  type name parameters {                             \
    static __typeof__(&name) real;                   \
    if (real == NULL) real = REAL(name);             \
    return fails(#name) ? (type)-1 : real arguments; \
  }

#define POINTER(type, name, parameters, arguments) \
  type name parameters {                           \
    static __typeof__(&name) real;                 \
    if (real == NULL) real = REAL(name);           \
    return fails(#name) ? NULL : real arguments;   \
  }
// What libraries with 64-bit offsets call, which is the same here.
#define SAME(name, other) extern __typeof__(other) name __attribute__((alias(#other)))

int openat(int at, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails("openat") ? -1 : REAL(openat)(at, path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return fails("open") ? -1 : REAL(open)(path, flags, mode);
}
SAME(openat64, openat);
SAME(open64, open);
// What glibc's headers make of openat with flags that the compiler does not know.
int __openat_2(int at, const char* path, int flags) {
  return fails("openat") ? -1 : REAL(openat)(at, path, flags);
}
ONE(ssize_t, getdents64, (int fd, void* to, size_t size), (fd, to, size))
ONE(int, stat, (const char* path, struct stat* to), (path, to))
ONE(int, lstat, (const char* path, struct stat* to), (path, to))
ONE(int, fstat, (int fd, struct stat* to), (fd, to))
ONE(int, fstatat, (int at, const char* path, struct stat* to, int flags), (at, path, to, flags))
ONE(int, fstatfs, (int fd, struct statfs* to), (fd, to))
ONE(ssize_t, read, (int fd, void* to, size_t size), (fd, to, size))
ONE(ssize_t, pread, (int fd, void* to, size_t size, off_t at), (fd, to, size, at))
ONE(ssize_t, pread64, (int fd, void* to, size_t size, off64_t at), (fd, to, size, at))
// Whether a disk may take a part of a text. The kernel's own files take it as a whole or not at all.
static int may_take_a_part(int fd) {
  struct stat status;
  struct statfs system;
  if (raw(SYS_fstat, fd, (long)&status, 0) != 0 || !S_ISREG(status.st_mode)) return 0;
  if (raw(SYS_fstatfs, fd, (long)&system, 0) != 0) return 0;
  return system.f_type != CGROUP_SUPER_MAGIC && system.f_type != CGROUP2_SUPER_MAGIC &&
         system.f_type != PROC_SUPER_MAGIC && system.f_type != SYSFS_MAGIC;
}
// A full disk takes a half.
ssize_t write(int fd, const void* from, size_t size) {
  if (!fails("write")) return REAL(write)(fd, from, size);
  if (errno == ENOSPC && size > 1 && may_take_a_part(fd))
    return raw(SYS_write, fd, (long)from, (long)(size / 2));
  return -1;
}
ONE(ssize_t, pwrite, (int fd, const void* from, size_t size, off_t at), (fd, from, size, at))
ONE(int, fsync, (int fd), (fd))
ONE(int, ftruncate, (int fd, off_t size), (fd, size))
ONE(int, rename, (const char* from, const char* to), (from, to))
ONE(int, unlink, (const char* path), (path))
ONE(int, unlinkat, (int at, const char* path, int flags), (at, path, flags))
ONE(int, mkdir, (const char* path, mode_t mode), (path, mode))
ONE(int, mkdirat, (int at, const char* path, mode_t mode), (at, path, mode))
ONE(int, rmdir, (const char* path), (path))
ONE(int, flock, (int fd, int how), (fd, how))
ONE(int, access, (const char* path, int how), (path, how))
ONE(ssize_t, readlink, (const char* path, char* to, size_t size), (path, to, size))
ONE(ssize_t, readlinkat, (int at, const char* path, char* to, size_t size), (at, path, to, size))
ONE(int, chmod, (const char* path, mode_t mode), (path, mode))
ONE(int, fchmod, (int fd, mode_t mode), (fd, mode))
ONE(int, chown, (const char* path, uid_t user, gid_t group), (path, user, group))
ONE(int, fstatvfs, (int fd, struct statvfs* to), (fd, to))
ONE(int, statfs64, (const char* path, struct statfs64* to), (path, to))
POINTER(FILE*, fopen, (const char* path, const char* how), (path, how))
SAME(fopen64, fopen);
POINTER(DIR*, opendir, (const char* path), (path))
ONE(void*, mmap, (void* at, size_t size, int may, int flags, int fd, off_t offset),
    (at, size, may, flags, fd, offset))
SAME(mmap64, mmap);
// Only a copy needs a free number.
int fcntl(int fd, int what, ...) {
  va_list list;
  va_start(list, what);
  const long argument = va_arg(list, long);
  va_end(list);
  return (what == F_DUPFD || what == F_DUPFD_CLOEXEC) && fails("fcntl") ? -1
                                                                        : REAL(fcntl)(fd, what, argument);
}
SAME(fcntl64, fcntl);
int ioctl(int fd, unsigned long what, ...) {
  va_list list;
  va_start(list, what);
  void* argument = va_arg(list, void*);
  va_end(list);
  return fails("ioctl") ? -1 : REAL(ioctl)(fd, what, argument);
}
ONE(int, fanotify_init, (unsigned flags, unsigned how), (flags, how))
ONE(int, fanotify_mark, (int fd, unsigned flags, uint64_t mask, int at, const char* path),
    (fd, flags, mask, at, path))
ONE(int, kill, (pid_t process, int signal), (process, signal))
ONE(int, setns, (int fd, int kind), (fd, kind))
ONE(int, sched_setscheduler, (pid_t process, int policy, const struct sched_param* to), (process, policy, to))
ONE(int, inotify_init1, (int flags), (flags))
ONE(int, inotify_add_watch, (int fd, const char* path, uint32_t mask), (fd, path, mask))
ONE(int, epoll_create1, (int flags), (flags))
// Only an addition needs memory.
int epoll_ctl(int epoll, int what, int fd, struct epoll_event* event) {
  return what == EPOLL_CTL_ADD && fails("epoll_ctl") ? -1 : REAL(epoll_ctl)(epoll, what, fd, event);
}
ONE(int, epoll_wait, (int epoll, struct epoll_event* events, int most, int timeout),
    (epoll, events, most, timeout))
ONE(int, poll, (struct pollfd * all, nfds_t count, int timeout), (all, count, timeout))
ONE(int, ppoll, (struct pollfd * all, nfds_t count, const struct timespec* timeout, const sigset_t* mask),
    (all, count, timeout, mask))
ONE(int, timerfd_create, (int clock, int flags), (clock, flags))
ONE(int, timerfd_settime, (int fd, int flags, const struct itimerspec* to, struct itimerspec* from),
    (fd, flags, to, from))
ONE(int, signalfd, (int fd, const sigset_t* signals, int flags), (fd, signals, flags))
ONE(int, eventfd, (unsigned start, int flags), (start, flags))
ONE(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
ONE(int, bind, (int fd, const struct sockaddr* to, socklen_t size), (fd, to, size))
ONE(int, listen, (int fd, int backlog), (fd, backlog))
ONE(int, accept4, (int fd, struct sockaddr* from, socklen_t* size, int flags), (fd, from, size, flags))
ONE(int, socketpair, (int domain, int type, int protocol, int fds[2]), (domain, type, protocol, fds))
ONE(int, connect, (int fd, const struct sockaddr* to, socklen_t size), (fd, to, size))
ONE(int, getsockname, (int fd, struct sockaddr* to, socklen_t* size), (fd, to, size))
ONE(int, getpeername, (int fd, struct sockaddr* to, socklen_t* size), (fd, to, size))
ONE(int, getsockopt, (int fd, int level, int name, void* to, socklen_t* size), (fd, level, name, to, size))
ONE(int, setsockopt, (int fd, int level, int name, const void* from, socklen_t size),
    (fd, level, name, from, size))
int getaddrinfo(const char* host, const char* service, const struct addrinfo* hints, struct addrinfo** to) {
  return fails("getaddrinfo") ? EAI_SYSTEM : REAL(getaddrinfo)(host, service, hints, to);
}
ONE(ssize_t, recvmsg, (int fd, struct msghdr* message, int flags), (fd, message, flags))
ONE(ssize_t, recvfrom, (int fd, void* to, size_t size, int flags, struct sockaddr* who, socklen_t* length),
    (fd, to, size, flags, who, length))
ONE(ssize_t, sendto,
    (int fd, const void* from, size_t size, int flags, const struct sockaddr* to, socklen_t length),
    (fd, from, size, flags, to, length))
ONE(ssize_t, recv, (int fd, void* to, size_t size, int flags), (fd, to, size, flags))
ONE(ssize_t, send, (int fd, const void* from, size_t size, int flags), (fd, from, size, flags))
ONE(ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags), (fd, message, flags))
int pthread_create(pthread_t* id, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  return fails("pthread_create") ? errno : REAL(pthread_create)(id, attributes, run, argument);
}
long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  char name[32];
  snprintf(name, sizeof name, "syscall-%ld", number);
  // A wait for another thread does not fail.
  return number != SYS_futex && fails(name) ? -1 : REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// Not by dlsym, which allocates.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* malloc(size_t size) { return is_out_of_memory("malloc") ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return is_out_of_memory("calloc") ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return is_out_of_memory("realloc") ? NULL : __libc_realloc(old, size);
}
