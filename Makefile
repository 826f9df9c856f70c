# The two commands are `make demo` and `make test`; both start from nothing but rustup, git, make and a C compiler.

PROFILE ?= dev
COMPONENTS = assay-tools-patch assay-tools-read assay-tools-write
CLIENTS = target/clients
# Components that only tests and measurements load.
FIXTURES = assay-conformance-fixture assay-bench-endless
BUILT = target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))

.PHONY: help demo test build components check clients install-clients conformance gate soak bench clean

help:
	@echo 'make demo        build, make an awkward pull request, read it verified over stdio and HTTP, refuse a tampered one'
	@echo 'make test        install what the tests need and run everything'
	@echo 'make build       the program: target/debug/assay (PROFILE=release: target/release/assay)'
	@echo 'make components  the WebAssembly components alone'
	@echo 'make check       formatting and lints'
	@echo 'make clients     install the MCP clients, pinned, and read a file and a diff through each of them'
	@echo 'make conformance what the official conformance suite requires of a server'
	@echo 'make gate        the program against a forge that is really there, with a record of what was shown'
	@echo 'make soak        ten minutes of mixed calls, faults and disconnects: nothing lost, nothing left (SECONDS=30: shorter)'
	@echo 'make bench       what a call and a long walk cost, as ratios within one run'

# All in one call: with fewer selected, other features would be, and everything below them be built again.
components:
	rustup target add wasm32-wasip2
	cargo build --locked --profile guest --target wasm32-wasip2 $(addprefix -p ,$(COMPONENTS) $(FIXTURES))

build: components
	cargo build --locked --profile $(PROFILE) --workspace --bin assay

# The whole workspace is selected wherever something is built, though one program is wanted: with other features selected
# the engine under it would be built again.
demo: components
	cargo build --locked --profile $(PROFILE) --workspace --bins
	$(BUILT)/assay-demo

test: install-clients components
	cargo build --locked --workspace --bins
	cargo test --locked --workspace

gate: components
	cargo build --locked --profile $(PROFILE) --workspace --bins
	$(BUILT)/assay-gate all

soak: components
	cargo build --locked --profile $(PROFILE) --workspace --bins
	$(BUILT)/assay-soak $(or $(SECONDS),600)

bench: components
	cargo build --locked --profile $(PROFILE) --workspace --bins
	$(BUILT)/assay-bench

install-clients:
	tests/clients/install.sh $(CLIENTS)

clients: install-clients components
	cargo build --locked --workspace --bins
	cargo test --locked --workspace --test suite clients

conformance: components
	cargo build --locked --profile $(PROFILE) --workspace --bins
	tests/conformance/run.sh target/conformance $(BUILT)/assay-conformance \
		target/wasm32-wasip2/guest/assay_conformance_fixture.wasm

check: components
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

clean:
	cargo clean
