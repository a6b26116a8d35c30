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
        // A carrier is a service.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // A yardstick: what a Swift server would send with otherwise. The two below set it up.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // A yardstick: the node's stream received and dropped.
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        // The benchmarks' apps sign their registrations.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // RocksDB's own C API, for the yardsticks; the store keeps its module map to itself.
        .systemLibrary(
            name: "CRocksDBYardstick", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(
            name: "CLibcurlYardstick", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        // Two loops that do nothing but send: one around libcurl, one that has the frames made by nghttp2.
        .target(
            name: "CurlYardstick", dependencies: ["CLibcurlYardstick"],
            linkerSettings: [.linkedLibrary("nghttp2"), .linkedLibrary("ssl")]),
        // The same as CSecp256k1, which the indexer keeps to itself: for the wallets of the benchmarks' apps.
        .systemLibrary(
            name: "CSecp256k1Client", pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"]), .brew(["libsecp256k1"])]),
        // A program of its own, since its memory and its start are what is measured.
        .executableTarget(
            name: "open-notification",
            dependencies: [
                .product(name: "KasiaPushCore", package: "kasia-push-indexer"),
                .product(name: "KasiaPushSecp256k1", package: "kasia-push-indexer"),
                .product(name: "KasiaPushStore", package: "kasia-push-indexer"),
            ],
            path: "Sources/OpenNotification"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CRocksDBYardstick", "CSecp256k1Client", "CurlYardstick",
                "open-notification",
                .product(name: "PushIndexerParts", package: "kasia-push-indexer"),
                .product(name: "KasiaPushCore", package: "kasia-push-indexer"),
                .product(name: "KasiaPushSecp256k1", package: "kasia-push-indexer"),
                .product(name: "KasiaPushClient", package: "kasia-push-indexer"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
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
