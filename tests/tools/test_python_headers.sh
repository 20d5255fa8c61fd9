#!/bin/bash
# Where the Python package's build has Python.h from, with made-up interpreters and a made-up apt-get.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_python_headers.sh SOURCES
. "$(dirname "$0")/../support/check.sh"
mkdir -p "$room/bin"
cat >"$room/find.cmake" <<END
include($1/cmake/PythonHeaders.cmake)
message(STATUS "headers: \${python_headers}")
END

# an interpreter that says of itself: where its headers are, and the version where it is the distribution's
interpreter() { # headers, version
  cat >"$room/python" <<END
#!/bin/sh
case \$2 in *sysconfig*) echo '$1' ;; *) echo '$2' ;; esac
END
  chmod +x "$room/python"
}

# an apt-get that makes such a package, or has none: what it is asked for is kept
packages() { # make or refuse
  rm -f "$room/asked"
  cat >"$room/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>'$room/asked'
[ $1 = make ] || exit 100
mkdir -p p/DEBIAN p/usr/include/python3.11 p/usr/include/x86_64-linux-gnu/python3.11
echo real >p/usr/include/python3.11/Python.h
echo '#include <x86_64-linux-gnu/python3.11/pyconfig.h>' >p/usr/include/python3.11/pyconfig.h
echo '#define HERE' >p/usr/include/x86_64-linux-gnu/python3.11/pyconfig.h
touch -d 2000-01-01 p/usr/include/python3.11/pyconfig.h p/usr/include/*/python3.11/pyconfig.h
printf 'Package: libpython3.11-dev\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: b\n' >p/DEBIAN/control
dpkg-deb --build p libpython3.11-dev_1_all.deb >/dev/null && rm -r p
END
  chmod +x "$room/bin/apt-get"
}

configure() {
  (cd "$room" && PATH=$room/bin:$PATH cmake -DPython_EXECUTABLE="$room/python" -P find.cmake >said 2>&1)
}

mkdir -p "$room/own"
touch "$room/own/Python.h"
packages make
interpreter "$room/own" 3.11
configure && grep -qF "headers: $room/own" "$room/said" && [ ! -e "$room/asked" ]
check 'its own headers, and apt-get is not asked' $?

unpacked=$room/python-headers/usr/include/python3.11
if command -v dpkg-deb >/dev/null; then
  interpreter /nowhere 3.11
  configure && grep -qxF "download libpython3.11-dev" "$room/asked" && grep -qF "headers: $unpacked" "$room/said"
  check 'the package is fetched where the distribution keeps them apart' $?
  [ "$(cat "$unpacked/Python.h" "$unpacked/pyconfig.h")" = "real
#define HERE" ]
  check 'one folder has all' $?
fi

# in one line, with the package that has them
refuses() {
  ! configure && [ "$(grep -c 'libess: there is no /nowhere/Python.h; as root run: apt-get install python3-dev' "$room/said")" = 1 ] &&
    ! grep -q 'headers:' "$room/said"
}
packages refuse
interpreter /nowhere 3.11
refuses
check 'refused where apt-get has it not' $?
packages make
interpreter /nowhere ''
refuses && [ ! -e "$room/asked" ]
check 'refused, and apt-get not asked, where the interpreter is not the distribution'"'"'s' $?
finish
