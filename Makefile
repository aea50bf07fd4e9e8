# A thin front: everything is in CMakeLists.txt and scripts/.
.PHONY: demo test test-slow test-interop blender bench install clean setup configure build

configure: setup
	@cmake --preset release >/dev/null

build: configure
	@cmake --build --preset release

setup:
	@scripts/setup

# Simulates and renders a head of hair; solves a hair-like problem with three methods and draws their convergence.
demo: configure
	@cmake --build --preset release --target skein_tool
	@scripts/demo

test: setup
	@scripts/test

# Sixteen grooms that nobody tuned for, for three seeds and one that is drawn: what Skein says of them, what an independent
# judge says, in one table.
test-slow: build
	@tests/grooms/run.py --skein build/release/skein

# ParaView, Blender, a USD parser and h5py open what skein writes; installs them.
test-interop: build
	@scripts/test-interop

# The add-on for Blender as a zip file: build/skein_blender.zip.
blender:
	@scripts/make-blender

bench: setup
	@scripts/bench

install: build
	@cmake --install build/release

clean:
	rm -rf build demo
