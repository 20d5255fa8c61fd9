#!/bin/bash
# Completion and the manual page have every command and option that --help has, and complete what may
# stand there.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_front.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# --- the words there are, as the help has them ----------------------------------------------------

run --help
commands=$(sed -n 's/^  \([a-z-]*\) .*/\1/p' "$room/out")
expect 'there are commands' [ "$(echo "$commands" | wc -l)" -ge 20 ]
titles=$(grep -E '^[A-Z][a-z ]+$' "$room/out")
expect 'they stand under titles' [ "$titles" ]
under() { sed -n "/^$1\$/,/^\$/s/^  \([a-z-]*\) .*/\1/p" "$room/out" | tr '\n' ' '; }
expect 'no title is empty' [ -z "$(echo "$titles" | while read -r title; do [ "$(under "$title")" ] || echo no; done)" ]
expect 'each of them once' [ -z "$(echo "$commands" | sort | uniq -d)" ]
cp "$room/out" help
for command in $commands; do
  run "$command" --help
  cp "$room/out" of_command
  run help "$command"
  expect "help $command is $command --help" cmp -s "$room/out" of_command
done
run columns nosuch
studies=$(sed 's/.*there are //; s/,//g' "$room/err")
expect 'there are studies' [ "$(echo "$studies" | wc -w)" -ge 15 ]
for study in $studies; do
  expect "the help has $study" grep -q "^  $study " help
done
# a command's options, without values
options() { run "$1" --help; grep -oE '^ {2,6}(-[a-z], )?--[a-z-]+' "$room/out" | grep -oE -- '--.*' | sort; }

# --- bash -----------------------------------------------------------------------------------------

run completion bash
expect 'a script for bash' success
cp "$room/out" complete.bash
expect 'it is one' bash -n complete.bash
# shellcheck disable=SC1091 # written by the program
. ./complete.bash
compopt() { :; } # there is no line that is being edited

# what is offered for the last of these words, as bash takes them apart
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _essbench
  printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # wanted, words
  local wanted=$1
  shift
  [ "$(offered "$@" | tr '\n' ' ')" = "$wanted " ]
}
expect 'commands' [ "$(offered essbench '' | grep -v ^--)" = "$commands" ]
expect 'a command' offers sweep essbench sw
for command in $commands; do
  expect "all options of $command" [ "$(offered essbench "$command" -- | tr -d = | sort)" = "$(options "$command")" ]
done
expect 'none of the program alone' [ -z "$(offered essbench sweep --part)" ]
expect 'an option' offers --tolerance= essbench run --tol
expect 'one whose value need not be' offers --plot essbench run --plot
expect 'a model' offers 'hill hopper' essbench run --model h
expect 'a model, by =' offers 'hill hopper' essbench run --model = h
expect 'models, by =' [ "$(offered essbench run --model = | wc -l)" -ge 10 ]
run run --help
for model in $(offered essbench run --model ''); do
  expect "the help has $model" grep -qE "(^|[ ,])$model([ ,]|\$)" "$room/out"
done
# what a parameter is to each model ends with its default: a text that is too long is cut before that
sed -n '/Parameters of the models/,/Settings of libess/p' "$room/out" | tr -s ' \n' ' ' | sed 's/ --[a-z-]*=[A-Z]/\n&/g' |
  grep '^ --' >texts
expect 'parameters are explained' [ "$(grep -c . texts)" -ge 40 ]
expect 'none of it is cut' [ "$(grep -cvE 'default [^()]+\) ?(Settings of libess:)? ?$' texts)" -eq 0 ]
expect 'models that are told the same stand together' grep -qF 'ball, hopper, plate, robot, slip, trot, trot-on-springs: gravity' texts
expect 'a model that is an argument' offers 'hill hopper' essbench xml h
expect 'a solver' offers 'libess listing location' essbench run --solver l
expect 'a solver behind another' offers mujoco,libess essbench sweep --solvers mujoco,libe
expect 'a protocol' offers equal-error essbench sweep --protocol equal
expect 'a method behind others' offers projection-1,hybrid essbench work-precision --methods projection-1,hyb
expect 'a variant' offers implicitfast essbench run --variant implicitf
expect "a parameter's name" offers paper essbench run --law pa
expect 'a study' offers sweep essbench columns sw
expect 'a shell' offers 'bash zsh' essbench completion ''
expect 'nothing for a number' offers '' essbench run --tolerance 1
expect 'nothing for no command' offers '' essbench nosuch --mo
mkdir 'a folder'
expect 'a path' offers 'a folder' essbench order --out a
expect 'a path that is an argument' offers 'a folder' essbench compare a

# --- zsh ------------------------------------------------------------------------------------------

run completion zsh
expect 'a script for zsh' success
cp "$room/out" _essbench
expect 'zsh finds it' [ "$(head -n 1 _essbench)" = '#compdef essbench' ]
for command in $commands; do
  expect "zsh: $command" grep -qE "^    '$command:" _essbench
  expect "zsh: its options" [ "$(sed -n "/^    $command)/,/;;/p" _essbench |
    grep -oE "^        '--[a-z-]+" | tr -d " '" | sort)" = "$(options "$command")" ]
done
if command -v zsh >/dev/null; then
  expect 'it is one for zsh' zsh -n _essbench
fi
expect 'zsh: by titles' [ "$(sed -n "s/^    _describe -t commands '\(.*\)' commands/\1/p" _essbench)" = "$titles" ]

run completion fish
expect 'another shell' one_line 2 'no completion for fish; there are bash, zsh'
run completion zhs
expect 'a slip' one_line 2 'did you mean zsh?'
run completion
expect 'no shell' one_line 2 'SHELL is missing'

# --- the manual -----------------------------------------------------------------------------------

run man
expect 'a manual page' success
cp "$room/out" essbench.1
expect 'by titles' [ "$(sed -n 's/^\.SH COMMANDS: //p' essbench.1)" = "$(echo "$titles" | tr a-z A-Z)" ]
for command in $commands; do
  expect "the manual has $command" grep -qx ".SS $(echo "$command" | sed 's/-/\\\\-/g')" essbench.1
  for option in $(options "$command"); do
    if [ "$option" != --help ]; then
      expect "and its $option" grep -qE "^\.BR $(echo "$option" | sed 's/-/\\\\-/g')( |$)" essbench.1
    fi
  done
done
if command -v mandoc >/dev/null; then
  # only a page without a date is written twice the same
  found=$(mandoc -T lint -W warning essbench.1 | grep -v 'missing date')
  expect "mandoc has no word against it: $found" [ -z "$found" ]
fi
finish
