"""The program in stepped mode as a child process: a line in, its answer out."""
import ctypes
import os
import select
import signal
import subprocess

PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """With `survives_us`, its input does not end when this process is killed: then it is killed, too, and must not
    find the time for an orderly stop. It is asked to quit instead of seeing the end of its input."""

    def __init__(self, binary, args, env, stderr=None, survives_us=False):
        read, write = os.pipe()
        self.child = subprocess.Popen([binary, *args], stdin=read, stdout=subprocess.PIPE, stderr=stderr, bufsize=0,
                                      env=env, pass_fds=[write] if survives_us else [], preexec_fn=die_with_parent)
        os.close(read)
        self.input, self.survives_us = write, survives_us
        self.out = self.child.stdout.fileno()
        self.buffer = b""

    def _line(self, seconds):
        """The next line of output; None: it ended, or said nothing for so long."""
        while b"\n" not in self.buffer:
            if not select.select([self.out], [], [], seconds)[0]:
                return None
            chunk = os.read(self.out, 1 << 16)
            if not chunk:
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode("utf-8", "surrogateescape")

    def ask(self, line, seconds=None):
        """Sends one line (None: end of input) and returns the lines of the answer."""
        try:
            if line is None and not self.survives_us:
                os.close(self.input)
            else:
                os.write(self.input, ("quit" if line is None else line).encode("utf-8", "surrogateescape") + b"\n")
        except OSError:
            pass  # it has ended; what it said before is still in the pipe
        if line == "":
            return []
        answer = []
        while True:
            said = self._line(seconds)
            if said is None:
                return answer
            answer.append(said)
            if line != "metrics" or said == "# EOF" or said.startswith("{"):
                return answer

    def kill(self):
        self.child.kill()
        self.child.wait()

    def wait(self, seconds=None):
        """The exit status as a shell tells it."""
        try:
            status = self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        return status if status >= 0 else 128 - status
