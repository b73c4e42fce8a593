"""
Runs a program under a seccomp profile, compiled by libseccomp as container runtimes do it, and notes each call that the profile
refuses: the kernel asks this parent about it (seccomp_unotify(2)), who answers EPERM, as the profile would.
As a program, `confined.py PROFILE DESCRIPTOR COMMAND...` becomes the command.
"""

import collections
import ctypes
import errno
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading

NOTIFY, ALLOW, ERRNO = 0x7FC00000, 0x7FFF0000, 0x00050000  # <seccomp.h>: SCMP_ACT_...
COMPARISONS = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
SECCOMP = {"x86_64": 317, "aarch64": 277}[os.uname().machine]  # <asm/unistd.h>: __NR_seccomp
SET_MODE_FILTER, NEW_LISTENER, PR_SET_NO_NEW_PRIVS = 1, 8, 38
RECEIVE, ANSWER = 0xC0502100, 0xC0182101  # <linux/seccomp.h>: SECCOMP_IOCTL_NOTIF_...
libc = ctypes.CDLL(None, use_errno=True)


class Unavailable(Exception):
    """Nothing can be tested here; the text says why."""


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def library():
    try:
        found = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        raise Unavailable("libseccomp2 is not installed") from None
    found.seccomp_init.restype = ctypes.c_void_p
    found.seccomp_syscall_resolve_num_arch.restype = ctypes.c_char_p
    return found


def number_of(name, machine=0):
    """Negative: that machine has no such call (0: the machine that this runs on)."""
    return library().seccomp_syscall_resolve_name_arch(ctypes.c_uint32(machine), name.encode())


def name_of(number):
    name = library().seccomp_syscall_resolve_num_arch(ctypes.c_uint32(0), ctypes.c_int(number))
    return name.decode() if name else f"call {number}"


def compiled(profile):
    """The profile as classic BPF, which refuses by asking the parent."""
    seccomp = library()
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(NOTIFY)))
    if not context:
        raise Unavailable("this kernel cannot tell a parent about refused calls (SECCOMP_RET_USER_NOTIF, Linux 5.0)")
    for rule in profile["syscalls"]:
        action = ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else ERRNO | rule["errnoRet"]
        tests = [Comparison(test["index"], COMPARISONS[test["op"]], test["value"], test.get("valueTwo", 0))
                 for test in rule.get("args", [])]
        for name in rule["names"]:
            number = number_of(name)
            failed = number >= 0 and seccomp.seccomp_rule_add_array(context, ctypes.c_uint32(action), number, len(tests),
                                                                    (Comparison * len(tests))(*tests))
            if failed:
                raise ValueError(f"libseccomp refuses the rule for {name}: {os.strerror(-failed)}")
    with tempfile.TemporaryFile() as file:
        if seccomp.seccomp_export_bpf(context, file.fileno()) != 0:
            raise ValueError("libseccomp cannot compile the profile")
        file.seek(0)
        return file.read()


def load(code):
    """For this process and what it becomes. Returns the descriptor on which the kernel asks."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # as allowPrivilegeEscalation: false
    program = Program(len(code) // 8, code)
    listener = libc.syscall(SECCOMP, SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(program))
    if listener < 0:
        raise Unavailable(f"no filter with a listener can be loaded here: {os.strerror(ctypes.get_errno())}")
    return listener


class Confined(subprocess.Popen):
    """A running program; `refused` counts the calls that its profile refuses, by name and first argument."""

    def __init__(self, profile, command, **how):
        self.refused = collections.Counter()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            launcher = [sys.executable, os.path.abspath(__file__), profile, str(theirs.fileno())]
            super().__init__(launcher + command, pass_fds=[theirs.fileno()], **how)
            theirs.close()
            ours.settimeout(30)
            message, listeners, _, _ = socket.recv_fds(ours, 100, 1)
        if not listeners:
            self.wait()
            raise Unavailable(message.decode()) if message else RuntimeError("the profile cannot be loaded")
        threading.Thread(target=self.answer, args=listeners, daemon=True).start()

    def answer(self, listener):
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while poll.poll()[0][1] & select.POLLIN:
            question = bytearray(80)
            try:
                fcntl.ioctl(listener, RECEIVE, question)
                identity, _, _, number, _, _, first = struct.unpack_from("=QIIiIQQ", question)
                self.refused[f"{name_of(number)}({first:#x}, ...)"] += 1
                fcntl.ioctl(listener, ANSWER, struct.pack("=QqiI", identity, 0, -errno.EPERM, 0))
            except OSError as problem:
                if problem.errno != errno.ENOENT:  # it has been killed meanwhile
                    raise
        os.close(listener)  # no process has the filter any more


def main():
    profile, channel, command = sys.argv[1], socket.socket(fileno=int(sys.argv[2])), sys.argv[3:]
    with open(profile) as file:
        wanted = json.load(file)
    try:
        listener = load(compiled(wanted))
    except Unavailable as why:
        channel.send(str(why).encode())
        return 1
    # From here on this process, too, may only do what the profile allows.
    socket.send_fds(channel, [b"loaded"], [listener])
    os.close(listener)
    channel.close()
    os.execv(command[0], command)
    return 1


if __name__ == "__main__":
    sys.exit(main())
