# make demo       install into .venv and verify a model
# make test       everything that must hold before a commit
# make check-all  make test, and the longer checks
# make format     lay out Python and C as the checks want them
# make fuzz       any input whatever, for MINUTES=10: faults are kept in build/fuzz
# make bench      how fast the engines are here
# make docs       write the pages, the parts of pages and the names in schemas that are made from the code
# make site       the documentation as a site, in build/site
# make clean      remove what these made

BIN := .venv/bin
SETUP := scripts/setup.sh

MINUTES := 10
SEED := 1
C_FILES = $(shell find src tests -name '*.[ch]')

.PHONY: demo test check-all format fuzz bench docs site clean

demo: .venv/.installed
	$(BIN)/coset check models/peterson.pml
	@echo; echo 'And one that fails: a deadlock, so the exit code is 1.'; echo
	$(BIN)/coset check models/philosophers.pml -D N=3 || test $$? = 1

test: .venv/.tested-with
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/clang-format --dry-run -Werror $(C_FILES)
	$(BIN)/mypy
	$(BIN)/mypy --strict scripts
	$(BIN)/pytest -n 2

check-all: test
	$(SETUP) browser
	$(BIN)/pytest -n 2 -m long
	COSET_CFLAGS=-O2 $(BIN)/pytest -n 2 tests/engines/explicit/test_explicit.py tests/tasks/test_check.py tests/engines/test_faults.py
	$(BIN)/python -m tests.interruptions 200
	$(BIN)/python -m tests.kills 100
	$(BIN)/python -m tests.support.spin_compare models
	$(BIN)/python -m tests.support.promela_random --compare 1000 1400
	$(BIN)/python -m tests.support.contention_random --compare 1000 1200
	$(BIN)/python -m tests.support.murphi_random --compare 0 2000
	COSET_CFLAGS=-O0 $(BIN)/python -m tests.brute_force -j 2
	COSET_CFLAGS=-O0 $(BIN)/python -m tests.agreement --seeds 1000 3000 -j 2
	$(SETUP) wheel

format: .venv/.tested-with
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format --quiet
	$(BIN)/clang-format -i $(C_FILES)

fuzz: .venv/.tested-with
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED)

bench: .venv/.tested-with
	$(BIN)/python benchmarks/spin.py
	$(BIN)/python benchmarks/time_to_verdict.py
	$(BIN)/python benchmarks/reduce.py --quick
	$(BIN)/python benchmarks/murphi.py --quick
	$(BIN)/python benchmarks/detect.py

docs: .venv/.installed
	$(BIN)/python scripts/diagnostics_page.py
	$(BIN)/python scripts/commands_page.py
	$(BIN)/python scripts/schema_names.py
	$(BIN)/python scripts/json_page.py
	$(BIN)/python scripts/models_page.py
	$(BIN)/python -m tests.walk_of_check --write

site: .venv/.tested-with
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.installed: pyproject.toml $(SETUP)
	$(SETUP) demo

.venv/.tested-with: pyproject.toml $(SETUP)
	$(SETUP) test
