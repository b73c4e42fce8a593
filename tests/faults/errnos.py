"""With which errnos a call may fail, and single faults of a run."""

import errno
import typing

ALLOCATIONS = ["malloc", "calloc", "realloc"]
# Not ENOENT: the kernel does not say it of what exists, and what is gone has no value left.
ERRNOS = {**dict.fromkeys(["open", "openat"], ["EACCES", "EMFILE", "ENFILE", "EROFS"]),
          **dict.fromkeys(["fopen", "opendir"], ["EACCES", "EMFILE"]),
          "syscall-298": ["EACCES", "EMFILE", "ENOENT"],  # perf_event_open
          "syscall-321": ["E2BIG", "EINVAL", "ENOMEM", "EPERM"],  # bpf
          "syscall-437": ["EACCES", "EMFILE", "ENFILE", "ENOMEM", "EPERM"],  # openat2
          "getdents64": ["EIO", "ENOMEM"],
          **dict.fromkeys(["stat", "lstat", "fstat", "fstatat", "access", "readlink", "readlinkat"], ["EACCES", "EIO"]),
          **dict.fromkeys(["fstatfs", "fstatvfs", "statfs64"], ["EIO"]),
          **dict.fromkeys(["read", "pread", "pread64"], ["EINTR", "EIO", "ENODEV", "ESRCH"]),
          "write": ["EBUSY", "EINTR", "EINVAL", "EIO", "ENODEV", "ENOSPC", "EPERM", "EROFS"],
          "pwrite": ["EBUSY", "EINVAL", "EIO"], "fsync": ["EIO"], "ftruncate": ["EIO"], "rename": ["EIO", "ENOSPC", "EROFS"],
          **dict.fromkeys(["mkdir", "mkdirat"], ["EACCES", "ENOSPC", "EROFS"]),
          **dict.fromkeys(["unlink", "unlinkat", "rmdir"], ["EACCES", "EBUSY"]), "flock": ["ENOLCK"],
          **dict.fromkeys(["chmod", "fchmod", "chown"], ["EPERM", "EROFS"]),
          "mmap": ["ENOMEM", "EPERM"], "fcntl": ["EMFILE"], "ioctl": ["EINVAL", "ENOMEM"],
          "inotify_init1": ["EMFILE"], "inotify_add_watch": ["ENOSPC"], "epoll_create1": ["EMFILE"],
          "fanotify_init": ["EMFILE", "EPERM"], "fanotify_mark": ["EINVAL", "ENOSPC"],
          "epoll_ctl": ["ENOMEM", "ENOSPC"], "epoll_wait": ["EINTR", "EINVAL"],
          **dict.fromkeys(["poll", "ppoll"], ["EINTR", "ENOMEM"]),
          "timerfd_create": ["EMFILE"], "timerfd_settime": ["EINVAL"], "signalfd": ["EMFILE"],
          "eventfd": ["EMFILE"], "socket": ["EMFILE", "ENFILE"], "socketpair": ["EMFILE"],
          "bind": ["EACCES", "EADDRINUSE"], "listen": ["EADDRINUSE"], "accept4": ["ECONNABORTED", "EMFILE"],
          "connect": ["EADDRNOTAVAIL", "ECONNREFUSED", "ENETUNREACH"], "getaddrinfo": ["EMFILE"],
          **dict.fromkeys(["getsockname", "getpeername", "getsockopt", "setsockopt"], ["ENOBUFS"]),
          **dict.fromkeys(["recv", "recvfrom", "recvmsg"], ["ECONNRESET", "EINTR", "ENOBUFS"]),
          **dict.fromkeys(["send", "sendmsg", "sendto"], ["EINTR", "ENOBUFS", "EPIPE"]), "pthread_create": ["EAGAIN"],
          "kill": ["EPERM", "ESRCH"], "setns": ["EPERM"], "sched_setscheduler": ["EPERM"],
          **dict.fromkeys(ALLOCATIONS, ["ENOMEM"])}
ONCE_ONLY = ["EINTR"]  # the kernel does not interrupt every call
OTHERS = ["EMFILE", "EPERM", "ENOMEM"]  # of syscall(2)


class Fault(typing.NamedTuple):
    call: str
    site: str
    error: str
    once: bool

    def environment(self, number):
        """For fail.c. `number`: 0, or 1 for a fault that begins after the other one."""
        which = str(number + 1) if number else ""
        out = {f"FAULT_SITE{which}": self.site, f"FAULT_ERRNO{which}": str(getattr(errno, self.error))}
        return {**out, f"FAULT_ONCE{which}": "1"} if self.once else out

    def __str__(self):
        return f"{self.call} {self.site} {self.error}{' once' if self.once else ''}"

    @classmethod
    def parse(cls, text):
        call, site, error, *once = text.split()
        return cls(call, site, error, once == ["once"])


def faults_of(sites):
    """Each call site with each of its errnos, once and, where that may be, for ever. `sites`: (site, call)."""
    return [Fault(call, site, error, once) for site, call in sites for error in ERRNOS.get(call, OTHERS) for once in (True, False)
            if once or not (error in ONCE_ONLY or call in ALLOCATIONS)]
