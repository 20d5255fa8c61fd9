# Finds the MuJoCo that the cache variable MUJOCO names and makes the target MuJoCo::MuJoCo of it:
#   wheel   the pinned official release that tools/setup unpacked into .deps/mujoco (default)
#   system  the distribution's header and library (Debian: libmujoco-dev)
#   PATH    a folder that holds a release archive, a source install or the unpacked wheel
# Sets MuJoCo_FOUND, MuJoCo_VERSION, MuJoCo_INCLUDE_DIR and MuJoCo_LIBRARY, or stops with one line.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Config packages are not used: Debian's names an include folder that does not exist, and a header
# and a library that were both found on disk need nothing else.

# the version as text: 2.2.2 is written 222 in the header, 3.12.0 is written 3012000
function(mujoco_version_text number out)
  if(number LESS 1000)
    string(REGEX REPLACE "^(.)(.)(.)$" "\\1.\\2.\\3" text ${number})
  else()
    math(EXPR major "${number} / 1000000")
    math(EXPR minor "${number} / 1000 % 1000")
    math(EXPR patch "${number} % 1000")
    set(text ${major}.${minor}.${patch})
  endif()
  set(${out} ${text} PARENT_SCOPE)
endfunction()

# the leading blank keeps CMake from wrapping the line
function(mujoco_fail text)
  message(FATAL_ERROR " MUJOCO=${MUJOCO}: ${text}")
endfunction()

# header and library below a folder, or the system's when no folder is given
function(mujoco_locate folder)
  if(folder)
    set(where PATHS ${folder} ${folder}/mujoco NO_DEFAULT_PATH)
    file(GLOB versioned ${folder}/lib/libmujoco.so.* ${folder}/libmujoco.so.*
         ${folder}/mujoco/libmujoco.so.*)
  endif()
  find_path(header_dir mujoco/mujoco.h ${where} PATH_SUFFIXES include NO_CACHE)
  find_library(library mujoco ${where} PATH_SUFFIXES lib NO_CACHE)
  # a wheel has no plain libmujoco.so: take the one with a version in its name
  if(NOT library AND versioned)
    list(GET versioned 0 library)
  endif()
  # /usr/include without a final slash is recognised as the compiler's own and left out
  string(REGEX REPLACE "/$" "" header_dir "${header_dir}")
  set(MuJoCo_INCLUDE_DIR ${header_dir} PARENT_SCOPE)
  set(MuJoCo_LIBRARY ${library} PARENT_SCOPE)
endfunction()

# what mj_version() of the library says, asked by running it; a library that was asked before is not
# asked again until its file changes
function(mujoco_library_version out)
  file(TIMESTAMP ${MuJoCo_LIBRARY} stamp)
  set(asked "${MuJoCo_LIBRARY} ${stamp}")
  if(NOT "${MuJoCo_ASKED}" STREQUAL asked)
    set(source ${CMAKE_BINARY_DIR}/CMakeFiles/mujoco_version.c)
    file(WRITE ${source}
         "#include <stdio.h>\nint mj_version(void);\nint main(void) {\n"
         "  return printf(\"%d\", mj_version()) < 0;\n}\n")
    unset(mujoco_ran CACHE)
    unset(mujoco_linked CACHE)
    try_run(mujoco_ran mujoco_linked ${CMAKE_BINARY_DIR}/CMakeFiles ${source}
            LINK_LIBRARIES ${MuJoCo_LIBRARY} RUN_OUTPUT_VARIABLE number)
    if(NOT mujoco_linked OR NOT mujoco_ran EQUAL 0 OR NOT number MATCHES "^[0-9]+$")
      mujoco_fail("${MuJoCo_LIBRARY} is no usable MuJoCo library \
(a program that asks it for mj_version() does not link or run)")
    endif()
    set(MuJoCo_ASKED "${asked}" CACHE INTERNAL "library whose mj_version() is known")
    set(MuJoCo_LIBRARY_NUMBER ${number} CACHE INTERNAL "mj_version() of that library")
  endif()
  set(${out} ${MuJoCo_LIBRARY_NUMBER} PARENT_SCOPE)
endfunction()

# which folder to search, and what to do when nothing is there
if(MUJOCO STREQUAL "wheel")
  set(mujoco_folder ${CMAKE_SOURCE_DIR}/.deps/mujoco)
  set(mujoco_remedy "fetch it with `make` or `tools/setup build`")
elseif(MUJOCO STREQUAL "system")
  set(mujoco_folder "")
  set(mujoco_remedy "install it with `apt-get install libmujoco-dev`")
elseif(MUJOCO)
  get_filename_component(mujoco_folder ${MUJOCO} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  set(mujoco_remedy "MUJOCO is wheel, system or a folder with include/mujoco/mujoco.h and \
lib/libmujoco.so")
else()
  mujoco_fail("it is wheel, system or the folder of a MuJoCo")
endif()

# both parts must be there
mujoco_locate("${mujoco_folder}")
if(NOT MuJoCo_INCLUDE_DIR OR NOT MuJoCo_LIBRARY)
  set(mujoco_absent "header mujoco/mujoco.h")
  if(MuJoCo_INCLUDE_DIR)
    set(mujoco_absent "library libmujoco.so")
  endif()
  if(mujoco_folder)
    string(APPEND mujoco_absent " in ${mujoco_folder}")
  endif()
  mujoco_fail("no ${mujoco_absent}; ${mujoco_remedy}")
endif()

# a library that disagrees with its header would be misread in silence
file(STRINGS ${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h mujoco_line REGEX "define +mjVERSION_HEADER")
if(NOT mujoco_line MATCHES "mjVERSION_HEADER +([0-9]+)")
  mujoco_fail("${MuJoCo_INCLUDE_DIR}/mujoco/mujoco.h states no version (mjVERSION_HEADER)")
endif()
set(mujoco_header_number ${CMAKE_MATCH_1})
mujoco_version_text(${mujoco_header_number} MuJoCo_VERSION)
if(NOT CMAKE_CROSSCOMPILING)
  mujoco_library_version(mujoco_library_number)
  if(NOT mujoco_library_number EQUAL mujoco_header_number)
    mujoco_version_text(${mujoco_library_number} mujoco_other)
    mujoco_fail("header says ${MuJoCo_VERSION}, library ${MuJoCo_LIBRARY} says ${mujoco_other}; \
they must be of one release")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MuJoCo REQUIRED_VARS MuJoCo_LIBRARY MuJoCo_INCLUDE_DIR
                                  VERSION_VAR MuJoCo_VERSION)

# the full path makes CMake give every program of the build tree the run path it needs
if(NOT TARGET MuJoCo::MuJoCo)
  add_library(MuJoCo::MuJoCo SHARED IMPORTED)
  set_target_properties(MuJoCo::MuJoCo PROPERTIES
    IMPORTED_LOCATION ${MuJoCo_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${MuJoCo_INCLUDE_DIR})
endif()
