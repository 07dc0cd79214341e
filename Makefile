# What newcomers need: make demo, make test. CMake does the work: see CMakePresets.json.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
# For CI: more arguments for cmake, such as -DTACHO_WERROR=ON.
CMAKE_FLAGS ?=

.PHONY: demo build test test-build test-host test-lab install uninstall package format check coverage clean
# One after the other: each line uses what the one before has made.
.NOTPARALLEL:

# Counts both examples as this machine can, then compares them on a simulated Raspberry Pi, which shows
# why naive is slower. The simulator is built on x86-64 only: elsewhere the script says so.
demo: build
	build/release/bin/tacho stat -- build/release/examples/naive 400
	build/release/bin/tacho stat -- build/release/examples/interchange 400
	examples/compare-products

build:
	packaging/setup build
	cmake --preset release $(CMAKE_FLAGS)
	cmake --build --preset release --parallel $(JOBS)

test:
	packaging/setup build test lab
	@status=0; for place in host lab; do $(MAKE) --no-print-directory test-$$place || status=1; done; exit $$status

# The tests are built beside the release: both have the same objects.
test-build:
	packaging/setup build test
	cmake --preset test $(CMAKE_FLAGS)
	cmake --build --preset test --parallel $(JOBS)

test-host: test-build
	tests/run build/release --parallel $(JOBS) -LE '^lab$$'

# On emulated boards.
test-lab: test-build
	packaging/setup lab
	lab/prepare
	tests/run build/release --parallel $(JOBS) -L '^lab$$'

# make build first, so that no file is built as root: make build && sudo make install
install:
	@test -x build/release/bin/tacho || { echo "make install: run make build first" >&2; exit 1; }
	cmake --install build/release --prefix $(PREFIX)

# Removes the files that the last make install listed, and then the folders of tacho that are empty.
INSTALLED = build/release/install_manifest.txt
uninstall:
	@test -f $(INSTALLED) || { echo "make uninstall: no $(INSTALLED), which make install leaves: install it again, then uninstall it" >&2; exit 1; }
	sed 's,^,$(DESTDIR),' $(INSTALLED) | tr '\n' '\0' | xargs -0 rm -f --
	sed -n 's,^\(.*/tacho\)/.*,$(DESTDIR)\1,p' $(INSTALLED) | sort -u | while read -r folder; do \
	  test ! -d "$$folder" || find "$$folder" -depth -type d -empty -delete; done

# Debian packages: of tacho, and of the kernel module's sources for DKMS.
package: build
	cd build/release && cpack
	@ls build/release/packages/*.deb

format:
	tools/check-format --fix
	tools/check-web --fix

# What is quick to check. CI also runs tools/check-tidy.
check:
	tools/check-format
	tools/check-arrows
	tools/check-scripts
	tools/check-web
	tools/check-docs

# How many lines of src the unit and cli tests reach: at least 85 %. Here no test has to pass: some measure
# programs that the instrumentation changes.
coverage:
	packaging/setup build test ci
	cmake --preset coverage
	cmake --build --preset coverage --parallel $(JOBS)
	rm -rf build/coverage/profiles
	-tests/run build/coverage --parallel $(JOBS) -L '^(unit|cli)$$'
	tools/measure-coverage 85

clean:
	rm -rf build
