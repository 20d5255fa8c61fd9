/*
 * Numbers to Python and back, at as little as that may cost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "callback.h"

#include <cstdio>
#include <cstring>

namespace ess_python {

static PyObject *empty_function, *asarray_function, *double_type;

void load_numpy() {
  nb::object numpy = nb::module_::import_("numpy");
  // kept for as long as the process lives, as the module is
  empty_function = nb::object(numpy.attr("empty")).release().ptr();
  asarray_function = nb::object(numpy.attr("asarray")).release().ptr();
  double_type = nb::object(numpy.attr("float64")).release().ptr();
}

/* whether it is a one-dimensional, contiguous array of `count` doubles that may be read, or
 * written; if so its numbers are copied from or to it. Whoever had it may have changed its shape.
 */
static bool copy_buffer(PyObject *array, double *to, const double *from, std::size_t count) {
  Py_buffer view;
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (from ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array, &view, flags)) {
    PyErr_Clear();
    return false;
  }
  const bool fits = view.ndim == 1 && view.format && std::strcmp(view.format, "d") == 0 &&
                    static_cast<std::size_t>(view.len) == count * sizeof(double);
  if (fits && from && count) std::memcpy(view.buf, from, count * sizeof(double));
  if (fits && to && count) std::memcpy(to, view.buf, count * sizeof(double));
  PyBuffer_Release(&view);
  return fits;
}

PyObject *Handed::fill(const double *values, std::size_t count) {
  // nobody else has a reference, a view of it included
  if (array_ && Py_REFCNT(array_) == 1 && copy_buffer(array_, nullptr, values, count)) {
    Py_INCREF(array_);
    return array_;
  }
  PyObject *const size = PyLong_FromSize_t(count);
  if (!size) return nullptr;
  PyObject *const fresh = PyObject_CallFunctionObjArgs(empty_function, size, nullptr);
  Py_DECREF(size);
  if (!fresh) return nullptr;
  if (!copy_buffer(fresh, nullptr, values, count)) {
    Py_DECREF(fresh);
    PyErr_SetString(PyExc_SystemError, "numpy.empty made no array of doubles");
    return nullptr;
  }
  Py_XDECREF(array_);
  array_ = fresh;
  Py_INCREF(fresh);
  return fresh;
}

/* a list or tuple of `count` plain numbers; no code of Python's runs on the way */
static bool copy_items(PyObject *result, double *out, std::size_t count) {
  const bool is_list = PyList_CheckExact(result);
  if (!is_list && !PyTuple_CheckExact(result)) return false;
  const Py_ssize_t size = is_list ? PyList_Size(result) : PyTuple_Size(result);
  if (static_cast<std::size_t>(size) != count) return false;
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject *const item = is_list ? PyList_GetItem(result, i) : PyTuple_GetItem(result, i);
    if (!item || (!PyFloat_Check(item) && !PyLong_CheckExact(item))) return false;
    const double value = PyFloat_AsDouble(item);
    if (value == -1.0 && PyErr_Occurred()) {
      PyErr_Clear(); // a huge int: numpy says what is wrong with it
      return false;
    }
    out[i] = value;
  }
  return true;
}

/* What numpy would make numbers of, but which is a mistake: nothing at all, which becomes a nan,
 * and complex numbers, of which it would keep the real part. */
static bool refuse_kind(PyObject *result, const char *what) {
  if (result == Py_None) {
    PyErr_Format(PyExc_ValueError, "%s returned None; it must return numbers", what);
    return true;
  }
  nb::object type = nb::steal(PyObject_GetAttrString(result, "dtype"));
  if (!type.is_valid()) PyErr_Clear(); // a list, of which numpy takes no complex numbers
  if (!type.is_valid() || !nb::str("c").equal(type.attr("kind"))) return false;
  PyErr_Format(PyExc_ValueError, "%s returned complex numbers; it must return real ones", what);
  return true;
}

/* what numpy says of something that it makes no numbers of, with whose it is */
static void name_error(const char *what) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError))
    return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  nb::object text = nb::steal(PyObject_Str(value));
  if (text.is_valid())
    PyErr_Format(PyExc_ValueError, "%s must return numbers (%U)", what, text.ptr());
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

/* as numpy reads it: a new reference, flat, and its shape in `text` */
static PyObject *as_flat(PyObject *result, const char *what, nb::object *shape) {
  if (refuse_kind(result, what)) return nullptr;
  PyObject *const array =
      PyObject_CallFunctionObjArgs(asarray_function, result, double_type, nullptr);
  if (!array) {
    name_error(what);
    return nullptr;
  }
  *shape = nb::steal(PyObject_GetAttrString(array, "shape"));
  PyObject *const flat = shape->is_valid() ? PyObject_CallMethod(array, "ravel", nullptr) : nullptr;
  Py_DECREF(array);
  return flat;
}

static bool refuse_shape(const char *what, const nb::object &shape, const char *accepted) {
  nb::object text = nb::steal(PyObject_Str(shape.ptr()));
  PyErr_Format(PyExc_ValueError, "%s returned an array of shape %U; it must be %s", what,
               text.ptr(), accepted);
  return false;
}

bool take_numbers(PyObject *result, const char *what, double *out, std::size_t count) {
  if (count == 1 && PyFloat_Check(result)) {
    *out = PyFloat_AsDouble(result);
    return true;
  }
  if (copy_items(result, out, count)) return true;
  if (PyObject_CheckBuffer(result) && copy_buffer(result, out, nullptr, count)) return true;
  nb::object shape;
  nb::object flat = nb::steal(as_flat(result, what, &shape));
  if (!flat.is_valid()) return false;
  const bool is_flat = PyTuple_Size(shape.ptr()) <= 1 || count == 1;
  if (is_flat && copy_buffer(flat.ptr(), out, nullptr, count)) return true;
  char accepted[64];
  std::snprintf(accepted, sizeof accepted, "(%zu,)", count);
  return refuse_shape(what, shape, accepted);
}

/* a list or tuple of rows, each one of plain numbers */
static bool copy_rows(PyObject *result, double *out, std::size_t rows, std::size_t columns) {
  const bool is_list = PyList_CheckExact(result);
  if (!is_list && !PyTuple_CheckExact(result)) return false;
  const Py_ssize_t size = is_list ? PyList_Size(result) : PyTuple_Size(result);
  if (static_cast<std::size_t>(size) != rows) return false;
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject *const row = is_list ? PyList_GetItem(result, i) : PyTuple_GetItem(result, i);
    if (!row || !copy_items(row, out + static_cast<std::size_t>(i) * columns, columns))
      return false;
  }
  return true;
}

/* a contiguous array of doubles of this shape */
static bool copy_plane(PyObject *result, double *out, std::size_t rows, std::size_t columns) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(result)) return false;
  if (PyObject_GetBuffer(result, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
    PyErr_Clear();
    return false;
  }
  const bool fits = view.ndim == 2 && view.format && std::strcmp(view.format, "d") == 0 &&
                    static_cast<std::size_t>(view.shape[0]) == rows &&
                    static_cast<std::size_t>(view.shape[1]) == columns;
  if (fits && rows * columns) std::memcpy(out, view.buf, rows * columns * sizeof(double));
  PyBuffer_Release(&view);
  return fits;
}

bool take_matrix(PyObject *result, const char *what, double *out, std::size_t rows,
                 std::size_t columns) {
  if (copy_rows(result, out, rows, columns) || copy_plane(result, out, rows, columns)) return true;
  // of a sparse matrix all numbers
  nb::object dense;
  if (PyObject_HasAttrString(result, "toarray")) {
    dense = nb::steal(PyObject_CallMethod(result, "toarray", nullptr));
    if (!dense.is_valid()) return false;
    result = dense.ptr();
  }
  nb::object shape;
  nb::object flat = nb::steal(as_flat(result, what, &shape));
  if (!flat.is_valid()) return false;
  nb::object wanted = nb::make_tuple(rows, columns);
  const bool is_one = rows * columns == 1;
  if ((is_one || shape.equal(wanted)) && copy_buffer(flat.ptr(), out, nullptr, rows * columns))
    return true;
  char accepted[64];
  std::snprintf(accepted, sizeof accepted, "(%zu, %zu)", rows, columns);
  return refuse_shape(what, shape, accepted);
}

PyObject *call(PyObject *function, PyObject *const *head, std::size_t count,
               const std::vector<PyObject *> &args) {
  PyObject *few[16];
  std::vector<PyObject *> many;
  PyObject **all = few;
  if (count + args.size() + 1 > 16) {
    many.resize(count + args.size() + 1);
    all = many.data();
  }
  bool ok = true;
  // place 0 is the interpreter's, to put a self there without copying
  for (std::size_t i = 0; i < count; i++) ok &= (all[i + 1] = head[i]) != nullptr;
  for (std::size_t i = 0; i < args.size(); i++) all[count + 1 + i] = args[i];
  PyObject *const result =
      ok ? PyObject_Vectorcall(function, all + 1,
                               (count + args.size()) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr)
         : nullptr;
  for (std::size_t i = 0; i < count; i++) Py_XDECREF(head[i]);
  return result;
}

} // namespace ess_python
