# `make help` lists the targets. Each one does its set-up once: system packages, .venv, torch, the build.
# STRINGOPS_PYTHON selects the interpreter of .venv; ARGS are passed to the command: make test ARGS="-k split -x".

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON := .venv/bin/python
SET_UP := $(or $(STRINGOPS_PYTHON),python3) tools/set_up.py
LIBRARIES := torch_stringops/_ops.so torch_stringops/_convert.abi3.so torch_stringops/libstringops_ort.so
# Includes folders, whose time changes if a file is removed.
SOURCES := setup.py tools/build_flags.py tools/platforms.py tools/unity.py $(shell find csrc -type d -o -name '*.cpp' -o -name '*.h' -o -name '*.map')
CPP := $(shell git ls-files '*.cpp' '*.h' 2>/dev/null)

# Caches are kept in the checkout.
export TORCHINDUCTOR_CACHE_DIR ?= $(CURDIR)/build/inductor
export MPLCONFIGDIR ?= $(CURDIR)/build/matplotlib

ifdef UNITY
export STRINGOPS_UNITY := $(UNITY)
endif

# The targets that `make help` lists.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*\#\# .*/\1/p' Makefile)
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-14s %s\n", $$1, $$2}' Makefile

demo: build .venv/extra-demo  ## train, compile and export a text classifier on the standard library's sources
	@$(PYTHON) examples/train_text_classifier.py $(ARGS)

demo-subword: build .venv/extra-demo  ## train a tokenizer, compile and export a classifier on it, and run it in C++
	@$(PYTHON) examples/train_subword_classifier.py --host $(ARGS)

demo-pretrain: build .venv/extra-demo  ## deduplicate text, write tokens, and train a GPT that is killed and resumed
	@$(PYTHON) examples/pretrain.py $(ARGS)

# All tests run in two processes, those of a file in one of them. The order of files is that of tests/conftest.py. The threads
# of one do not spin while they wait, as they would take the cores of the other.
test check: export OMP_WAIT_POLICY ?= passive
PYTEST := -m pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder
test: build .venv/extra-test  ## run the tests; FAMILY=case: what concerns one family
	@$(PYTHON) $(if $(FAMILY),tests/family.py $(FAMILY) $(ARGS),$(if $(ARGS),-m pytest $(ARGS),$(PYTEST)))

check: build .venv/extra-test .venv/extra-check .venv/extra-wheel  ## run the longer tests: sanitizers, packages of all operators, site, wheel
	@$(PYTHON) $(if $(ARGS),-m pytest,$(PYTEST)) --check=only $(ARGS)

bench: build .venv-bench/ready  ## measure against other libraries, and write docs/benchmarks.md; ARGS=ROW for one row
	@.venv-bench/bin/python -m benchmarks --document docs $(ARGS)

instructions: build .venv/extra-test  ## count the instructions of the kernels, and compare with the recorded counts
	@$(PYTHON) -m benchmarks.instructions $(ARGS)

stress: $(if $(CHECK),build .venv/extra-test $(if $(filter site,$(CHECK)),.venv/extra-browser))  ## run a long check, or list them: make stress CHECK=limits ARGS=--help
	@$(or $(wildcard $(PYTHON)),python3) tests/stress $(CHECK) $(ARGS)

# Requirements of each kind in addition to a compiler.
operators_needs := build .venv/extra-test
fuzz_needs := .venv/extra-fuzz

sanitize: .venv/base $($(KIND)_needs)  ## run native code under sanitizers: make sanitize KIND=address|thread|fuzz|operators
	@$(PYTHON) tests/stress sanitizers $(or $(KIND),address) $(if $(RUNS),--runs $(RUNS)) $(OP) $(ARGS)

arm-test: .venv/base .venv/extra-arm  ## cross-build the kernels for aarch64, and replay the fuzz targets there under QEMU
	@$(PYTHON) tests/fuzz/run.py replay --arm $(ARGS)

arm-wheel: .venv/base .venv/extra-wheel .venv/extra-arm  ## cross-build the wheel for aarch64, and test it beside torch under QEMU (Debian)
	@$(PYTHON) tools/arm_wheel.py $(ARGS)

arm-instructions: .venv/base .venv/extra-arm  ## count the instructions of the primitives, of AVX2 and of NEON
	@$(PYTHON) -m benchmarks.primitives $(ARGS)

coverage: build .venv/extra-test  ## which lines and branches of csrc the tests execute, by file
	@$(PYTHON) tools/coverage.py $(ARGS)

mutate: $(if $(filter python,$(LAYER)),build .venv/extra-test,.venv/base)  ## put faults into the kernels, or with LAYER=python into the package: do tests notice?
	@$(PYTHON) tests/stress mutate_$(or $(LAYER),native) $(if $(RUNS),--faults $(RUNS)) $(ARGS)

macos-check: .venv-cross/ready  ## compile csrc for macOS on arm64, and link it; it cannot run here
	@.venv-cross/bin/python tools/cross_check.py macos $(ARGS)

windows-check: .venv-cross/ready  ## compile csrc for Windows, and list what fails
	@.venv-cross/bin/python tools/cross_check.py windows $(ARGS)

clang-check: .venv/base .venv/extra-fuzz  ## compile csrc and the fuzz targets by clang++, without code, with warnings as errors
	@$(PYTHON) tools/clang_check.py $(ARGS)

lint: .venv/extra-lint  ## check style and types: ruff, clang-format, mypy; with TIDY=1 look for bugs in C++: clang-tidy
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@.venv/bin/clang-format --dry-run --Werror $(CPP)
	@$(PYTHON) -m mypy
	@$(if $(TIDY),$(PYTHON) tools/tidy.py $(ARGS))

format: .venv/extra-lint  ## rewrite Python and C++ in the project's style
	@$(PYTHON) -m ruff check --fix --quiet .
	@$(PYTHON) -m ruff format .
	@.venv/bin/clang-format -i $(CPP)

docs: build .venv/extra-site  ## write the site into docs/_build/html
	@$(PYTHON) -m sphinx -q -W --keep-going -d docs/_build/trees docs docs/_build/html $(ARGS)

build: $(LIBRARIES)  ## build the native libraries in place; UNITY=0: each source alone, which is faster after an edit

wheel: .venv/base .venv/extra-wheel  ## build the wheel and the source archive into dist/
	@$(PYTHON) tools/build_wheel.py dist
	@ls -l dist

release-check: build .venv/extra-release  ## check what a release needs, and build it twice: make release-check ARGS=--draft
	@$(PYTHON) tools/release_check.py $(ARGS)

check-wheel: wheel  ## install the wheel in a fresh environment and run the tests there: make check-wheel TORCH=2.10.0
	@$(or $(STRINGOPS_PYTHON),$(PYTHON)) tools/check_wheel.py $(if $(TORCH),--torch $(TORCH)) $(ARGS)

clean:  ## remove what was built; with ALL=1 remove .venv and .venv-bench too
	rm -rf build dist docs/_build docs/reference demo-output *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis $(LIBRARIES)
	find . -name __pycache__ -not -path './.venv*/*' -prune -exec rm -rf {} +
	$(if $(ALL),rm -rf .venv .venv-bench .venv-cross)

.venv/base: tools/set_up.py tools/system_packages.py pyproject.toml
	@$(SET_UP) base
	@touch $@

.venv/extra-%: .venv/base
	@$(SET_UP) extra $*
	@touch $@

.venv-%/ready: .venv/base
	@$(SET_UP) separate $*
	@touch $@

$(LIBRARIES): .venv/base $(SOURCES)
	@echo "build: compiling what changed"
	@$(PYTHON) setup.py -q build_ext --inplace | sed -u -E -e "/^ninja: no work/d" -e "s|^(\[[0-9]+/[0-9]+\]) .* -c ([^ ]+) -o .*|\1 \2|"
	@$(PYTHON) tools/compile_commands.py
	@touch $(LIBRARIES)
