# The two commands are `make demo` and `make test`; both start from nothing but rustup, git, make and a C compiler.

PROFILE ?= dev
COMPONENTS = assay-tools-read
VENV = target/clients

.PHONY: help demo test build components check clients clean

help:
	@echo 'make demo        build, make an awkward pull request, read it verified over stdio and HTTP, refuse a tampered one'
	@echo 'make test        install what the tests need and run everything'
	@echo 'make build       the program: target/debug/assay (PROFILE=release: target/release/assay)'
	@echo 'make components  the WebAssembly components alone'
	@echo 'make check       formatting and lints'

components:
	rustup target add wasm32-wasip2
	cargo build --locked --profile guest --target wasm32-wasip2 $(addprefix -p ,$(COMPONENTS))

build: components
	cargo build --locked --profile $(PROFILE) -p assay-host

demo: build
	cargo run --locked --quiet --profile $(PROFILE) -p assay-demo

test: clients components
	cargo test --locked --workspace

clients:
	tests/clients/install.sh $(VENV)

check: components
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings

clean:
	cargo clean
