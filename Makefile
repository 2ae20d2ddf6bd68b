# Every target sets up what it needs; `make help` lists them.
SHELL := /bin/bash -o pipefail
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := libs/engine libs/kit libs/wire libs/cli services/account services/gateway services/matchmaker services/rating \
	services/replay services/table
PROTOS := $(shell find protos -name '*.proto' 2>/dev/null)
CODE := $(patsubst %,%/mahjong_*,$(PACKAGES))

.DEFAULT_GOAL := help
DST_SEEDS = $(or $(SEEDS),200)
DST_START = $(or $(START),1)
.PHONY: help run test test-fast dst ci setup proto tables bench-engine bench-table bench-replay bench-matchmaker bench-rating load faults docs fmt lint types imports web chart image observe dashboards

help:  ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: setup clients/web/dist/index.html  ## Sets up and starts everything; the page is at http://127.0.0.1:8080
	$(BIN)/mahjong serve

test: setup clients/web/dist/index.html $(VENV)/.chromium $(VENV)/.chart $(VENV)/.prometheus  ## Sets up and passes every test: unit, contract, integration, end to end
	$(BIN)/pytest tests

test-fast: setup  ## Unit and contract tests
	$(BIN)/pytest tests/unit tests/contract

dst: setup  ## Simulates table workers, players and faults in virtual time; SEEDS=200 START=1 choose the runs
	PYTHONHASHSEED=0 $(BIN)/python -m tests.dst --seeds $(DST_SEEDS) --start $(DST_START)

ci:  ## All that CI runs
	.ci/run

setup: $(VENV)/.ready gen/.ready  ## Sets up .venv with every package, the command line and the generated code

$(VENV)/.ready: requirements/dev.txt $(patsubst %,%/pyproject.toml,$(PACKAGES))
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(patsubst %,-e %,$(PACKAGES))
	$(BIN)/python -c "import site, pathlib; \
		pathlib.Path(site.getsitepackages()[0], 'mahjongplanet-gen.pth').write_text(str(pathlib.Path('gen/python').resolve()) + '\n')"
	touch $@

# The browser of the end-to-end tests. Installing it needs root; elsewhere, put a `chromium` on the path.
$(VENV)/.chromium: | $(VENV)/.ready
	command -v chromium >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; }
	touch $@

# Helm's own library and Kubernetes' schemas; only what checks the chart needs them.
$(VENV)/.chart: requirements/chart.txt | $(VENV)/.ready
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

chart: setup $(VENV)/.chart  ## Renders, lints and validates the chart, no cluster needed (CHART="--values my.yaml --output var/chart")
	$(BIN)/python -m deploy.chart $(CHART)
	$(BIN)/pytest -q tests/deploy --ignore tests/deploy/test_image.py

image: setup $(VENV)/.chart clients/web/dist/index.html  ## Runs the image's steps in plain directories and starts every service from them
	$(BIN)/pytest -q tests/deploy/test_image.py

# Debian's package. Installing it needs root; elsewhere, put `prometheus` and `promtool` on the path.
$(VENV)/.prometheus: | $(VENV)/.ready
	command -v promtool >/dev/null || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus; }
	touch $@

observe: setup $(VENV)/.prometheus  ## Runs Prometheus beside `make run`: live graphs at http://127.0.0.1:9190/consoles/overview.html
	$(BIN)/python -m deploy.observability run

dashboards: setup  ## Makes Grafana's dashboards from their description
	$(BIN)/python -m deploy.observability write

proto: gen/.ready  ## Makes gen/ from protos/
gen/.ready: $(PROTOS) | $(VENV)/.ready
	rm -rf gen/python && mkdir -p gen/python
	$(BIN)/python -m grpc_tools.protoc --proto_path=protos \
		--plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
		--plugin=protoc-gen-connectrpc=$(BIN)/protoc-gen-connectrpc \
		--python_out=gen/python --mypy_out=quiet:gen/python --grpc_python_out=gen/python --mypy_grpc_out=quiet:gen/python \
		--connectrpc_out=protobuf=google:gen/python $(PROTOS)
	touch $@

# Engines that ours is measured beside, in an environment of their own: none of them is needed for anything else.
.venv-bench/.ready: loadtests/engine/requirements.txt
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

bench-engine: .venv-bench/.ready  ## Measures the engine beside its peers; fails if a gate of speed is missed
	PYTHONPATH=libs/engine:. .venv-bench/bin/python -m loadtests.engine $(BENCH)

bench-table: setup  ## Measures a table worker: rate, live tables, take-over, hand-over (BENCH="live --tables 100")
	$(BIN)/python -m loadtests.table $(BENCH)

bench-replay: setup  ## Measures reading replays with a million stored hands beside a bare key lookup (BENCH="--hands 10000")
	$(BIN)/python -m loadtests.replay $(BENCH)

bench-matchmaker: setup  ## Measures the matchmaker: waves over growing pools, waits by arrival model, a full pool (BENCH="arrivals")
	$(BIN)/python -m loadtests.matchmaker $(BENCH)

bench-rating: setup  ## Fits the rating model's beta and compares it with others on simulated populations
	$(BIN)/python -m loadtests.rating $(BENCH)

# Locust and gevent, in an environment of their own: nothing else here may be patched by them.
.venv-load/.ready: loadtests/requirements.txt
	test -x .venv-load/bin/python || $(PYTHON) -m venv .venv-load
	.venv-load/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

load: setup .venv-load/.ready  ## Plays through the gateway by locust for a minute (LOAD="--people 100")
	$(BIN)/python -m loadtests.load $(LOAD)

faults: setup  ## Kills, freezes and cuts off real processes under play; fails if a promise was broken (FAULTS="--only kill")
	GRPC_ENABLE_FORK_SUPPORT=0 $(BIN)/python -m loadtests.faults $(FAULTS)

tables: $(VENV)/.ready  ## Makes the engine's packed tables again (only after a change of their script)
	$(BIN)/python libs/engine/scripts/build_distance_data.py

docs: $(VENV)/.ready  ## Makes the pages that are made from protos/
	$(BIN)/python libs/kit/scripts/build_errors_page.py

fmt: $(VENV)/.ready  ## Formats Python and protos
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/buf format -w protos

lint: $(VENV)/.ready  ## Lints Python (ruff) and protos (buf)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/buf lint protos

types: setup  ## Checks types (mypy, strict)
	$(BIN)/mypy $(CODE)

imports: setup  ## Checks who may import whom
	$(BIN)/lint-imports --no-cache

# The web client. Node of the machine if it is new enough for Vite, else the one that a wheel brings into .venv.
WEB := clients/web
WEB_SOURCES := $(shell find $(WEB)/src $(WEB)/public $(WEB)/protos -type f -not -path '$(WEB)/src/gen/*') \
	$(wildcard $(WEB)/*.html $(WEB)/*.ts $(WEB)/*.js $(WEB)/*.json $(WEB)/*.yaml)
IN_WEB := cd $(WEB) && PATH="$(CURDIR)/$(BIN):$$PATH"

web: $(WEB)/src/gen/.ready  ## Installs, generates, checks, lints and tests the web client
	$(IN_WEB) npm run --silent check
	$(IN_WEB) npm run --silent lint
	$(IN_WEB) npm run --silent test

$(WEB)/dist/index.html: $(WEB_SOURCES) $(WEB)/src/gen/.ready
	$(IN_WEB) npm run --silent build
	touch $@

$(WEB)/src/gen/.ready: $(PROTOS) $(WEB)/protos/google/rpc/error_details.proto $(WEB)/buf.gen.yaml $(WEB)/node_modules/.ready
	rm -rf $(WEB)/src/gen
	$(IN_WEB) npm run --silent generate
	touch $@

$(WEB)/node_modules/.ready: $(WEB)/package.json $(WEB)/package-lock.json $(WEB)/.npmrc $(VENV)/.node
	$(IN_WEB) npm ci --no-progress --loglevel=error
	touch $@

$(VENV)/.node: requirements/node.txt | $(VENV)/.ready
	npm --version >/dev/null 2>&1 && node $(WEB)/scripts/is-new-enough.js || \
		$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/node.txt
	touch $@
