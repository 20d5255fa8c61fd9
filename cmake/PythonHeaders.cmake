# Python.h, of the interpreter Python_EXECUTABLE: its own; or, where the distribution keeps it in a package of its
# own that is not installed, from that package. apt-get fetches it (and checks it), as pip fetches what else it builds
# with: no rights are needed, and nothing is installed.
# SPDX-License-Identifier: Apache-2.0

# the distribution's package, unpacked in `to`; `headers` is where Python.h is then, or empty
function(fetch_python_headers to headers)
  set(${headers} "" PARENT_SCOPE)
  execute_process(COMMAND ${Python_EXECUTABLE} -c
    "import sys; print('%d.%d' % sys.version_info[:2] if sys.base_prefix == '/usr' else '')"
    OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_program(APT_GET apt-get)
  find_program(DPKG dpkg-deb)
  if(NOT version OR NOT APT_GET OR NOT DPKG)
    return()
  endif()
  set(package libpython${version}-dev)
  file(REMOVE_RECURSE ${to})
  file(MAKE_DIRECTORY ${to})
  message(STATUS "There is no Python.h: fetching ${package} by apt-get, to build with")
  execute_process(COMMAND ${APT_GET} download ${package} WORKING_DIRECTORY ${to} OUTPUT_QUIET ERROR_QUIET)
  file(GLOB archive ${to}/${package}_*.deb)
  if(NOT archive)
    return()
  endif()
  execute_process(COMMAND ${DPKG} -x ${archive} ${to} OUTPUT_QUIET ERROR_QUIET)
  # what differs from machine to machine lies beside: one folder has it all
  file(GLOB config ${to}/usr/include/*-*/python${version}/pyconfig.h)
  if(config AND EXISTS ${to}/usr/include/python${version}/Python.h)
    file(RENAME ${config} ${to}/usr/include/python${version}/pyconfig.h)
    set(${headers} ${to}/usr/include/python${version} PARENT_SCOPE)
  endif()
endfunction()

execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('include'))"
                OUTPUT_VARIABLE python_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS ${python_headers}/Python.h)
  set(missing ${python_headers})
  fetch_python_headers(${CMAKE_CURRENT_BINARY_DIR}/python-headers python_headers)
  if(NOT python_headers)
    message(FATAL_ERROR " libess: there is no ${missing}/Python.h; as root run: apt-get install python3-dev")
  endif()
  # as FindPython asks for it
  set(Python_INCLUDE_DIR ${python_headers})
endif()
