# What is missing is named with the one command that installs all of it, on Debian.
# SPDX-License-Identifier: GPL-3.0-or-later

# ess_require(NAME package...): the packages of those whose NAME_FOUND is not true
function(ess_require)
  set(missing)
  while(ARGN)
    list(POP_FRONT ARGN name package)
    if(NOT ${name}_FOUND)
      list(APPEND missing ${package})
    endif()
  endwhile()
  if(missing)
    list(JOIN missing " " missing)
    # the leading blank keeps CMake from wrapping the line
    message(FATAL_ERROR " missing, or too old: apt-get install ${missing}\n"
                        " (libess alone needs none: -DESS_HARNESS=OFF -DESS_TESTS=OFF)")
  endif()
endfunction()
