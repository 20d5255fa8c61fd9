# Reads an example program, the source of defaults and C headers, and writes man(7) pages into the
# folder `folder`, dated `date`. See tools/manual. What it understands of a header is what ess.h
# consists of: comments that begin a line, of which the first is about the whole of it, ESS_API prototypes, typedefs of structs and enums whose members have a comment before
# them or behind them, macros below a comment, and comments /* ---- title ---- */ that head groups.
# SPDX-License-Identifier: Apache-2.0

# --- reading -------------------------------------------------------------------------------------

FNR == 1 { file_number++ }

# the first file is the example: all but the comment that opens it
file_number == 1 {
  if (code_begun) example = example $0 "\n"
  if (/\*\//) code_begun = 1
  next
}

# the second file has functions that return a structure: what they name of it, and the rest is 0
file_number == 2 {
  if (match($0, /^[a-z_]+ [a-z_]+_default\(void\)/)) defaulted = $1
  if (/^}/) defaulted = ""
  line = $0
  while (defaulted != "" && match(line, /\.[a-z_]+ = [^,}]+/)) {
    split(substr(line, RSTART + 1, RLENGTH - 1), pair, / = /)
    defaults[defaulted, pair[1]] = pair[2]
    has_defaults[defaulted] = 1
    line = substr(line, RSTART + RLENGTH)
  }
  next
}

# the others are headers
FNR == 1 {
  header = FILENAME
  sub(/.*\//, "", header)
  headers[++header_count] = header
}

/#define +ESS_VERSION +"/ {
  version = $3
  gsub(/"/, "", version)
}

# a member of the type being read, or its end
type != "" {
  if (/^}/) type = ""
  else read_member($0)
  next
}

/^\/\*/ {
  comment = read_comment($0)
  if (comment ~ /^----/) group = heading(comment)
  else if (!(header in overviews)) overviews[header] = comment
  else next
  comment = ""
  next
}

/^typedef (struct|enum) / {
  name = $3
  sub(/;/, "", name)
  add_page(name, $2)
  if (/{$/) type = name
}

/^ESS_API / {
  line = $0
  while (line !~ /;/ && (getline continued) > 0) line = line " " continued
  gsub(/ +/, " ", line)
  sub(/^ESS_API /, "", line)
  sub(/;.*/, "", line)
  match(line, /ess_[a-z0-9_]+\(/)
  name = substr(line, RSTART, RLENGTH - 1)
  add_page(name, "function")
  returns[name] = substr(line, 1, RSTART - 1)
  arguments[name] = substr(line, RSTART + RLENGTH, length(line) - RSTART - RLENGTH)
}

# macros that follow one another share the comment, and a page that has the first one's name
/^#define ESS_/ && (comment != "" || macros != "") {
  name = $2
  sub(/\(.*/, "", name)
  if (macros == "") {
    macros = name
    add_page(name, "macro")
  } else {
    names[macros] = names[macros] ", " name
  }
  members[macros, ++member_counts[macros]] = $0
}
!/^#define ESS_/ { macros = "" }

# whatever it was, the comment before it belongs to nothing else
{ comment = "" }

# the text of a comment that `line` begins; blank lines part its paragraphs
function read_comment(line,    text) {
  text = ""
  sub(/^ *\/\*+ ?/, "", line)
  while (line !~ /\*\//) {
    text = text line "\n"
    if ((getline line) <= 0) fail("a comment has no end")
    if (line !~ /^ *\*\//) sub(/^ *\*? ?/, "", line)
  }
  sub(/ *\*\/.*/, "", line)
  text = text line "\n"
  gsub(/^\n+|\n+$/, "", text)
  return text
}

# the title of a group, without what stands behind a colon
function heading(text) {
  gsub(/^-+ *| *-+$/, "", text)
  sub(/:.*/, "", text)
  return toupper(substr(text, 1, 1)) substr(text, 2)
}

function add_page(name, kind) {
  if (comment == "") fail(name " has no comment")
  pages[++page_count] = name
  names[name] = name
  kinds[name] = kind
  texts[name] = comment
  groups[name] = group
  included[name] = header
  member_counts[name] = 0
}

# one line of a type's body: a comment before a member, or a member and what is said behind it
function read_member(line,    k, text) {
  if (line ~ /^ *$/) {
    before = ""
    return
  }
  if (line ~ /^ *\/\*/) {
    before = read_comment(line)
    return
  }
  while (kinds[type] == "struct" && line !~ /;/ && (getline text) > 0) line = line text
  text = before
  if (match(line, /\/\*/)) {
    text = read_comment(substr(line, RSTART))
    line = substr(line, 1, RSTART - 1)
  }
  gsub(/^ +| +$/, "", line)
  gsub(/ +/, " ", line)
  k = ++member_counts[type]
  members[type, k] = line
  member_texts[type, k] = text
  before = ""
}

function fail(message) {
  print FILENAME ":" FNR ": " message | "cat >&2"
  failed = 1
  exit 1
}

# --- writing -------------------------------------------------------------------------------------

END {
  if (failed) exit 1
  for (p = 1; p <= page_count; p++) write_page(pages[p])
  for (p = 1; p <= header_count; p++) write_overview(headers[p], p == 1)
}

# a page up to where its synopsis goes on
function open_page(name, all_names, brief, header_name) {
  out = folder "/" name ".3"
  self = name
  split("", seen)
  put(".TH " name " 3 " date " \"libess " version "\" \"libess manual\"")
  put(".SH NAME")
  put(all_names " \\- " brief)
  put(".SH SYNOPSIS")
  put(".nf")
  put(".B #include <" header_name ">")
}

function write_page(name) {
  open_page(name, names[name], brief_of(texts[name]), included[name])
  put(".PP")
  if (kinds[name] == "function") put_prototype(name)
  else put_declaration(name)
  put(".fi")
  put(".SH DESCRIPTION")
  put_text(texts[name], ".PP")
  put_members(name)
  if (name in has_defaults) put_defaults(name)
  if (returns[name] == "int ") {
    put(".SH RETURN VALUE")
    put_text("ESS_SUCCESS, which is 0, or another ess_status, for which ess_strerror has a message.")
  }
  see(arguments[name])
  see(returns[name])
  see_users(name)
  if (included[name] != headers[1]) seen[title_of(included[name])] = 1
  put_see_also()
  close(out)
}

# the page of a header
function title_of(header_name) {
  if (header_name == headers[1]) return "libess"
  sub(/\.h$/, "", header_name)
  return header_name
}

# what a header is, and what is in it; the first's page has all headers'
function write_overview(header_name, is_first,    p, name, last, text, title) {
  text = overviews[header_name]
  title = title_of(header_name)
  sub(/^[a-z_.]+: */, "", text)
  open_page(title, title ", " header_name, brief_of(text), header_name)
  put(".fi")
  put(".SH DESCRIPTION")
  sub(/\n*SPDX[^\n]*/, "", text)
  sub(/^[^\n]*(\n[^\n]+)*\n\n/, "", text)
  put_text(text, ".PP")
  for (p = 1; p <= page_count; p++) {
    name = pages[p]
    if (!is_first && included[name] != header_name) continue
    if (groups[name] != last) put(".SS " groups[name])
    last = groups[name]
    put(".TP")
    put(".BR " name " (3)")
    put(brief_of(texts[name]))
  }
  if (is_first) put_example()
  put_see_also()
  close(out)
}

function put_example() {
  put(".SH EXAMPLES")
  put_text("A point mass dropped onto a spring; prints each crossing of the guard:")
  put_literal(example)
  put(".PP")
  put_text("With pkg-config it is built by")
  put_literal("cc hopper.c $(pkg-config --cflags --libs ess) -o hopper")
}

# in bold, with its arguments in italics
function put_prototype(name,    list, n, k, line, rest, word) {
  n = split(wrapped(returns[name] name "(" arguments[name] ");"), list, /\n/)
  for (k = 1; k <= n; k++) {
    line = ""
    rest = list[k]
    while (match(rest, /[a-z0-9_]+(\[[a-z0-9]*\])?[,)]/)) {
      word = substr(rest, RSTART, RLENGTH)
      sub(/[^a-z0-9_].*/, "", word)
      line = line substr(rest, 1, RSTART - 1)
      line = line (word == "void" ? word : "\\fP\\fI" word "\\fP\\fB")
      rest = substr(rest, RSTART + length(word))
    }
    put("\\fB" line rest "\\fP")
  }
}

# a type or macro, without its comments
function put_declaration(name,    k) {
  if (kinds[name] == "macro") {
    for (k = 1; k <= member_counts[name]; k++) put(members[name, k])
  } else if (member_counts[name]) {
    put("typedef " kinds[name] " " name " {")
    for (k = 1; k <= member_counts[name]; k++) put(wrapped("  " members[name, k]))
    put("} " name ";")
  } else {
    put("typedef " kinds[name] " " name " " name ";")
  }
}

# the names of a declaration's members, and what is said of them
function put_members(name,    k) {
  for (k = 1; k <= member_counts[name]; k++) {
    if (member_texts[name, k] != "") {
      put(".TP")
      put((kinds[name] == "enum" ? ".B " : ".I ") names_of(members[name, k]))
      put_text(member_texts[name, k], ".IP")
    }
    see(members[name, k])
  }
}

# each member with its default
function put_defaults(name,    k, j, n, list, value) {
  put(".SH DEFAULTS")
  put(".nf")
  put(".ta 20n")
  for (k = 1; k <= member_counts[name]; k++) {
    n = split(names_of(members[name, k]), list, /, /)
    for (j = 1; j <= n; j++) {
      value = members[name, k] ~ /\*|ess_observer/ ? "NULL" : "0"
      if ((name, list[j]) in defaults) value = defaults[name, list[j]]
      put(list[j] "\t" value)
    }
  }
  put(".fi")
}

function names_of(declaration,    list, n, k, result) {
  sub(/[;,]$/, "", declaration)
  if (match(declaration, /\(\*[a-z0-9_]+\)/)) return substr(declaration, RSTART + 2, RLENGTH - 3)
  sub(/ *=.*/, "", declaration)
  n = split(declaration, list, /, */)
  for (k = 1; k <= n; k++) {
    gsub(/\[[^]]*\]/, "", list[k])
    sub(/^.*[ *]/, "", list[k])
    result = result (k > 1 ? ", " : "") list[k]
  }
  return result
}

function put_see_also(    list, n, k, name) {
  n = 0
  seen["libess"] = 1
  for (name in seen) {
    if (name == self) continue
    for (k = ++n; k > 1 && list[k - 1] > name; k--) list[k] = list[k - 1]
    list[k] = name
  }
  put(".SH SEE ALSO")
  for (k = 1; k <= n; k++) put(".BR " list[k] " (3)" (k < n ? "," : ""))
}

# remembers for SEE ALSO which pages a piece of the header names
function see(text) {
  while (match(text, /ess_[a-z0-9_]+/)) {
    if (substr(text, RSTART, RLENGTH) in kinds) seen[substr(text, RSTART, RLENGTH)] = 1
    text = substr(text, RSTART + RLENGTH)
  }
}

# remembers the functions that take or return a type
function see_users(type_name,    p) {
  for (p = 1; p <= page_count; p++)
    if ((" " returns[pages[p]] arguments[pages[p]]) ~ (" " type_name " ")) seen[pages[p]] = 1
}

# --- text ----------------------------------------------------------------------------------------

function put(line) {
  print line > out
}

# what a comment says first, up to a full stop, semicolon or colon: plain words in lower case
function brief_of(text,    first) {
  gsub(/\n/, " ", text)
  gsub(/`/, "", text)
  if (match(text, /[.;:]( |$)/)) text = substr(text, 1, RSTART - 1)
  first = substr(text, 1, 2)
  if (first ~ /^[A-Z][a-z ]/) text = tolower(substr(text, 1, 1)) substr(text, 2)
  return escaped(text)
}

# `between` is the request that parts paragraphs
function put_text(text, between,    list, n, k) {
  n = split(text, list, /\n\n+/)
  for (k = 1; k <= n; k++) {
    if (k > 1) put(between)
    see(list[k])
    put_paragraph(list[k])
  }
}

# a line of output for each sentence
function put_paragraph(text) {
  gsub(/\n/, " ", text)
  gsub(/ +/, " ", text)
  text = marked(text)
  while (match(text, /[A-Za-z0-9)\]]\. [^ a-z]/)) {
    put(guarded(substr(text, 1, RSTART + 1)))
    text = substr(text, RSTART + 3)
  }
  put(guarded(text))
}

function put_literal(text,    list, n, k) {
  sub(/\n+$/, "", text)
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  gsub(/`/, "\\(ga", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  put(".PP")
  put(".in +2")
  put(".nf")
  n = split(text, list, /\n/)
  for (k = 1; k <= n; k++) put(guarded(list[k]))
  put(".fi")
  put(".in")
}

# no line of text may look like a request
function guarded(line) {
  return line ~ /^[.']/ ? "\\&" line : line
}

# a minus sign is one that begins a word; other hyphens stay hyphens
function escaped(text,    result) {
  gsub(/\\/, "\\e", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  while (match(text, /(^|[ (])-[0-9a-z]/)) {
    result = result substr(text, 1, RSTART + RLENGTH - 3) "\\-"
    text = substr(text, RSTART + RLENGTH - 1)
  }
  return result text
}

# fonts: `code` and *stress* in italics, constants and the names of other pages in bold
function marked(text,    result, word, next_text) {
  text = escaped(text)
  while (match(text, /`[^`]+`|\*[a-z]+\*|[Ee][Ss][Ss]_[A-Za-z0-9_.]*[A-Za-z0-9_](\(\))?/)) {
    word = substr(text, RSTART, RLENGTH)
    result = result substr(text, 1, RSTART - 1) marked_word(word)
    text = substr(text, RSTART + RLENGTH)
  }
  return result text
}

function marked_word(word) {
  if (word ~ /^[`*]/) return "\\fI" substr(word, 2, length(word) - 2) "\\fP"
  sub(/\(\)$/, "", word)
  if (word == self || word ~ /^ESS_/) return "\\fB" word "\\fP"
  if (word in kinds) return "\\fB" word "\\fP(3)"
  return "\\fI" word "\\fP"
}

# a declaration on lines of at most 78 characters, parted behind commas
function wrapped(line,    result, cut, indent) {
  while (length(indent line) > 78) {
    cut = 78 - length(indent)
    while (cut > 1 && substr(line, cut - 1, 2) != ", ") cut--
    if (cut <= 1) break
    result = result indent substr(line, 1, cut - 1) "\n"
    line = substr(line, cut + 1)
    indent = "      "
  }
  return result indent line
}
