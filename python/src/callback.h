/*
 * A user's function: of Python, or native.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLBACK_H
#define ESS_CALLBACK_H

#include <nanobind/nanobind.h>

#include <cstddef>
#include <vector>

namespace ess_python {

namespace nb = nanobind;

/* An array of numpy that is handed to Python again and again, as long as nobody has kept it. */
class Handed {
public:
  /* A new reference to an array of these values; NULL with an exception set. */
  PyObject *fill(const double *values, std::size_t count);
  Handed() = default;
  Handed(const Handed &) = delete;
  Handed &operator=(const Handed &) = delete;
  ~Handed() {
    Py_XDECREF(array_);
  }

private:
  PyObject *array_ = nullptr;
};

/* numpy's functions that are called all the time; looked up once. */
void load_numpy();

/* Numbers that a function has returned. false: an exception is set, whose one line names `what`. */
bool take_numbers(PyObject *result, const char *what, double *out, std::size_t count);
/* The same, of the shape (rows, columns). */
bool take_matrix(PyObject *result, const char *what, double *out, std::size_t rows,
                 std::size_t columns);

struct Callback {
  PyObject *function = nullptr; /* borrowed; NULL where it is native, or absent */
  void *native = nullptr;
  void *user = nullptr;
  explicit operator bool() const {
    return function || native;
  }
};

/* Calls function(*head, *args): a new reference, or NULL with an exception set. Steals the
 * references of head, some of which may be NULL with an exception set. */
PyObject *call(PyObject *function, PyObject *const *head, std::size_t count,
               const std::vector<PyObject *> &args);

} // namespace ess_python

#endif
