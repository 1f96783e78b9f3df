"""Arrays as arguments: addresses and shapes of NumPy arrays, of objects with the buffer protocol and with DLPack, without
a copy; and arrays that stay on the device."""
import ctypes
import sys

from ._errors import ArgumentError, Error
from ._types import SCALARS

# The buffer protocol -------------------------------------------------------------------------------------------------


class _Buffer(ctypes.Structure):  # Py_buffer of CPython's Include/cpython/object.h, pybuffer.h
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
                ("internal", ctypes.c_void_p)]


def _address_of_buffer(x):
    view, strided_with_format = _Buffer(), 0x18 | 0x04
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(view), strided_with_format)
    address = view.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return address


_CODES = {"?": "bool", "f": "f32", "d": "f64"}


def _scalar_of_format(code, itemsize):
    code = code.lstrip("@=<")
    if code in _CODES:
        return _CODES[code]
    if code in "bhilqn":
        return f"i{8 * itemsize}"
    return f"u{8 * itemsize}" if code in "BHILQNc" and len(code) == 1 else code


# DLPack --------------------------------------------------------------------------------------------------------------


class _DLTensor(ctypes.Structure):  # dlpack.h, version 0.8
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_DL_CODES = {0: "i", 1: "u", 2: "f", 6: "bool"}


class _Found:
    """What is known of an argument; strides in elements, None: contiguous."""

    def __init__(self, address, scalar, shape, contiguous, writable, keep=None):
        self.address, self.scalar, self.shape = address, scalar, tuple(shape)
        self.contiguous, self.writable, self.keep = contiguous, writable, keep


def _is_contiguous(shape, strides):
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent != 1 and stride != expected:
            return 0 in shape
        expected *= extent
    return True


def _find_dlpack(x):
    capsule = x.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    t = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    kind = _DL_CODES.get(t.code, "?")
    scalar = "bool" if kind == "bool" else f"{kind}{t.bits}"
    shape = [t.shape[i] for i in range(t.ndim)]
    contiguous = not t.strides or _is_contiguous(shape, [t.strides[i] for i in range(t.ndim)])
    return _Found((t.data or 0) + t.byte_offset, scalar, shape, contiguous and t.lanes == 1, True, capsule)


def _find(x, parameter):
    if isinstance(x, Array):
        return x._found()
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(x, numpy.ndarray):
        return _Found(x.__array_interface__["data"][0], x.dtype, x.shape, x.flags.c_contiguous, x.flags.writeable)
    try:
        view = memoryview(x)
    except TypeError:
        if hasattr(x, "__dlpack__"):
            return _find_dlpack(x)
        raise ArgumentError(f"{parameter.words} needs an array, but this is {_article(type(x).__name__)}") from None
    return _Found(_address_of_buffer(x), _scalar_of_format(view.format, view.itemsize), view.shape, view.c_contiguous,
                  not view.readonly)


def _article(name):
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


# Parameters ----------------------------------------------------------------------------------------------------------


class Parameter:
    """An array parameter: gives the address and the shape of an argument, or says why it does not fit."""

    def __init__(self, function, row, types):
        extents = ", ".join("_" if e is None else str(e) for e in row["shape"])
        self.name, self.type, self.mode, self.rank = row["name"], row["type"], row["mode"], len(row["shape"])
        self.writes = self.mode != "&"
        self.text = f"{self.mode} [{row['type']}; {extents}]".replace("& [", "&[")
        self.words = f"parameter `{self.name}` of `{function}` is `{self.text}`: it"
        self.types = types
        self.scalar = "i64" if self.type == "index" else self.type

    def getter(self):
        """A function of the argument: (address, shape, what must live until the call ends)."""
        try:
            import numpy
        except ImportError:
            return self.slowly
        ndarray, dtype, rank, writes, slowly = numpy.ndarray, self.types.dtype(self.type), self.rank, self.writes, self.slowly

        def get(x):
            if type(x) is ndarray and x.dtype == dtype and x.ndim == rank:
                flags = x.flags
                if flags.c_contiguous and (flags.writeable or not writes):
                    return x.__array_interface__["data"][0], x.shape, None
            elif type(x) is Array and x._data.dtype == dtype and x._data.ndim == rank:
                if x._device_is_old or writes:
                    x._given(writes)
                return x._address, x._data.shape, None
            return slowly(x)
        return get

    def slowly(self, x):
        found = _find(x, self)
        if not self._has_type(found):
            raise ArgumentError(f"{self.words} needs elements of `{self.type}`, but these are {self._name(found)}")
        if len(found.shape) != self.rank:
            raise ArgumentError(f"{self.words} has {_count(self.rank, 'dimension')}, but this array has "
                                f"{len(found.shape)}: its shape is {list(found.shape)}")
        if not found.contiguous:
            raise ArgumentError(f"{self.words} needs its rows one after the other in memory, but this array is a view or in "
                                f"column-major order; `numpy.ascontiguousarray` copies it")
        if self.writes and not found.writable:
            raise ArgumentError(f"{self.words} is written, but this array is read-only")
        if isinstance(x, Array):
            x._given(self.writes)
        return found.address, found.shape, found.keep

    def _has_type(self, found):
        if isinstance(found.scalar, str):
            return found.scalar == self.scalar
        return found.scalar == self.types.dtype(self.type)

    @staticmethod
    def _name(found):
        names = {"float": "f", "int": "i", "uint": "u"}
        text = str(found.scalar)
        for word, letter in names.items():
            if text.startswith(word) and text[len(word):].isdigit():
                return f"`{letter}{text[len(word):]}` ({text})"
        return f"`{text}`"


def _count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


# Arrays that stay on the device --------------------------------------------------------------------------------------


class Array:
    """An array on the default device, from the first call that uses it until it is deleted.

    `numpy()` and everything that reads it on the host copies it back if a call has written it since; assignment
    (`a[:] = x`) changes the host's copy, which is copied to the device for the next call. On a device that works in the
    host's memory nothing is copied."""

    def __init__(self, data):
        self._data = data
        self._address = data.__array_interface__["data"][0]
        self._library = None        # that keeps it on the device
        self._host_is_old = self._device_is_old = False

    shape = property(lambda self: self._data.shape)
    dtype = property(lambda self: self._data.dtype)
    ndim = property(lambda self: self._data.ndim)
    size = property(lambda self: self._data.size)
    nbytes = property(lambda self: self._data.nbytes)

    def _found(self):
        d = self._data
        return _Found(self._address, d.dtype, d.shape, True, True)

    def _ask(self, function, *more):
        status = getattr(self._library, function)(ctypes.c_void_p(self._address), *more)
        if status:
            raise Error(self._library.kdsl_last_error().decode())

    def _given(self, writes):
        if self._device_is_old:
            self._ask("kdsl_changed")
            self._device_is_old = False
        self._host_is_old |= writes

    def _keep(self, library):
        """Of the first program whose function is called with it; others find it in libomptarget's table."""
        if self._library is None:
            self._library = library
            self._ask("kdsl_keep", ctypes.c_int64(self._data.nbytes))

    def _come_home(self):
        if self._host_is_old:
            self._ask("kdsl_host")
            self._host_is_old = False

    def numpy(self):
        """The elements, as a NumPy array that cannot be written; it changes when the next call of this method copies."""
        self._come_home()
        view = self._data.view()
        view.flags.writeable = False
        return view

    def __array__(self, dtype=None, copy=None):
        view = self.numpy()
        return view if dtype is None else view.astype(dtype)

    def __getitem__(self, at):
        return self.numpy()[at]

    def __setitem__(self, at, value):
        self._come_home()
        self._data[at] = value
        self._device_is_old = self._library is not None

    def __len__(self):
        return len(self._data)

    def __repr__(self):
        return f"kdsl.{self.numpy()!r}"

    def __del__(self):
        if getattr(self, "_library", None) is not None:
            self._library.kdsl_release(ctypes.c_void_p(self._address))


def array(like, dtype=None):
    """An array that stays on the device, with the elements of `like`, or with zeros if that is a shape: a number or a
    tuple of numbers."""
    import numpy
    if isinstance(like, (int, tuple)):
        return Array(numpy.zeros(like, dtype or numpy.float64))
    return Array(numpy.array(like, dtype=dtype, order="C", copy=True))


assert set(SCALARS) >= set(_CODES.values())
