# The whole way from a bare Debian machine: each target installs what is missing, configures, builds by
# CMake, and runs. A comment that begins with #: is the text of make help for the target below it.
# SPDX-License-Identifier: GPL-3.0-or-later
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c
.NOTPARALLEL:
.SUFFIXES:

define VARIABLES
CONTACTS=2..100   numbers of contacts: 2..100, 2..100..7, 2,5,10 and mixtures (10 of work-precision, ensemble)
TRIALS=120        initial conditions for each number of contacts
MODEL=plate       of work-precision, ensemble: any; of sweep: plate, or legged with results in OUT/legged
TARGET=0.01       RMS error of crossing-cost
STIFF=1e6         stiffness of springs, N/m, with which speed races, too
LABEL_KNOBS=1     write the parameter's value at the points of its figures (powers of ten)
ROBOT=FILE        of robot: an MJCF (.deps/robots/hopper.xml)
SEED=N            seed of the initial conditions and of the order of the runs
SOLVERS=A,B       which solvers race
PROTOCOL=A,B      paper, free, equal-error, targets (paper,equal-error unless you say)
PROCESSES=12      processes that the starts of the sweep are spread over (2 for tolerance, 5 for speed)
RANKS=4           shares of a study's cells, started by mpirun, and merged
MUJOCO=wheel      wheel (pinned official release), system (libmujoco-dev) or a folder
RUNS=1000000      inputs of make fuzz
BASE=rev          the revision whose times make regress compares with
PAIRS=20          pairs of processes by which it does
SMALL=1           make results in a clone, with every study as short as it can be
ONLY=A,B          parts of make results (speed, sweep...) or cases of make outside; a wrong one lists all
ALL=1             make figures measures first what has not been measured, which takes hours
PREFIX=/usr/local where make install installs to
OUT=results       folder for results and figures
endef

MUJOCO ?= wheel
OUT ?= results
RUNS ?= 1000000
MODEL ?= plate
ROBOT ?= .deps/robots/hopper.xml
# as the GNU coding standards have it, too
PREFIX ?= $(if $(filter command,$(origin prefix)),$(prefix),/usr/local)
# one build folder for each kind of MuJoCo, so that switching never mixes two
SUFFIX := $(if $(filter wheel,$(MUJOCO)),,$(if $(filter system,$(MUJOCO)),-system,-path))
RELEASE := build/release$(SUFFIX)
comma := ,
bar := |
define newline


endef
quote = '$(subst ','\'',$(1))'

# The declarations of studies in their sources: TARGET|option/VARIABLE/default|...:name:file:setup
declared := $(shell awk -F'"' '/^    \.name = / { name = $$2; setup = "build" } \
  /^    \.file = / { file = $$2 } /^    \.figures = / { setup = "figures" } \
  /^    \.make = / { count = split($$2, word, " "); said = word[1]; for (i = 2; i <= count; i++) { \
    split(word[i], of, "="); said = said "|" tolower(of[1]) "/" of[1] "/" of[2] } \
    print said ":" name ":" file ":" setup }' experiments/studies/*.c)
field = $(word $(1),$(subst :, ,$(2)))
words-of = $(subst $(bar), ,$(call field,1,$(1)))
drawn := $(foreach d,$(declared),$(if $(filter figures,$(call field,4,$(d))),$(d)))

# a variable that nothing reads is a mistake, and so is a target that nothing makes: it is told before
# the others are made. What compilers, CMake and tools take from any make is none
own := $(firstword $(MAKEFILE_LIST))
settings := $(shell sed -n '/^define VAR/,/^endef/s/^\([A-Z_]*\)=.*/\1/p' $(own))
targets := $(foreach d,$(declared),$(firstword $(call words-of,$(d)))) $(shell sed -n \
  '/^define /,/^endef/d; s/^\([a-z][a-z -]*\):\( .*\)*$$/\1/p' $(own))
customary := CC CXX CPP LD AR NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS V VERBOSE DESTDIR \
  prefix SHELL MAKE MAKEFLAGS MFLAGS PATH HOME TMPDIR LANG LC_% CMAKE_% CTEST_% CCACHE_% PKG_CONFIG% \
  SOURCE_DATE_EPOCH INSTALL AM_% DEB_% %_proxy
given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
close = import difflib, sys; print(*difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1))
nearest = $(shell python3 -c '$(close)' $(call quote,$(1)) $(2) 2>/dev/null)
refuse = $(error $(1)$(if $(2),; did you mean $(2)?,;) make help says what there is)
$(foreach name,$(filter-out $(settings) $(customary),$(given)),$(call refuse,there is no $(name) to \
  set,$(call nearest,$(shell printf %s $(call quote,$(name)) | tr a-z A-Z),$(settings))))
$(foreach name,$(filter-out $(targets),$(MAKECMDGOALS)),$(call refuse,there is no target \
  $(name),$(call nearest,$(name),$(targets))))
ifeq ($(and $(RANKS),$(shell expr $(call quote,x$(RANKS)) : 'x[1-9][0-9]*$$')),0)
  $(error RANKS=$(RANKS) is not accepted; it is a whole number from 1 on)
endif
# a report of nothing is told before the program is built; results/baseline is no measurement
ifeq ($(MAKECMDGOALS)$(shell find $(call quote,$(OUT)) -path '*/baseline' -prune -o -name '*.json' -print 2>/dev/null | head -n 1),report)
  $(error $(OUT) holds no results to report; make sweep measures some, and so does each experiment of make help)
endif
.PHONY: $(targets)

essbench = $(RELEASE)/experiments/essbench
# a study, in shares of its cells where the user wants some: as root too, and on few cores
study = $(if $(RANKS),mpirun --allow-run-as-root --oversubscribe -n $(call quote,$(RANKS)) )$(essbench)
shared = $(if $(RANKS), --share auto && $(essbench) merge $(1))
out = --out $(call quote,$(OUT))
result = $(call quote,$(OUT)/$(1))
figures = $(essbench) figures $(if $(LABEL_KNOBS),--label-knobs) $(or $(1),$(out))
# $(call options,option/VARIABLE/default ...): what the user sets, or else the default
option = $(if $(2),--$(1) $(call quote,$(2)))
said = $(call option,$(word 1,$(1)),$(if $(filter undefined file,$(origin $(word 2,$(1)))),$(word 3,$(1)),$($(word 2,$(1)))))
options = $(foreach w,$(1),$(call said,$(subst /, ,$(w))))
# $(call measure,study): its command, with its own choice of what the user does not choose
ranked = $(findstring $(bar)ranks/,$(1))
measure = $(if $(ranked),$(study),$(essbench)) $(call field,2,$(1)) $(call options,$(filter-out \
  ranks/%,$(wordlist 2,99,$(words-of)))) $(out)$(if $(ranked),$(call shared,$(out)))
# another model than the plate has a folder of its own, and fewer and equal errors alone unless the
# user says otherwise: what epsilon is to be is calibrated for the plate, and runs of many legs are long
other := $(filter-out plate,$(MODEL))
swept := $(if $(other),contacts/CONTACTS/2+4+6+10+20+50+100 trials/TRIALS/24,contacts/CONTACTS/2..100 trials/TRIALS) \
  seed/SEED solvers/SOLVERS protocol/PROTOCOL/$(if $(other),,paper+)equal-error processes/PROCESSES
sweep-out = --out $(call quote,$(OUT)$(if $(other),/$(MODEL)))
sweep = $(study) sweep $(if $(other),$(call option,model,$(MODEL))) $(call options,$(subst +,$(comma),$(swept))) \
  $(sweep-out)$(call shared,$(sweep-out))
# $(call work-precision,model options), and of the models that figures show those that are not there
runs = seed/SEED processes/PROCESSES
work-precision = $(study) work-precision $(1) $(call options,trials/TRIALS $(runs)) $(out)$(call shared,$(out))
model-of = --model $(word 1,$(1)) $(if $(word 2,$(1)),--contacts $(word 2,$(1)))
measure-models = $(foreach m,affine3 hopper plate_10 plate_100,@grep -qs '"name": "$(m)"' $(call \
  result,work_precision.json) || { set -x; $(call work-precision,$(call model-of,$(subst _, ,$(m)))); }$(newline)	)
# $(call build,folder,preset,targets): the inner build is no part of this make, so it gets none of its flags
define build
@mkdir -p $(1) && cmake --preset $(2) -B $(1) -DMUJOCO=$(call quote,$(MUJOCO)) >$(1)/configure.log
@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(1) $(if $(3),--target $(3)) \
  --parallel "$$(nproc)" | { grep --line-buffered -v 'Built target' || true; }
endef
# $(call check,folder,preset,options of ctest,targets): builds, and runs every test, or those chosen, and
# a failure when there is none; one that hangs ends, and a machine that is busy otherwise has time
define check
$(call build,$(1),$(2),$(4))
@echo "testing $(1)"
@ctest --test-dir $(1) $(3) --output-on-failure --no-tests=error --parallel "$$(nproc)" --timeout 1200
endef
# every suite runs; at the end stands how long each took, and which failed
suites = failed=; took=; for suite in $(1); do begun=$$SECONDS; $(MAKE) --no-print-directory $$suite || failed+=" $$suite"; \
  took+="$${took:+, }$$suite $$((SECONDS - begun)) s"; done; echo "$$took"; \
  [ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }; echo 'all passed'
sources = find . \( -path ./build -o -path ./env -o -path ./.deps -o -path ./.git -o -path ./results \) -prune \
  -o -name '*.[ch]' -print0 | xargs -0 -r clang-format

#: build essbench
all: build
build: setup-build build-essbench
build-essbench: ; $(call build,$(RELEASE),release,essbench)
setup-build setup-figures setup-install setup-test setup-robots setup-report setup-browser setup-python:
	@MUJOCO=$(call quote,$(MUJOCO)) RANKS=$(call quote,$(RANKS)) tools/setup $(@:setup-%=%)
define study-rule
$(firstword $(words-of)): setup-$(call field,4,$(1)) build-essbench
	$$(call measure,$(1))
	$(if $(filter figures,$(call field,4,$(1))),$$(figures))
endef
$(foreach d,$(declared),$(eval $(call study-rule,$(d))))
#: race the engines over CONTACTS: results and figures in OUT
sweep: setup-figures build-essbench
	$(sweep)
	$(call figures,$(sweep-out))
	@$(essbench) sweep --table $(sweep-out)
# one model where the user names it, or else all that figures has and the results have not
#: every method over its accuracy parameter, on MODEL with CONTACTS
work-precision: setup-figures build-essbench
	$(if $(filter-out file undefined,$(origin MODEL) $(origin CONTACTS)),$(call work-precision,$(call \
	  option,model,$(MODEL)) $(call options,contacts/CONTACTS)),$(measure-models))
	$(figures)
robot-file:
	@[ $(call quote,$(origin ROBOT)) = file ] || [ -r $(call quote,$(ROBOT)) ] || { \
	  printf '%s\n' $(call quote,make robot: ROBOT=$(ROBOT) cannot be read; it is an MJCF) >&2; exit 1; }
#: race MuJoCo and libess on ROBOT (an MJCF) at several errors
robot: robot-file setup-robots build-essbench
	$(essbench) robot $(call quote,$(ROBOT)) --race $(call options,starts/TRIALS $(runs)) $(out)
	$(figures)
#: draw the figures of what has been measured (ALL=1: measure the rest first, hours)
figures: setup-figures build-essbench
ifneq ($(ALL),)
	$(foreach d,$(drawn),@[ -e $(call result,$(call field,3,$(d)).json) ] || { set -x; $(call measure,$(d)); }$(newline)	)
	@[ -e $(call result,sweep.json) ] || { set -x; $(sweep); }
	$(measure-models)
else
	@missing=; for part in $(foreach d,$(drawn),$(call field,3,$(d))) sweep work_precision; do \
	  [ -e $(call quote,$(OUT))/$$part.json ] || missing="$$missing $$part"; done; \
	[ -z "$$missing" ] || echo "make figures: not measured, so not drawn:$$missing;" \
	  'make figures ALL=1 measures them first, which takes hours' >&2
endif
	$(figures)
#: results/report.html: figures, claims and where libess loses on one page, to look at
report: setup-report build-essbench
	$(figures)
	$(essbench) claims $(out) >/dev/null && tools/report $(call quote,$(OUT))
#: measure the numbers of all pages, an hour without the robots; write and commit them, part by part
results: setup-report setup-robots build-essbench ; @tools/results $(if $(SMALL),--small) $(if $(ONLY),--only $(call quote,$(ONLY))) $(essbench) $(call quote,$(OUT))
#: all pages and both references as HTML, in build/site; offline after set-up
site: setup-python ; @tools/python site python3
#: the tables of pages whose measured code has changed since
stale: ; @tools/page stale
#: the meaning of all columns of results, into build/docs/columns.md
columns: build-essbench ; mkdir -p build/docs && $(essbench) columns >build/docs/columns.md
#: the Python package, into the environment env
python: setup-python ; @tools/python install
#: the package's times against SciPy's, into docs/results/python.md
python-factors: setup-python ; @tools/python factors && tools/page results docs/results/python.md
# an engine, and the other one
race-engine = @if tools/engines install $(1); then tools/engines race $(1) $(essbench) $(call quote,$(OUT)/$(1)) && \
	  tools/page --without work_precision,crossing_cost,$(2) $(call quote,$(OUT)) docs/results/findings.md; fi
#: race Drake's integrators, which are fetched if they can be, into docs/results/findings.md
drake: setup-build build-essbench ; $(call race-engine,drake,simbody)
#: race Simbody's integrators, which are built from the source in Debian, into docs/results/findings.md
simbody: setup-build build-essbench ; $(call race-engine,simbody,drake)
#: cases that others have published or that other engines run, into docs/results/outside.md
outside:
	@tools/outside known $(call quote,$(ONLY)) && $(MAKE) --no-print-directory setup-figures python
	@env/bin/python -m pip install --disable-pip-version-check --quiet $$(grep -E '^(mujoco|scipy)==' tools/outside.pin)
	@status=0; tools/outside run $(call quote,$(OUT)) $(if $(ONLY),$(call quote,$(ONLY))) || status=$$?; \
	[ $$status -eq 2 ] || tools/page $(call quote,$(OUT)) docs/results/outside.md || status=$$?; exit $$status
#: audit trajectories of MuJoCo C and MJX, which is fetched, into docs/results/trajectories.md
trajectories: setup-robots setup-python
	@if tools/trajectories install; then tools/trajectories audit $(call quote,$(OUT)) && \
	  tools/page $(call quote,$(OUT)) docs/results/trajectories.md; fi
#: fifty robots of packages that are fetched, into docs/results/robots.md; after an interrupt it goes on
many-robots: setup-build build-essbench
	@cmp -s tools/many-robots.pin .deps/many-robots/done || { \
	  echo 'make many-robots: fetching the packages of tools/many-robots.pin: some 700 MB, minutes'; \
	  python3 -m pip install --disable-pip-version-check --quiet --no-deps --upgrade --no-compile \
	    --only-binary=:all: --target .deps/many-robots -r tools/many-robots.pin && \
	  cp tools/many-robots.pin .deps/many-robots/done; }
	$(essbench) robots tools/robots.list --folder .deps/many-robots --budget 10 --out $(OUT)/robot-errors
	$(essbench) robots tools/robots.list --race --folder .deps/many-robots --out $(OUT)/many-robots
	@tools/page --without robots,legged/sweep $(call quote,$(OUT)) docs/results/robots.md
#: libess and essbench below PREFIX, with manual and completion
install: setup-install
	$(call build,$(RELEASE),release,essbench ess_static ess_shared ess_manual)
	@tools/install add $(RELEASE) $(call quote,$(PREFIX))
#: remove the files of make install
uninstall: ; @tools/install remove $(call quote,$(PREFIX))
#: the source archive of this commit and its sum, in build/dist
dist: ; @tools/dist
#: build with gcc and test, in ten minutes
test: setup-test ; $(call check,$(RELEASE),release,--label-exclude '^long$$')
#: the tests of a minute, before a commit
test-quick: setup-test ; $(call check,$(RELEASE),release,--label-regex '^quick$$')
test-long: ; $(call check,$(RELEASE),release,--label-regex '^long$$')
test-clang: ; $(call check,build/clang$(SUFFIX),clang,--label-exclude '^(once|program)$$')
test-sanitized: ; $(call check,build/asan-ubsan$(SUFFIX),asan-ubsan,--label-exclude '^once$$')
plain = essbench check_cases test_guards test_affine test_bases
# without AVX: the counters and errors are those of results/baseline there too
test-plain: ; $(call check,build/plain$(SUFFIX),plain,--tests-regex '^(cases_guards|guards|affine|bases|regress)$$',$(plain))
test-rest: ; +@$(call suites,test-long test-clang test-sanitized test-plain test-python test-report test-site format-check)
#: everything: also clang, sanitizers, no AVX, Python, the report, format; 40 minutes
test-all: ; +@$(call suites,test test-rest)
#: the Python package: builds its wheel, installs it, runs its tests in an environment of their own
test-python: setup-python ; @tools/python test python3
#: the same for every Python at hand; its wheels are then in build/dist
test-wheels: setup-python ; @tools/python wheels
#: its robots with every release of MuJoCo that is supported
test-releases: setup-python ; @tools/python releases
#: the source archive, unpacked elsewhere: it is built and tested
test-dist: setup-test ; @tools/dist check
#: a small report in a headless browser; never skipped
test-report: setup-browser build-essbench
	@rm -rf build/report; set -x; for words in order 'sweep --contacts 2,10 --trials 2' derivative-error limbs contact-modes figures claims; do \
	  $(essbench) $$words --out build/report; done
	@tools/report build/report
	@tests/tools/report_page.py build/report && tests/tools/report_in_browser.sh build/report
#: the site in a headless browser
test-site: setup-browser site ; @tests/tools/site_in_browser.sh build/site
#: the regression test: counters, errors and times against baseline and an earlier revision
regress: setup-report build-essbench ; @BASE=$(call quote,$(BASE)) tools/regress $(RELEASE)
#: rewrite results/baseline, and show what that changes, which belongs into the commit's message
baseline: setup-report build-essbench ; @tools/regress --baseline $(RELEASE)
# goes on with earlier inputs; build/fuzz keeps one that fails: the program runs it again by its name
#: random systems against libess, guided by coverage; RUNS of them
fuzz: setup-test
	$(call build,build/clang$(SUFFIX),clang,fuzz_driver_guided)
	mkdir -p build/fuzz/corpus && build/clang$(SUFFIX)/tests/fuzz_driver_guided -max_len=800 -timeout=60 \
	  -runs=$(call quote,$(RUNS)) -artifact_prefix=build/fuzz/ build/fuzz/corpus
#: lay out the sources
format: setup-test ; @$(sources) -i
format-check: setup-test ; @$(sources) --dry-run -Werror
#: remove build/ (results and the fetched MuJoCo stay)
clean: ; rm -rf build
# the comments above, and the summaries of studies
help:
	@awk -F: '/^#: / { said = substr($$0, 4); next } said { printf "make %-15s %s\n", $$1, said } { said = "" }' $(own)
	@awk -F'"' '/^    \.summary = / { summary = $$2 } /^    \.make = / { split($$2, word, " "); \
	  printf "make %-15s %s\n", word[1], summary }' experiments/studies/*.c
	@echo
	@sed -n '/^define VARIABLES/,/^endef/{//!p}' $(own)
