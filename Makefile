# The two commands: `make run` shows the whole path, `make test` proves it.
# The commit, for --version; `+` says that the tree had changes.
export KASIA_REVISION ?= $(shell git describe --always --abbrev=12 --exclude='*' --dirty=+ 2>/dev/null)

.PHONY: run test attack crash-test cluster-test build release bench proto lint format fuzz golden clean deps test-deps

deps:
	@deploy/install-deps.sh

test-deps:
	@deploy/install-deps.sh --tests

run: deps
	swift build -c release
	@.build/release/kasia-push-indexer demo $(DEMO_FLAGS)

build: deps
	swift build -c release

# The program to install: with Swift's libraries inside, as in the image, so that it runs without the toolchain.
release: deps
	swift build -c release --static-swift-stdlib --product kasia-push-indexer

test: test-deps
	swift build --build-tests
	@Tests/run.sh

# Each attack for five minutes beside honest traffic, with the honest figures before and under it. ROWS="1 6" plays those.
attack: deps
	swift build -c release
	python3 Tests/Attacks/run.py --full --executables .build/release $(foreach row,$(ROWS),--only $(row))

# The test kills fifty times; this a thousand times, or KILLS times.
crash-test: deps
	swift build --build-tests
	CRASH_TEST_KILLS=$(or $(KILLS),1000) swift test --skip-build --filter IntegrationTests.CrashTests

# Five times any part of a cluster dies, is paused, cut off, or has its clock set in the test; here 200 times, or ROUNDS.
cluster-test: test-deps
	swift build --build-tests
	CLUSTER_TEST_ROUNDS=$(or $(ROUNDS),200) Tests/run.sh Cluster

# The programs that are measured as processes are built in the same folder, where the benchmarks look for them.
bench: deps
	for product in benchmarks open-notification kasia-push-indexer kaspad-replay apns-sandbox; do \
	    swift build -c release --package-path Benchmarks --product $$product || exit 1; \
	done
	Benchmarks/.build/release/benchmarks $(BENCH_FLAGS)

# Generates the Swift for proto/*.proto; the result is committed.
proto:
	@deploy/install-deps.sh --proto
	proto/generate.sh

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

fuzz: deps
	Tests/Fuzz/run.sh $(SECONDS)

# The golden notifications out of the oracle of the recorded blocks.
golden:
	python3 Tests/Fixtures/build_expected_notifications.py

clean:
	rm -rf .build Benchmarks/.build
