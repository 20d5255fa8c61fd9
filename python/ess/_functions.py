# SPDX-License-Identifier: Apache-2.0
"""Which functions are native, and where they are."""

import ctypes

__all__ = ["FIELD", "GUARDS", "IMPACT", "native"]

# What a native function is, in C, and what numba.cfunc takes for it.
FIELD = "int32(float64, CPointer(float64), CPointer(float64), CPointer(float64), voidptr)"
GUARDS = "int32(float64, CPointer(float64), CPointer(float64), voidptr)"
IMPACT = (
    "int32(float64, CPointer(float64), CPointer(float64), CPointer(uint64), uint64, "
    "CPointer(float64), CPointer(float64), voidptr)"
)

_ARGUMENTS = {FIELD: 5, GUARDS: 4, IMPACT: 8}

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_get_name = ctypes.pythonapi.PyCapsule_GetName
_get_name.restype = ctypes.c_char_p
_get_name.argtypes = [ctypes.py_object]
_get_context = ctypes.pythonapi.PyCapsule_GetContext
_get_context.restype = ctypes.c_void_p
_get_context.argtypes = [ctypes.py_object]


def _address_of_user(user):
    """(address, what has to live as long) of the data that native functions are handed"""
    if user is None:
        return 0, None
    if isinstance(user, int):
        return user, None
    if isinstance(user, ctypes.c_void_p):
        return user.value or 0, user
    if isinstance(user, (ctypes.Structure, ctypes.Array, ctypes._SimpleCData)):
        return ctypes.addressof(user), user
    interface = getattr(user, "__array_interface__", None)
    if interface is not None:
        return interface["data"][0], user
    raise ValueError(
        "`user` must be an array, a ctypes object or an address; "
        f"it is {type(user).__name__}"
    )


def _of_low_level(function, what):
    """scipy.LowLevelCallable: a tuple of a capsule, the function and its data"""
    capsule = tuple.__getitem__(function, 0)
    name = _get_name(capsule)
    address = _get_pointer(capsule, name)
    if not address:
        raise ValueError(f"{what}: the LowLevelCallable must have a function; its address is NULL")
    return address, _get_context(capsule) or 0


def has_own_data(function):
    """whether it is a scipy.LowLevelCallable that brings its data, and is handed no other"""
    is_one = type(function).__name__ == "LowLevelCallable" and isinstance(function, tuple)
    return is_one and bool(_get_context(tuple.__getitem__(function, 0)))


def _count_of(function):
    """how many arguments a native function says it takes; None: it does not say"""
    signature = getattr(function, "_sig", None)
    if signature is not None:
        return len(signature.args)
    argtypes = getattr(function, "argtypes", None)
    return None if argtypes is None else len(argtypes)


def _check_count(function, kind, what):
    count = _count_of(function)
    if count is not None and count != _ARGUMENTS[kind]:
        raise ValueError(f"{what}: the native function takes {count} arguments; it must be {kind}")


def _address_of_cffi(function, kind, what):
    import cffi  # whoever has such a function has it

    ffi = cffi.FFI()
    found = ffi.typeof(function)
    found = found.item if found.kind == "pointer" else found
    if found.kind != "function" and found.kind != "void":
        raise ValueError(f"{what} must be a cffi function; it is {found.cname}")
    if found.kind == "function" and len(found.args) != _ARGUMENTS[kind]:
        raise ValueError(
            f"{what}: the native function takes {len(found.args)} arguments; it must be {kind}"
        )
    address = int(ffi.cast("uintptr_t", function))
    if not address:
        raise ValueError(f"{what} must be a native function; its address is NULL")
    return address


def native(function, kind, user, what):
    """(address, data) of a native function; None where it is one of Python.

    Native are: a `numba.cfunc`, a function of ctypes or cffi, a `scipy.LowLevelCallable`.
    """
    name, module = type(function).__name__, type(function).__module__
    if name == "LowLevelCallable" and isinstance(function, tuple):
        address, own = _of_low_level(function, what)
        return address, own or _address_of_user(user)[0]
    if name == "CFunc" and module.startswith("numba"):
        _check_count(function, kind, what)
        return function.address, _address_of_user(user)[0]
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        _check_count(function, kind, what)
        address = ctypes.cast(function, ctypes.c_void_p).value
        if not address:
            raise ValueError(f"{what} must be a native function; its address is NULL")
        return address, _address_of_user(user)[0]
    if "CData" in name and "cffi" in module:
        return _address_of_cffi(function, kind, what), _address_of_user(user)[0]
    return None
