# SPDX-License-Identifier: Apache-2.0
"""Exceptions in functions of Python that ctypes, cffi or numba have made native.

None can hand an exception on: they report it to `sys.unraisablehook`, and the function returns as if
nothing had happened. While a run calls such functions they are looked out for here.
"""

import sys
import threading

__all__ = ["Watch"]

_lock = threading.Lock()
_watches: list["Watch"] = []
_before = sys.unraisablehook


def _is_of_callback(unraisable):
    by = unraisable.object
    return "callback" in (unraisable.err_msg or "") or isinstance(by, str) and by.startswith("<numba")


def _hook(unraisable):
    with _lock:
        for watch in _watches if _is_of_callback(unraisable) else ():
            if watch.thread is None:
                watch.raised.setdefault(threading.get_ident(), unraisable.exc_value)
                return
            if watch.thread == threading.get_ident():
                watch.error = watch.error or unraisable.exc_value
                return
    _before(unraisable)


class Watch:
    """For the length of a run: `with Watch() as watch`. Calling it raises what has been raised.

    With threads errors are kept by the run that `settle` says they belong to.
    """

    def __init__(self, is_threaded=False):
        self.thread = None if is_threaded else threading.get_ident()
        self.error = None
        self.raised = {}  # by thread, and by run of an ensemble
        self.errors = {}

    def __enter__(self):
        global _before
        with _lock:
            if not _watches:
                _before, sys.unraisablehook = sys.unraisablehook, _hook
            _watches.append(self)
        return self

    def __exit__(self, *_):
        with _lock:
            _watches.remove(self)
            if not _watches and sys.unraisablehook is _hook:
                sys.unraisablehook = _before

    def settle(self, run):
        """what this thread's callbacks have raised since the last run belongs to this one"""
        error = self.raised.pop(threading.get_ident(), None)
        if error is not None:
            self.errors[run] = error

    def __call__(self):
        error, self.error = self.error, None
        if error is not None:
            raise error
