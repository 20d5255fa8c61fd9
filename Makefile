# The whole way from a bare Debian machine: each target installs what is missing, configures, builds
# and runs. CMake does the building; this file only says in which order.
# SPDX-License-Identifier: GPL-3.0-or-later
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c
.NOTPARALLEL:
.SUFFIXES:

MUJOCO ?= wheel
OUT ?= results
CONTACTS ?= 2..100
TRIALS ?=
SEED ?=
SOLVERS ?=
PROTOCOL ?= paper,equal-error
PROCESSES ?=
RANKS ?=
BASE ?=
RUNS ?= 1000000
MODEL ?= plate
LABEL_KNOBS ?=
TARGET ?=
# as the GNU coding standards have it, too
PREFIX ?= $(if $(filter command,$(origin prefix)),$(prefix),/usr/local)
STIFF ?= 1e6
SMALL ?=
ONLY ?=
ALL ?=

# one build folder for each kind of MuJoCo, so that switching never mixes two
SUFFIX := $(if $(filter wheel,$(MUJOCO)),,$(if $(filter system,$(MUJOCO)),-system,-path))
RELEASE := build/release$(SUFFIX)

comma := ,
define newline


endef
# a value as one word of the shell, whatever it holds
quote = '$(subst ','\'',$(1))'

# a variable that nothing reads is a mistake: known are those of make help, and what compilers,
# CMake and tools take from any make
settings := MUJOCO OUT CONTACTS TRIALS SEED SOLVERS PROTOCOL PROCESSES RANKS BASE PAIRS RUNS MODEL \
  ROBOT LABEL_KNOBS TARGET PREFIX STIFF SMALL ONLY ALL
customary := CC CXX CPP LD AR NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS V VERBOSE DESTDIR \
  prefix SHELL MAKE MAKEFLAGS MFLAGS PATH HOME TMPDIR LANG LC_% CMAKE_% CTEST_% CCACHE_% PKG_CONFIG% \
  SOURCE_DATE_EPOCH INSTALL AM_% DEB_% %_proxy
given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
close = import difflib, sys; print(*difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1))
nearest = $(shell python3 -c '$(close)' $(call quote,$(1)) $(2) 2>/dev/null)
refuse = $(error $(1)$(if $(2),; did you mean $(2)?,;) make help says what there is)
upper = $(shell printf %s $(call quote,$(1)) | tr a-z A-Z)
$(foreach name,$(filter-out $(settings) $(customary),$(given)),$(call refuse,there is no $(name) to \
  set,$(call nearest,$(call upper,$(name)),$(settings))))

# What studies say of themselves in their sources: TARGET|option/VARIABLE/default|...:name:file:setup
declared := $(shell awk -F'"' 'FNR == 1 { setup = "build" } /^    \.name = / { name = $$2 } \
  /^    \.file = / { file = $$2 } /^    \.figures = / { setup = "figures" } \
  /^    \.make = / { count = split($$2, word, " "); said = word[1]; \
    for (i = 2; i <= count; i++) { split(word[i], of, "="); \
      said = said "|" tolower(of[1]) "/" of[1] "/" of[2] } \
    print said ":" name ":" file ":" setup }' experiments/studies/*.c)
bar := |
field = $(word $(1),$(subst :, ,$(2)))
words-of = $(subst $(bar), ,$(call field,1,$(1)))
target-of = $(firstword $(words-of))
drawn := $(foreach d,$(declared),$(if $(filter figures,$(call field,4,$(d))),$(d)))

# so is a target that nothing makes: it is told before the others are made, which may take hours
targets := all build test regress baseline $(foreach d,$(declared),$(call target-of,$(d))) sweep work-precision \
  robot figures help clean \
  columns dist format format-check fuzz install uninstall report results site stale test-dist test-report test-site setup-build setup-figures setup-install setup-test \
  drake outside trajectories many-robots setup-robots setup-report setup-browser setup-python robot-file python python-factors test-python test-wheels test-releases \
  build-essbench test-quick test-rest test-all test-long test-clang test-sanitized test-plain
$(foreach name,$(filter-out $(targets),$(MAKECMDGOALS)),$(call refuse,there is no target \
  $(name),$(call nearest,$(name),$(targets))))
ifeq ($(and $(RANKS),$(shell expr $(call quote,x$(RANKS)) : 'x[1-9][0-9]*$$')),0)
  $(error RANKS=$(RANKS) is not accepted; it is a whole number from 1 on)
endif
# a report of nothing is told before the program is built; results/baseline is no measurement
ifeq ($(MAKECMDGOALS),report)
  $(if $(shell find $(call quote,$(OUT)) -path '*/baseline' -prune -o -name '*.json' -print 2>/dev/null | head -n 1),,$(error \
    $(OUT) holds no results to report; make sweep measures some, and so does each experiment of make help))
endif

option = $(if $(2),--$(1) $(call quote,$(2)))
setup = @MUJOCO=$(call quote,$(MUJOCO)) RANKS=$(call quote,$(RANKS)) tools/setup
essbench = $(RELEASE)/experiments/essbench
# a study, in shares of its cells where the user wants some: as root too, and on few cores
study = $(if $(RANKS),mpirun --allow-run-as-root --oversubscribe -n $(call quote,$(RANKS)) )$(essbench)
shared = $(if $(RANKS), --share auto && $(essbench) merge $(1))
out = --out $(call quote,$(OUT))
result = $(call quote,$(OUT)/$(1))

# another model than the plate has a folder of its own, and fewer and equal errors alone unless the
# user says otherwise: what epsilon is to be is calibrated for the plate, and runs of many legs are long
sweep-choice = $(if $(filter plate,$(MODEL)),$(2),$(if $(filter file,$(origin $(1))),$(3),$($(1))))
legged-contacts = 2$(comma)4$(comma)6$(comma)10$(comma)20$(comma)50$(comma)100
sweep-out = --out $(call quote,$(OUT)$(if $(filter-out plate,$(MODEL)),/$(MODEL)))
sweep = $(study) sweep $(if $(filter-out plate,$(MODEL)),$(call option,model,$(MODEL))) \
  $(call option,contacts,$(call sweep-choice,CONTACTS,$(CONTACTS),$(legged-contacts))) \
  $(call option,trials,$(call sweep-choice,TRIALS,$(TRIALS),24)) $(call option,seed,$(SEED)) \
  $(call option,solvers,$(SOLVERS)) \
  $(call option,protocol,$(call sweep-choice,PROTOCOL,$(PROTOCOL),equal-error)) \
  $(call option,processes,$(PROCESSES)) $(sweep-out)$(call shared,$(sweep-out))
figures = $(essbench) figures $(if $(LABEL_KNOBS),--label-knobs) $(out)
sweep-figures = $(essbench) figures $(if $(LABEL_KNOBS),--label-knobs) $(sweep-out)
# a variable that the user sets, or else its default: $(call said,option VARIABLE default)
said = $(call option,$(word 1,$(1)),$(if $(filter undefined file,$(origin $(word 2,$(1)))),$(word 3,$(1)),$($(word 2,$(1)))))
options-of = $(foreach w,$(filter-out ranks/%,$(wordlist 2,99,$(words-of))),$(call said,$(subst /, ,$(w))))
# $(call measure,study): its command, with its own choice of what the user does not choose
measure = $(if $(findstring $(bar)ranks/,$(1)),$(study),$(essbench)) $(call field,2,$(1)) $(call \
  options-of,$(1)) $(out)$(if $(findstring $(bar)ranks/,$(1)),$(call shared,$(out)))
robot = $(essbench) robot $(call quote,$(ROBOT)) --race $(call option,starts,$(TRIALS)) $(call option,seed,$(SEED)) $(call \
  option,processes,$(PROCESSES)) $(out)
# $(call work-precision,model options)
work-precision = $(study) work-precision $(1) $(call option,trials,$(TRIALS)) $(call \
  option,seed,$(SEED)) $(call option,processes,$(PROCESSES)) $(out)$(call shared,$(out))
# the model's own number of contacts unless the user says another
chosen-model = $(call option,model,$(MODEL)) $(if $(filter-out file,$(origin CONTACTS)),$(call \
  option,contacts,$(CONTACTS)))
# $(call measure-model,name in the results,model options): measured unless it is there
measure-model = @grep -qs '"name": "$(1)"' $(call result,work_precision.json) || \
  { set -x; $(call work-precision,$(2)); }
define measure-models
$(call measure-model,affine3,--model affine3)
$(call measure-model,hopper,--model hopper)
$(call measure-model,plate_10,--model plate --contacts 10)
$(call measure-model,plate_100,--model plate --contacts 100)
endef

# $(call build,folder,preset,targets): the inner build is no part of this make, so it gets none of its
# flags
define build
@mkdir -p $(1)
@cmake --preset $(2) -B $(1) -DMUJOCO=$(call quote,$(MUJOCO)) >$(1)/configure.log
@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(1) $(if $(3),--target $(3)) \
  --parallel "$$(nproc)" | \
  { grep --line-buffered -v 'Built target' || true; }
endef

# $(call check,folder,options of ctest): every test, or those chosen, and a failure when there is none;
# one that hangs ends, and a machine that is busy otherwise has time
define check
@echo "testing $(1)"
@ctest --test-dir $(1) $(2) --output-on-failure --no-tests=error --parallel "$$(nproc)" --timeout 1200
endef

sources = find . \( -path ./build -o -path ./env -o -path ./.deps -o -path ./.git -o -path ./results \) -prune \
  -o -name '*.[ch]' -print0 | xargs -0 -r clang-format

.PHONY: $(targets)

all: build
build: setup-build build-essbench

setup-build setup-figures setup-install setup-test setup-robots setup-report setup-browser setup-python:
	$(setup) $(@:setup-%=%)

# the program alone; tests are built where they are run
build-essbench:
	$(call build,$(RELEASE),release,essbench)

# --- experiments ---------------------------------------------------------------------------------

define study-rule
$(call target-of,$(1)): setup-$(call field,4,$(1)) build-essbench
	$$(call measure,$(1))
	$(if $(filter figures,$(call field,4,$(1))),$$(figures))
endef
$(foreach d,$(declared),$(eval $(call study-rule,$(d))))

sweep: setup-figures build-essbench
	$(sweep)
	$(sweep-figures)
	@$(essbench) sweep --table $(sweep-out)

# one model where the user names it, or else all that figures has and the results have not
work-precision: setup-figures build-essbench
ifeq ($(origin MODEL) $(origin CONTACTS),file file)
	$(measure-models)
else
	$(call work-precision,$(chosen-model))
endif
	$(figures)

# the robot that ROBOT names, or one of those that tests run
ROBOT ?= .deps/robots/hopper.xml
robot-file:
	@[ $(call quote,$(origin ROBOT)) = file ] || [ -r $(call quote,$(ROBOT)) ] || { \
	  printf '%s\n' $(call quote,make robot: ROBOT=$(ROBOT) cannot be read; it is an MJCF) >&2; exit 1; }
robot: robot-file setup-robots build-essbench
	$(robot)
	$(figures)

# what has been measured is drawn again; ALL=1 measures first what is absent; the .json is written last
figures: setup-figures build-essbench
ifneq ($(ALL),)
	$(foreach d,$(drawn),@[ -e $(call result,$(call field,3,$(d)).json) ] || { set -x; $(call measure,$(d)); }$(newline)	)
	@[ -e $(call result,sweep.json) ] || { set -x; $(sweep); }
	$(measure-models)
else
	@missing=; for part in $(foreach d,$(drawn),$(call field,3,$(d))) sweep work_precision; do \
	  [ -e $(call quote,$(OUT))/$$part.json ] || missing="$$missing $$part"; \
	done; \
	[ -z "$$missing" ] || echo "make figures: not measured, so not drawn:$$missing;" \
	  'make figures ALL=1 measures them first, which takes hours' >&2
endif
	$(figures)

# one page of what is there: figures, claims, where libess loses
report: setup-report build-essbench
	$(figures)
	$(essbench) claims $(out) >/dev/null
	@tools/report $(call quote,$(OUT))

# the numbers of all pages, measured at this commit, written and committed part by part: an hour without
# the robots; or some parts; or as little as possible of it, in a clone
results: setup-report setup-robots build-essbench
	@tools/results $(if $(SMALL),--small) $(if $(ONLY),--only $(call quote,$(ONLY))) $(essbench) $(call quote,$(OUT))

# all pages with the references of C and Python, as HTML in build/site; a warning is an error
site: setup-python
	@tools/python site python3

# the tables of pages whose measured code has changed since
stale:
	@tools/page stale

# --- installing ----------------------------------------------------------------------------------

install: setup-install
	$(call build,$(RELEASE),release,essbench ess_static ess_shared ess_manual)
	@tools/install add $(RELEASE) $(call quote,$(PREFIX))

uninstall:
	@tools/install remove $(call quote,$(PREFIX))

# the source archive of this commit, and its sum, in build/dist
dist:
	@tools/dist

# --- checks --------------------------------------------------------------------------------------

# labels: tests/CMakeLists.txt
test: setup-test
	$(call build,$(RELEASE),release)
	$(call check,$(RELEASE),--label-exclude '^long$$')

test-quick: setup-test
	$(call build,$(RELEASE),release)
	$(call check,$(RELEASE),--label-regex '^quick$$')

# every suite runs, and those that failed are listed at the end
suites = failed=; for suite in $(1); do $(MAKE) --no-print-directory $$suite || failed+=" $$suite"; done; \
  [ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }; echo "all passed: $(1)"

test-rest:
	+@$(call suites,test-long test-clang test-sanitized test-plain test-python test-report test-site format-check)

test-all:
	+@$(call suites,test test-rest)

test-long:
	$(call build,$(RELEASE),release)
	$(call check,$(RELEASE),--label-regex '^long$$')

test-clang:
	$(call build,build/clang$(SUFFIX),clang)
	$(call check,build/clang$(SUFFIX),--label-exclude '^(once|program)$$')

test-sanitized:
	$(call build,build/asan-ubsan$(SUFFIX),asan-ubsan)
	$(call check,build/asan-ubsan$(SUFFIX),--label-exclude '^once$$')

# without AVX: the counters and errors are those of results/baseline there too
test-plain:
	$(call build,build/plain$(SUFFIX),plain,essbench check_cases test_guards test_affine test_bases)
	$(call check,build/plain$(SUFFIX),--tests-regex '^(cases_guards|guards|affine|bases|regress)$$')

# the Python package, into the environment env
python: setup-python
	@tools/python install

# what it costs against SciPy: measures it, and writes the page
python-factors: setup-python
	@tools/python factors
	@tools/page results docs/results/python.md

# the race against Drake, which is fetched, and its tables; where it cannot be had, one line
drake: setup-build build-essbench
	@if tools/drake install; then tools/drake race $(essbench) $(call quote,$(OUT)/drake) && \
	  tools/page --without work_precision,crossing_cost $(call quote,$(OUT)) docs/results/findings.md; fi

# numbers and engines of others: each case whose packages are there, and its tables; others keep theirs
outside: setup-figures python
	@env/bin/python -m pip install --disable-pip-version-check --quiet $$(grep -E '^(mujoco|scipy)==' tools/outside.pin)
	@status=0; tools/outside run $(call quote,$(OUT)) || status=$$?; \
	  tools/page $(call quote,$(OUT)) docs/results/outside.md && exit $$status

# trajectories of MuJoCo C and of MJX, which is fetched, audited, and their page; where it cannot be had, one line
trajectories: setup-robots setup-python
	@if tools/trajectories install; then tools/trajectories audit $(call quote,$(OUT)) && \
	  tools/page $(call quote,$(OUT)) docs/results/trajectories.md; fi

# the fifty robots of seven packages, which are fetched; and their tables; after an interrupt it goes on
many-robots: setup-build build-essbench
	@cmp -s tools/many-robots.pin .deps/many-robots/done || { \
	  echo 'make many-robots: fetching the packages of tools/many-robots.pin: some 700 MB, minutes'; \
	  python3 -m pip install --disable-pip-version-check --quiet --no-deps --upgrade --no-compile \
	    --only-binary=:all: --target .deps/many-robots -r tools/many-robots.pin && \
	  cp tools/many-robots.pin .deps/many-robots/done; }
	$(essbench) robots tools/robots.list --folder .deps/many-robots --budget 10 --out $(OUT)/robot-errors
	$(essbench) robots tools/robots.list --race --folder .deps/many-robots --out $(OUT)/many-robots
	@tools/page --without robots,legged/sweep $(call quote,$(OUT)) docs/results/robots.md

# the Python package's own tests, in an environment of its own
test-python: setup-python
	@tools/python test python3

# the same with every Python at hand
test-wheels: setup-python
	@tools/python wheels

# the source archive, unpacked elsewhere: it builds, and passes its tests
test-dist: setup-test
	@tools/dist check

# its robots with every release of MuJoCo that is supported
test-releases: setup-python
	@tools/python releases

# a small report of its own, in a browser: never skipped
test-report: setup-browser build-essbench
	@rm -rf build/report
	$(essbench) order --out build/report
	$(essbench) sweep --contacts 2,10 --trials 2 --out build/report
	$(essbench) derivative-error --out build/report
	$(essbench) limbs --out build/report
	$(essbench) contact-modes --out build/report
	$(essbench) figures --out build/report
	$(essbench) claims --out build/report
	@tools/report build/report
	@tests/tools/report_page.py build/report
	@tests/tools/report_in_browser.sh build/report

# each page of the site in a browser, at two widths, light and dark
test-site: setup-browser site
	@tests/tools/site_in_browser.sh build/site

# counters and errors against results/baseline, times against an earlier revision
regress: setup-report build-essbench
	@BASE=$(call quote,$(BASE)) tools/regress $(RELEASE)

# what the change of code changes in results/baseline is shown, and belongs into the commit's message
baseline: setup-report build-essbench
	@tools/regress --baseline $(RELEASE)

# goes on with the inputs of earlier runs; one that fails is kept in build/fuzz, and the same program
# given its name runs it again, with FUZZ_PRINT=1 saying what it means
fuzz: setup-test
	$(call build,build/clang$(SUFFIX),clang,fuzz_driver_guided)
	@mkdir -p build/fuzz/corpus
	build/clang$(SUFFIX)/tests/fuzz_driver_guided -runs=$(call quote,$(RUNS)) -max_len=800 \
	  -timeout=60 -artifact_prefix=build/fuzz/ build/fuzz/corpus

# what the columns of results mean, as a page
columns: build-essbench
	@mkdir -p build/docs
	$(essbench) columns >build/docs/columns.md

format: setup-test
	@$(sources) -i

format-check: setup-test
	@$(sources) --dry-run -Werror

clean:
	rm -rf build

define HELP
make              build essbench
make sweep        race the engines over CONTACTS: results and figures in OUT
make work-precision  every method over its accuracy parameter, on MODEL with CONTACTS
make robot        how wrong MuJoCo is on ROBOT (an MJCF), by time step, and what a right run costs
make report         results/report.html: all of it on one page, to look at
make site           all pages and both references as HTML, in build/site; offline after set-up
make results        measure the numbers of all pages; write and commit them, part by part
make stale          the tables of pages whose measured code has changed since
make python       the Python package, into the environment env
make python-factors  the package's times against SciPy's, into docs/results/python.md
make drake        race Drake's integrators, which are fetched, into docs/results/findings.md
make outside      cases that others have published or that other engines run, into docs/results/outside.md
make trajectories  audit MuJoCo C and MJX, which is fetched, into docs/results/trajectories.md
make many-robots  fifty robots of packages that are fetched, into docs/results/robots.md
make test-python  the Python package: builds its wheel, installs it, runs its tests
make test-wheels  the same for every Python at hand; its wheels are then in build/dist
make dist         the source archive of this commit, in build/dist
make test-dist    the same, and what is in it is built and tested
make test-releases  its robots with every release of MuJoCo that is supported
make test-report    a small report in a headless browser
make test-site      the site in a headless browser
make figures      draw the figures of what has been measured (ALL=1: measure the rest first, hours)
make test         build with gcc and test, in ten minutes
make test-quick   the tests of a minute, before a commit
make test-all     everything: also clang, sanitizers, no AVX, Python, the report, format; 40 minutes
make fuzz         random systems against libess, guided by coverage; RUNS of them
make regress      the regression test: counters, errors and times against baseline and an earlier revision
make baseline     rewrite results/baseline, and show what that changes
make columns      what the columns of all results mean, into build/docs/columns.md
make format       lay out the sources
make install      libess and essbench below PREFIX, with manual and completion
make uninstall    take away what make install has put there
make clean        remove build/ (results and the fetched MuJoCo stay)

CONTACTS=2..100   numbers of contacts: 2..100, 2..100..7, 2,5,10 and mixtures
TRIALS=120        initial conditions for each number of contacts
MODEL=plate       of work-precision, ensemble: any model (of plate 10 contacts unless CONTACTS says); of
                  sweep: plate or legged, whose results go to OUT/legged
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
ONLY=A,B          parts of make results: speed, sweep, robots, work_precision... (a wrong one lists all)
ALL=1             make figures measures first what has not been measured, which takes hours
PREFIX=/usr/local where make install installs to
OUT=results       folder for results and figures
endef

help:
	$(info $(HELP))
	@echo
	@awk -F'"' '/^    \.summary = / { summary = $$2 } /^    \.make = / { split($$2, word, " "); \
	  printf "make %-13s%s\n", word[1], summary }' experiments/studies/*.c
