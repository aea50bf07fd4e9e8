# A thin front: everything is in CMakeLists.txt and scripts/.
.PHONY: demo test test-interop bench install clean setup build

build: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release

setup:
	@scripts/setup

# Simulates and renders a head of hair; solves a hair-like problem with three methods and draws their convergence.
demo: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target skein_tool
	@scripts/demo

test: setup
	@scripts/test

# ParaView, Blender, a USD parser and h5py open what skein writes; installs them.
test-interop: build
	@scripts/test-interop

bench: setup
	@scripts/bench

install: build
	@cmake --install build/release

clean:
	rm -rf build demo
