# Writes HEADER with the last git commit of SOURCE that changed what is compiled (the first lines of
# tools/measured.list), and whether files differ from HEAD. A commit of pages alone makes no other
# build, so an interrupted study goes on after it. Run by the build; leaves an unchanged header
# alone. Without git or outside a checkout the commit is empty.
# SPDX-License-Identifier: GPL-3.0-or-later
cmake_minimum_required(VERSION 3.25)
set(commit "")
set(dirty 0)
find_program(GIT git)

# output of a git command, empty when it fails; takes no lock that another git might wait for
function(git_output variable)
  execute_process(COMMAND ${GIT} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    set(output "")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# a tarball unpacked inside somebody else's checkout must not claim that checkout's commit
if(GIT)
  git_output(prefix rev-parse --show-prefix)
  set(compiled "")
  if(EXISTS ${SOURCE}/tools/measured.list)
    file(READ ${SOURCE}/tools/measured.list lines)
    string(REGEX REPLACE "\n\n.*" "" lines "\n${lines}")
    string(REGEX MATCHALL "\n[^# \n][^ \n]*" compiled "${lines}")
    list(TRANSFORM compiled STRIP)
  endif()
  git_output(commit log -1 --format=%H -- ${compiled})
  if(commit STREQUAL "")
    git_output(commit rev-parse HEAD)
  endif()
  if(NOT prefix STREQUAL "")
    set(commit "")
  endif()
endif()

# any change to a tracked file counts; of the others only those the build would pick up
if(commit)
  git_output(changed status --porcelain --untracked-files=no)
  git_output(added ls-files --others --exclude-standard -- *.c *.h *.cmake *CMakeLists.txt)
  if(changed OR added)
    set(dirty 1)
  endif()
endif()

file(CONFIGURE OUTPUT ${HEADER} CONTENT "/* Generated: the commit this build was made from. */
#define MEASURE_GIT_COMMIT \"@commit@\"
#define MEASURE_GIT_DIRTY @dirty@
" @ONLY)
