#!/bin/bash
# The help has every command and every study, and completion has every command and option of the help.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_front.sh ESSBENCH COMPLETION, a folder
. "$(dirname "$0")/../support/cli_room.sh"
completion=$2

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
  expect "the options of $command fit their column" bash -c '! grep -qE "^ {30,}--" "$1"' - "$room/out"
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

# the variables of make that a study names are its options
grep -h '^    \.\(name\|make\) = "' "$(dirname "$0")"/../../experiments/studies/*.c | sed 's/.*\.\([a-z]*\) = "\(.*\)",/\1 \2/' >declared
expect 'studies are targets of make' [ "$(grep -c '^make ' declared)" -ge 14 ]
while read -r kind first variables; do
  [ "$kind" = name ] && study=$first && continue
  options "$study" >of_command
  for variable in $variables; do
    option=$(echo "${variable%%=*}" | tr A-Z a-z | sed 's/^ranks$/share/')
    expect "$study has --$option for make" grep -qx -- "--$option" of_command
  done
done <declared

# --- parameters of the models ---------------------------------------------------------------------

run run --help
# what a parameter is to each model ends with its default: a text that is too long is cut before that
sed -n '/Parameters of the models/,/Settings of libess/p' "$room/out" | tr -s ' \n' ' ' | sed 's/ --[a-z-]*=[A-Z]/\n&/g' |
  grep '^ --' >texts
expect 'parameters are explained' [ "$(grep -c . texts)" -ge 40 ]
expect 'none of it is cut' [ "$(grep -cvE 'default [^()]+\) ?(Settings of libess:)? ?$' texts)" -eq 0 ]
expect 'models that are told the same stand together' grep -qF 'ball, hopper, legged, plate, slip, trot, trot-on-springs: gravity' texts

# two screens, and the models that MuJoCo has; the others stand under essbench help models
run sweep --help
expect 'the help of sweep fits' [ "$(wc -l <"$room/out")" -le 100 ]
expect 'it tells of no parameter of relay' sh -c "! grep -qe --zeta '$room/out'"
run sweep --model relay --zeta 0.1 --out nowhere
expect 'and takes it' one_line 2 'relay: this model has no MuJoCo twin'
run help models
expect 'all models' success
cp "$room/out" models
run run --model nothing
names=$(sed 's/.*there are //; s/,//g' "$room/err")
expect 'there are models' [ "$(echo "$names" | wc -w)" -ge 15 ]
expect 'each of them once' [ "$(sed -n 's/^\([a-z0-9-]*\): .*/\1/p' models | tr '\n' ' ')" = "$names " ]
expect 'with their parameters' grep -q '^ *--zeta=X ' models
run help models more
expect 'nothing else' one_line 2 'more is not accepted after help models'

# --- bash -----------------------------------------------------------------------------------------

# shellcheck disable=SC1091
. "$completion/essbench"
compopt() { :; } # there is no line that is being edited

# what is offered for the last of these words
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _essbench "$essbench"
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
expect 'nothing for a number' offers '' essbench run --tolerance 1
expect 'nothing for no command' offers '' essbench nosuch --mo

# --- zsh ------------------------------------------------------------------------------------------

if command -v zsh >/dev/null; then
  expect 'zsh finds it' [ "$(head -n 1 "$completion/_essbench")" = '#compdef essbench' ]
  zsh_offers() { # words
    zsh -fc '_describe() { print -l ${(P)2%%:*}; }; compadd() { while [[ $1 != -- ]]; do shift; done; shift; (($#)) && print -l -- $@; }
      _files() { print files; }; words=("${@:2}") CURRENT=$(($# - 1)); source $1' zsh "$completion/_essbench" "$@" | tr -d = | sort
  }
  expect 'zsh: commands' [ "$(zsh_offers "$essbench" '')" = "$(echo "$commands" | sort)" ]
  for command in sweep run columns; do
    expect "zsh: options of $command" [ "$(zsh_offers "$essbench" "$command" --)" = "$(options "$command")" ]
  done
  expect 'zsh: else files' [ "$(zsh_offers "$essbench" run x)" = files ]
fi
finish
