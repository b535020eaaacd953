# `make` lists the targets. Every target installs the Debian packages it needs first.
.DEFAULT_GOAL := help
.PHONY: help deps build demo demo-ui test test-long bench bench-check bench-docs fuzz soak format tidy clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps: ## install the Debian packages that building needs
	@scripts/install_deps.sh build

build: deps ## build/release/gang-scheduler
	@scripts/build.py release gang-scheduler

demo: build ## the deadlock and its end, on a cluster inside the process: about 20 s, the first build before it some minutes
	@build/release/gang-scheduler demo

demo-ui: build ## the same with its page: it prints the address, gives you time to open it, and goes on until Ctrl-C
	@build/release/gang-scheduler demo --ui

test: ## all tests: unit (with sanitizers), black box on both rigs, real Spark
	@scripts/install_deps.sh test
	@scripts/test.py

test-long: ## the long variants of the black-box and Spark tests; the older Kubernetes; every bench workload once, tiny; mutants, and 20 random ones; new seeds
	@scripts/install_deps.sh test
	@scripts/test.py --long

BENCH ?= micro scale macro asked
RUNS ?= 5
bench: ## measure: micro benches, scale, whole planes, answers (BENCH="micro scale macro asked", RUNS=5); about 20 minutes
	@scripts/install_deps.sh bench
	@scripts/build.py release gang-scheduler
	@scripts/build.py bench
	@/usr/bin/python3 scripts/bench.py run --runs $(RUNS) $(BENCH)

bench-check: ## hold what was measured against tests/bench/thresholds.json
	@/usr/bin/python3 scripts/bench.py check

bench-docs: ## write docs/evaluation/performance.md and its data from what was measured
	@/usr/bin/python3 scripts/bench.py docs

SECONDS ?= 60
fuzz: ## every parser under libFuzzer, SECONDS=60 each; crashes stay in build/fuzz/crashes
	@scripts/install_deps.sh fuzz
	@scripts/fuzz.py --seconds $(SECONDS)

soak: ## SECONDS=60 of simulated clusters on all cores; failing seeds stay in build/failed-seeds
	@scripts/install_deps.sh build
	@scripts/build.py release gang-sim
	@build/release/gang-sim --seconds $(SECONDS) --seeds $$(date +%s)000.. --jobs $$(nproc) --failed build/failed-seeds

format: ## clang-format over our sources
	@scripts/install_deps.sh dev
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 -i

tidy: ## clang-tidy over our sources
	@scripts/install_deps.sh dev
	@cmake --preset debug >/dev/null
	@git ls-files 'core/*.cpp' 'gang/*.cpp' 'k8s/*.cpp' 'config/*.cpp' | xargs -P 2 -n 4 clang-tidy-14 -p build/debug --quiet

clean: ## remove the build folder
	@rm -rf build
