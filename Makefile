# `make help` lists what there is. Every target does its own set-up, once: system packages, .venv, torch, the build.
# STRINGOPS_PYTHON chooses the interpreter of .venv; ARGS passes arguments on: make test ARGS="-k split -x".

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON := .venv/bin/python
SET_UP := $(or $(STRINGOPS_PYTHON),python3) tools/set_up.py
LIBRARIES := torch_stringops/_ops.so torch_stringops/_convert.abi3.so
# Folders too, as theirs is the time that a removed file changes.
SOURCES := setup.py tools/build_flags.py $(shell find csrc -type d -o -name '*.cpp' -o -name '*.h' -o -name '*.map')
CPP := $(shell git ls-files '*.cpp' '*.h' 2>/dev/null)

# What these keep between runs stays in the checkout.
export TORCHINDUCTOR_CACHE_DIR ?= $(CURDIR)/build/inductor
export MPLCONFIGDIR ?= $(CURDIR)/build/matplotlib

# What `make help` lists.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*\#\# .*/\1/p' Makefile)
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' Makefile

demo: build .venv/extra-demo  ## train, compile and export a text classifier on the standard library's sources
	@$(PYTHON) examples/train_text_classifier.py $(ARGS)

test: build .venv/extra-test .venv/extra-wheel  ## run the whole test suite
	@$(PYTHON) -m pytest $(ARGS)

bench: build .venv-bench/ready  ## measure against other libraries, and write docs/benchmarks.md; ARGS=ROW for one row
	@.venv-bench/bin/python -m benchmarks --document docs $(ARGS)

instructions: .venv/extra-test  ## count what instructions kernels take, and compare with what is recorded
	@$(PYTHON) -m benchmarks.instructions $(ARGS)

asan: .venv/base  ## run the kernels under ASan and UBSan on stored inputs and 50,000 mutations an operator
	@$(PYTHON) tests/fuzz/run.py replay --mutations $(or $(RUNS),50000) $(OP)
	@$(PYTHON) tests/fuzz/run.py replay --mutations $(or $(RUNS),50000) --whole-tiles $(OP)
	@$(PYTHON) tests/fuzz/run.py damage --seconds 60

asan-ops: build .venv/extra-test  ## run the operators inside torch under ASan and UBSan: malformed arguments, then tests/ops
	@$(PYTHON) tests/hostile/asan.py $(ARGS)

tsan: .venv/base  ## run the kernels on 16 threads under ThreadSanitizer, 100,000 calls a thread
	@$(PYTHON) tests/fuzz/run.py threads --calls $(or $(RUNS),100000)

fuzz: .venv/base .venv/extra-fuzz  ## look for inputs that break a kernel: make fuzz OP=string_split RUNS=10000000
	@$(PYTHON) tests/fuzz/run.py fuzz --runs $(or $(RUNS),100000) $(OP)

differential: build .venv/extra-test  ## compare operators with their oracles on a million random strings each
	@PYTHONPATH=tests $(PYTHON) tests/differential $(ARGS)

chains: build .venv/extra-test  ## compare a million steps of torch's methods on strings with the same on numbers
	@PYTHONPATH=tests $(PYTHON) tests/differential/chains.py $(ARGS)

exhaustive: build .venv/extra-test  ## split every short string, judge every short sequence of UTF-8
	@PYTHONPATH=tests $(PYTHON) tests/differential/exhaustive.py $(ARGS)

processes: build .venv/extra-test  ## start a hundred children in each way, after threads were used
	@PYTHONPATH=tests $(PYTHON) tests/test_process_lifetime.py

soak: build .venv/extra-test  ## run mixed calls for an hour: memory, handles and threads must not grow
	@PYTHONPATH=tests $(PYTHON) tests/differential/soak.py $(ARGS)

patterns: build  ## fifty hostile patterns, each on a megabyte: time and memory
	@$(PYTHON) tests/hostile/patterns.py $(ARGS)

doors: build  ## damage pickles, files, state_dicts and Arrow structures: an error or a valid object, never a crash
	@$(PYTHON) tests/fuzz/doors.py --guard --rounds $(or $(RUNS),100000) $(DOOR)

borders: build .venv/extra-test  ## 2**31 bytes and elements, explosions of padding, a million words that collide by design
	@PYTHONPATH=tests $(PYTHON) tests/hostile/borders.py --real
	@PYTHONPATH=tests $(PYTHON) tests/hostile/words.py --words 1000000

allocation: build .venv/extra-test  ## let each of the first 200 allocations of every operator and conversion fail
	@$(PYTHON) tests/hostile/allocation.py --long $(ARGS)

coverage: build .venv/extra-test  ## which lines and branches of csrc the tests execute, by file
	@$(PYTHON) tools/coverage.py $(ARGS)

mutate: .venv/base  ## put 200 faults into the kernels, one at a time: do the fuzz targets notice?
	@$(PYTHON) tests/fuzz/mutate.py --mutants $(or $(RUNS),200) $(ARGS)

mutate-python: build .venv/extra-test  ## put 100 faults into the Python layer, one at a time: do the tests notice?
	@$(PYTHON) tests/mutation/python_layer.py --faults $(or $(RUNS),100) $(ARGS)

lint: .venv/extra-lint  ## check style and types: ruff, clang-format, mypy
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@.venv/bin/clang-format --dry-run --Werror $(CPP)
	@$(PYTHON) -m mypy

format: .venv/extra-lint  ## rewrite Python and C++ in the project's style
	@$(PYTHON) -m ruff check --fix --quiet .
	@$(PYTHON) -m ruff format .
	@.venv/bin/clang-format -i $(CPP)

tidy: .venv/extra-lint  ## look for bugs in the C++: clang-tidy
	@$(PYTHON) tools/tidy.py $(ARGS)

docs: build  ## write docs/operators.md and the README's operator table from the docstrings
	@$(PYTHON) tools/write_docs.py

build: $(LIBRARIES)  ## build the two native libraries in place

wheel: .venv/base .venv/extra-wheel  ## build the wheel, with RE2 inside, and the source archive into dist/
	@$(PYTHON) tools/build_wheel.py dist
	@$(PYTHON) -m build --sdist --no-isolation --outdir dist . > /dev/null
	@ls -l dist

check-wheel: wheel  ## install the wheel in a fresh environment and run the tests there: make check-wheel TORCH=2.10.0
	@$(or $(STRINGOPS_PYTHON),$(PYTHON)) tools/check_wheel.py $(if $(TORCH),--torch $(TORCH)) $(ARGS)

clean:  ## remove what was built, but keep .venv
	rm -rf build dist demo-output *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis $(LIBRARIES)
	find . -name __pycache__ -not -path './.venv*/*' -prune -exec rm -rf {} +

distclean: clean  ## remove .venv and .venv-bench too
	rm -rf .venv .venv-bench

.venv/base: tools/set_up.py tools/system_packages.py pyproject.toml
	@$(SET_UP) base
	@touch $@

.venv/extra-%: .venv/base
	@$(SET_UP) extra $*
	@touch $@

.venv-%/ready: .venv/base
	@$(SET_UP) beside $*
	@touch $@

$(LIBRARIES): .venv/base $(SOURCES)
	@echo "build: compiling what changed"
	@$(PYTHON) setup.py -q build_ext --inplace | sed -u -E -e "/^ninja: no work/d" -e "s|^(\[[0-9]+/[0-9]+\]) .* -c ([^ ]+) -o .*|\1 \2|"
	@touch $(LIBRARIES)
