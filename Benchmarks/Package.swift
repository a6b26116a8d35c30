// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // What is measured.
        .package(name: "kasia-push-indexer", path: ".."),
        // Command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The measured types take a logger.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // The benchmarks' apps sign their registrations.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // RocksDB's own C API, for the yardsticks; the store keeps its module map to itself.
        .systemLibrary(
            name: "CRocksDBYardstick", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        // The same for the wallets of the benchmarks' apps, whose other side the indexer keeps to itself.
        .systemLibrary(
            name: "CSecp256k1Client", pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"]), .brew(["libsecp256k1"])]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CRocksDBYardstick",
                "CSecp256k1Client",
                .product(name: "PushIndexerParts", package: "kasia-push-indexer"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Benchmarks",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
