# Every command of the project; `make help` lists them.

CARGO ?= cargo
CASES ?= ../shared/cases
REPORT ?= target/soak
FUZZ_SECONDS ?= 20

.DEFAULT_GOAL := help
.PHONY: help serve test lint cases soak bench fuzz k8s image long prepare

help: ## this list
	@grep -hE '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9]+):.*## /\1\t/' | expand -t 10

serve: ## run the service with the shipped policies on 127.0.0.1:6969
	$(CARGO) run --locked --release --bin pdp -- serve

test: prepare ## run every test; installs what they need
	$(CARGO) test --locked --workspace --exclude pdp-bench

lint: ## formatting, clippy, licences and dependency rules
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --exclude pdp-bench --all-targets -- -D warnings
	$(CARGO) deny --locked check bans licenses sources

cases: ## run handed cases: make cases CASES=DIR
	CASES="$(abspath $(CASES))" $(CARGO) test --locked -p pdp-server --test cases -- --nocapture

soak: ## load a service of its own for a minute and judge it; report in target/soak
	$(CARGO) build --locked --release --bins
	target/release/soak s3p --spawn --users 10 --duration 60s --report $(REPORT)

bench: ## measure beside the peers
	$(CARGO) bench --locked -p pdp-bench

k8s: prepare ## hold manifests, chart, alerts and dashboard against what a cluster would
	$(CARGO) build --locked --bins
	.ci/k8s target/debug

image: prepare ## build the container image and ask its binaries a decision
	.ci/image

fuzz: ## feed each reader, the compiler and the evaluator with made-up input: make fuzz FUZZ_SECONDS=600
	.ci/fuzz $(FUZZ_SECONDS)

long: prepare ## what takes hours: the slow tests, fuzzing, 300 s of made-up requests, the image, the 6000 s soak
	PROPERTY_CASES=20000 $(CARGO) test --locked --workspace --exclude pdp-bench -- --include-ignored
	.ci/fuzz 600
	$(CARGO) build --locked --release --bins
	.ci/interface target/release/pdp 300
	.ci/image
	target/release/soak s3p --spawn --users 10 --duration 6000s --report $(REPORT)

prepare:
	@sh .ci/prepare
