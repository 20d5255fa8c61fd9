#!/bin/bash
# tools/mutants on a library of one file: what it changes and what it leaves alone, its four verdicts, lists of mutants, that
# it goes on where it was, what a run with all tests takes over, and one line for each refusal.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_mutants.sh SOURCE
. "$(dirname "$0")/../support/check.sh"
mkdir -p "$room/integrator" "$room/tools" "$room/tests"
cp "$1"/tools/{mutants,page.py} "$room/tools"
cd "$room" || exit 1
cat >integrator/one.c <<'END'
/* a < b && c */
#include <assert.h>
#define MORE(a) ((a) \
                 + 1)
static const char *const said = "a + b"; // a == b
int one(int a, int *b, int c);
int one(int a, int *b, int c) {
  assert(a < 7 ||
         c > 3);
  const double half = 0.5;
  (void)half, (void)said;
  if (a >= 4 &&
      !*b) return a * c;
  switch (c) {
  case 0: return -1;
  case 1: return *b - 0x10;
  }
  return MORE(a);
}
END
cat >tests/test_one.c <<'END'
int one(int a, int *b, int c);
int main(void) { return one(9, &(int){0}, 7) != 63 || one(9, &(int){3}, 1) != -13 || one(2, &(int){0}, 7) != 3; }
END
cat >tests/test_two.c <<'END'
int one(int a, int *b, int c);
int main(void) { return one(4, &(int){0}, 7) != 28; }
END
cat >tests/CMakeLists.txt <<'END'
foreach(name one two)
  add_executable(test_${name} test_${name}.c)
  target_link_libraries(test_${name} PRIVATE ess_static)
  add_test(NAME ${name} COMMAND test_${name})
endforeach()
set_tests_properties(one PROPERTIES LABELS quick)
add_test(NAME house COMMAND false)
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(one LANGUAGES C)
enable_testing()
add_subdirectory(integrator)
add_subdirectory(tests)
END
cat >integrator/CMakeLists.txt <<'END'
add_library(ess_objects OBJECT one.c)
add_library(ess_static STATIC $<TARGET_OBJECTS:ess_objects>)
add_library(ess_shared SHARED $<TARGET_OBJECTS:ess_objects>)
END
git init -q . && git add -A

mutants() { tools/mutants "$@" >out 2>err; }
refused() { # status, line
  [ $? -eq "$1" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF "mutants: $2" err
  check "one line: $2" $?
}

mutants draw 1 10
check 'a list is drawn' $?
cat >wanted <<'END'
10:23 0.5 -> 0.75
12:6 (a >= 4 && !*b) -> (!(a >= 4 && !*b))
12:9 >= -> >
12:12 4 -> 6
12:14 && -> ||
13:7 ! -> nothing
13:21 * -> /
15:8 0 -> 1
15:19 1 -> 2
16:8 1 -> 2
16:21 - -> +
END
mutants draw 1 11
sed 's/.*one\.c://' out | sort -t: -k1n -k2n | cmp -s - wanted
check 'each place of the code has its mutant: no comment, text, assertion, or line of the preprocessor has' $?
cp out all
mutants draw 1 5
[ "$(head -n 5 all)" = "$(cat out)" ]
check 'a longer list begins with the shorter one' $?
mutants draw 2 11
[ "$(sort -k2 all | cut -d' ' -f2-)" = "$(sort -k2 out | cut -d' ' -f2-)" ] && ! cmp -s all out
check 'another seed is another order' $?

mutants draw 1 12
refused 2 'COUNT 12 is not accepted; integrator/ has 11 mutants'
mutants draw one 2
refused 2 'SEED one is not accepted; it is a whole number from 0 on; usage: tools/mutants draw SEED COUNT | run '
mutants run 1
refused 2 "'run 1' is not accepted"
mutants run 1 5 --speed
refused 2 "'--speed' is no option"
mutants run 1 5 --from
refused 2 '--from needs a value'
mutants run 1 5 --to 5
refused 2 '--from 0 --to 5 is not accepted; the numbers are 0 to 4'
mutants run 1 5 --label none
refused 1 'no test of the library is chosen by -L ^none$'

cat >some.csv <<'END'
# a comment
number,file,line,column,kind,before,after,note
3,integrator/one.c,12,6,branch,(a >= 4 && !*b),(!(a >= 4 && !*b)),it has two lines
5,,,,arithmetic,+,-,gone
7,integrator/one.c,12,9,comparison,>=,>,
END
mutants run some.csv --label quick
check 'a list of mutants is run' $?
[ "$(cut -d, -f1,3,4,8,9 build/mutants/some-quick.csv | tail -n +2 | paste -sd' ')" = '3,12,6,killed,one 7,12,9,survived,' ]
check 'the verdicts on a list' $?
mutants run some.csv --from 8
refused 2 '--from 8 --to 7 is not accepted; the numbers are 0 to 7'
sed -i 's/,12,9,/,12,8,/' some.csv
mutants run some.csv
refused 1 "some.csv: no '>=' at integrator/one.c:12:8"
sed -i 's/column/place/' some.csv
mutants run some.csv
refused 1 'some.csv is no list of mutants; its columns are number, file, line, column, kind, before, after'
mutants run none.csv
refused 1 'none.csv: No such file or directory'

mutants run 1 11 --label quick --to 3 && mutants run 1 11 --label quick --jobs 2
check 'all are run, in two parts' $?
[ "$(wc -l <err)" -eq 7 ]
check 'the second part leaves out those of the first' $?
verdict() { cut -d, -f3,4,8,9 build/mutants/1-quick.csv | grep -qx "$1"; }
for row in '10,23,same code,' 12,6,killed,one '12,9,survived,' '12,12,survived,' 12,14,killed,one 13,7,killed,one 13,21,killed,one \
  '15,8,no build,' '15,19,survived,' 16,8,killed,one 16,21,killed,one; do
  verdict "$row"
  check "a verdict: $row" $?
done
grep -qx '| all | 6 | 3 | 1 | 1 |' out && grep -q '^[0-9]* integrator/one.c:12:9 >= -> > : survived$' out
check 'the table, and who survived' $?
git diff --quiet
check 'the tree is as it was' $?

mutants run 1 11
check 'all tests are run, but one that does not see the library' $?
[ "$(wc -l <err)" -eq 3 ]
check 'a mutant that a label has killed is not run again' $?
for row in 12,6,killed,one 12,9,killed,two 12,12,killed,two '15,8,no build,' '15,19,survived,'; do
  cut -d, -f3,4,8,9 build/mutants/1-all.csv | grep -qx "$row"
  check "a verdict by all tests: $row" $?
done

cat >seen.py <<'END'
import json
seen, name = json.load(open("build/mutants/seen.json")), "integrator/one.c"
print([test for test in ("one", "two") if seen["lines"][test]], *(line in seen["code"][name] for line in (5, 14)),
      *(line in seen["lines"]["two"][name] for line in (12, 14)))
END
if type gcov >/dev/null; then
  [ "$(python3 seen.py)" = "['one', 'two'] False True True False" ]
  check 'which lines have code, and which of them a test runs' $?
fi

# a test that notices one of them
sed -i 's/|| one(2/|| one(4, \&(int){0}, 7) != 28 &/' tests/test_one.c
mutants run 1 11 --label quick
check 'who has a row is not run again' $?
[ ! -s err ] && mutants run 1 11 --label quick --again && [ "$(wc -l <err)" -eq 3 ] && grep -qx '| all | 8 | 1 | 1 | 1 |' out
check 'unless it survived, and that is asked for' $?
sed -i 's/a >= 4/a > 4/' integrator/one.c
mutants run 1 11 --label quick
refused 1 'build/mutants/1-quick.csv is of another tree or damaged; remove it to begin anew'
sed -i 's/a > 4/a >= 4/' integrator/one.c
rm build/mutants/1-quick.csv
sed -i 's/!= 63/!= 64/' tests/test_one.c
mutants run 1 1 --label quick
refused 1 'the test one fails without a mutant: ctest --test-dir '
finish
