"""Child processes of the tests: own process group, output to a file, killed when the tests end."""
import atexit
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Mapping, Optional, Sequence

_living: set["Process"] = set()
_scratch: list[Path] = []


def dying_with_parent(command: Sequence[str]) -> list[str]:
    """The command of a child that a test runner killed with -9 does not leave behind.

    Python must not run in the child (preexec_fn): other threads hold locks when it is forked, nobody
    gives them back there, and child and runner wait for ever.
    """
    return ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", *command]


class Process:
    """One child with its standard output and error in `log`."""

    def __init__(self, command: Sequence[str], log: Path,
                 environment: Optional[Mapping[str, str]] = None,
                 cwd: Optional[Path] = None, follow_parent: bool = True,
                 talkative: bool = False) -> None:
        # PDEATHSIG fires when the *thread* that forked ends, so a child that outlives the thread
        # which started it must pass follow_parent=False. A talkative child answers commands by
        # standard output, and only its standard error goes to the log: see exchange().
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "ab") as output:
            self._child = subprocess.Popen(
                dying_with_parent(command) if follow_parent else list(command),
                stdout=subprocess.PIPE if talkative else output, stderr=output,
                stdin=subprocess.PIPE if talkative else subprocess.DEVNULL,
                env=None if environment is None else dict(environment), cwd=cwd,
                start_new_session=True)
        self._heard = b""  # of a talkative child, not yet asked for
        _living.add(self)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def exit_code(self) -> Optional[int]:
        """None while it runs; minus the signal's number when a signal ended it."""
        return self._child.poll()

    def is_running(self) -> bool:
        return self._child.poll() is None

    def exchange(self, command: str, mark: str, timeout: float) -> str:
        """Sends a talkative child one line; its next line that begins with `mark`, without that.

        Raises TimeoutError, EOFError when it has ended, OSError."""
        os.write(self._child.stdin.fileno(), f"{command}\n".encode())
        end = time.monotonic() + timeout
        while True:
            line, found, rest = self._heard.partition(b"\n")
            if found:
                self._heard = rest
                text = line.decode(errors="replace")
                if text.startswith(mark):
                    return text[len(mark):]
                continue
            output = self._child.stdout.fileno()
            if not select.select([output], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer within {timeout} s")
            more = os.read(output, 65536)
            if not more:
                raise EOFError("it has ended")
            self._heard += more

    def signal(self, number: int) -> None:
        """Sends a signal to the child and all its children; does nothing when it has ended."""
        try:
            os.killpg(self._child.pid, number)
        except ProcessLookupError:
            pass

    def pause(self) -> None:
        """SIGSTOP, and returns once every thread of the child stands still; when it has ended, at once."""
        self.signal(signal.SIGSTOP)
        try:
            os.waitid(os.P_PID, self._child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # ended, and its exit code was read
            pass

    def resume(self) -> None:
        """SIGCONT."""
        self.signal(signal.SIGCONT)

    def wait(self, timeout: Optional[float] = None) -> int:
        """The exit code; raises subprocess.TimeoutExpired."""
        return self._child.wait(timeout)

    def kill(self) -> int:
        self.signal(signal.SIGKILL)
        _living.discard(self)
        return self._child.wait()

    def stop(self, grace: float = 10.0) -> int:
        """SIGTERM, then SIGKILL after `grace` seconds; the exit code."""
        self.signal(signal.SIGTERM)
        try:
            self._child.wait(grace)
        except subprocess.TimeoutExpired:
            pass
        return self.kill()

    def output(self, last_characters: int = 20000) -> str:
        return self.log.read_text(errors="replace")[-last_characters:]


class Daemon:
    """A program that can be killed, started again with the same command, and stopped in its tracks."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command = list(command)
        self.log = log
        self.process = Process(self._command, log)

    def is_running(self) -> bool:
        return self.process.is_running()

    def kill(self) -> None:
        """As kill -9 does."""
        self.process.kill()

    def restart(self) -> None:
        """Starts the same command again; the log goes on in the same file."""
        self.process = Process(self._command, self.log)

    def pause(self) -> None:
        """Its connections stay open and say nothing."""
        self.process.pause()

    def resume(self) -> None:
        """It goes on where it stood still."""
        self.process.resume()

    def terminate(self, timeout: float = 10.0) -> int:
        """SIGTERM; the exit code."""
        self.process.signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def stop(self) -> None:
        self.process.stop()

    def output(self) -> str:
        return self.process.output()


@atexit.register
def _kill_the_living() -> None:
    for process in list(_living):
        process.kill()


def scratch_folder(name: str) -> Path:
    """A fresh folder for logs and generated files; see remove_scratch_folders()."""
    folder = Path(tempfile.mkdtemp(prefix=f"gang-scheduler-{name}-"))
    _scratch.append(folder)
    return folder


def remove_scratch_folders() -> None:
    """For the end of a run without failures; after any other they stay, to be looked at."""
    for folder in _scratch:
        shutil.rmtree(folder, ignore_errors=True)
