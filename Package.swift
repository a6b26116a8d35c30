// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built with the same language rules.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    // CI refuses warnings; a newer compiler on an operator's machine must not.
    + (Context.environment["CI"] == "true" ? [.treatAllWarnings(as: .error)] : [])

/// The commit, as `make` tells it.
///
/// `Context.gitInformation` is not used: SwiftPM keeps its answer over commits.
let revision = Context.environment["KASIA_REVISION"].flatMap { $0.isEmpty ? nil : $0 } ?? "unknown"

func library(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
        swiftSettings: settings)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: settings)
}

extension Target.Dependency {
    static let log = Self.product(name: "Logging", package: "swift-log")
    static let metrics = Self.product(name: "Metrics", package: "swift-metrics")
    static let metricsTestKit = Self.product(name: "MetricsTestKit", package: "swift-metrics")
    static let tracing = Self.product(name: "Tracing", package: "swift-distributed-tracing")
    static let inMemoryTracing = Self.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
    static let lifecycle = Self.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let signals = Self.product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let arguments = Self.product(name: "ArgumentParser", package: "swift-argument-parser")
    static let grpc = Self.product(name: "GRPCCore", package: "grpc-swift-2")
    static let grpcTransport = Self.product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport")
    static let grpcProtobuf = Self.product(name: "GRPCProtobuf", package: "grpc-swift-protobuf")
    static let protobuf = Self.product(name: "SwiftProtobuf", package: "swift-protobuf")
    static let crypto = Self.product(name: "Crypto", package: "swift-crypto")
    static let jwt = Self.product(name: "JWTKit", package: "jwt-kit")
    static let hummingbird = Self.product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdTLS = Self.product(name: "HummingbirdTLS", package: "hummingbird")
    static let hummingbirdTesting = Self.product(name: "HummingbirdTesting", package: "hummingbird")
    static let asyncAlgorithms = Self.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
    static let yaml = Self.product(name: "Yams", package: "Yams")
    static let deque = Self.product(name: "DequeModule", package: "swift-collections")
    static let nio = Self.product(name: "NIOCore", package: "swift-nio")
    static let nioPosix = Self.product(name: "NIOPosix", package: "swift-nio")
    static let nioHTTP2 = Self.product(name: "NIOHTTP2", package: "swift-nio-http2")
    static let nioHPACK = Self.product(name: "NIOHPACK", package: "swift-nio-http2")
    static let nioSSL = Self.product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioHTTPTypes = Self.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let x509 = Self.product(name: "X509", package: "swift-certificates")
    static let asn1 = Self.product(name: "SwiftASN1", package: "swift-asn1")
}

let package = Package(
    name: "kasia-push-indexer",
    // The app library's oldest systems. The service itself is for Linux; on a Mac it would need macOS 15.
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        // The app library. None of its targets depends on RocksDB, libcurl or gRPC.
        .library(name: "KasiaPushCore", targets: ["KasiaPushCore"]),
        .library(name: "KasiaPushSecp256k1", targets: ["KasiaPushSecp256k1"]),
        .library(name: "KasiaPushClient", targets: ["KasiaPushClient"]),
        .library(name: "KasiaPushStore", targets: ["KasiaPushStore"]),
        .executable(name: "kasia-push-indexer", targets: ["KasiaPushIndexer"]),
        .executable(name: "kaspad-replay", targets: ["KaspadReplayCommand"]),
        .executable(name: "push-sandbox", targets: ["APNsSandboxCommand"]),
        // The old name of the same program.
        .executable(name: "apns-sandbox", targets: ["APNsSandboxCommand"]),
        // What the crash test preloads into the indexer, so that its wall clock jumps.
        .library(name: "ClockShift", type: .dynamic, targets: ["ClockShift"]),
        // What Benchmarks/, a package of its own, measures, with the service's allocator.
        .library(
            name: "PushIndexerParts",
            targets: [
                "Clocks", "Kaspa", "KasiaProtocol", "KaspaNode", "Store", "Indexer", "Push", "Carriers", "APNs",
                "FCM", "WebPush", "APNsSandbox", "PostgresStore", "PostgresServer", "CAllocator",
            ]),
    ],
    dependencies: [
        // Command line of the executables: the Swift project's own parser.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Channels with back-pressure between two tasks.
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        // Queues whose first element goes out at no cost; the server libraries have it in their graph anyway.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The YAML parser. It tells which keys a file has and on which lines, so that a mistyped key stops the start.
        // swift-configuration, which stands on it, hides both, and its environment provider is a look-up by name.
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // P-256, SHA-256, SHA-1: BoringSSL behind CryptoKit's API.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The logging and metrics APIs that every Swift server library speaks.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // The tracing API beside them. Without a tracer, which only a build of one's own has, it records nothing.
        // 1.7.3 has `withTracer`, which gives a test a tracer of its own.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // Sockets, TLS and HTTP/2 for the APNs stand-in; Hummingbird and gRPC stand on the same.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // HTTP parts in NIO's pipeline, for the REST server's time limit; Hummingbird stands on the same.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        // The stand-in's self-signed certificate authority.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        // The node's wire format, and the gRPC project's own Swift implementation.
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        // The REST server.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Start, supervision and stop in order.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Apple's provider token is a JWT: signed and, in the stand-in, verified by a kept library.
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"]), .brew(["rocksdb"])]),
        .systemLibrary(
            name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        // HTTP/2 frames for libcurl's connections, and what its TLS is told: libcurl itself stands on both.
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .target(name: "CCurl", dependencies: ["CLibcurl", "COpenSSL"]),
        // The service's allocator: faster than glibc's for what one thread allocates and another frees
        // (Benchmarks/RESULTS.md), and it gives freed pages back by itself.
        .systemLibrary(
            name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]),
        .target(name: "CAllocator", dependencies: ["CJemalloc"]),
        .target(name: "CRevision", cSettings: [.define("KASIA_REVISION", to: "\"\(revision)\"")]),
        .systemLibrary(
            name: "CSecp256k1", pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"]), .brew(["libsecp256k1"])]),

        // Only where the system has no module of its own for SQLite.
        .systemLibrary(
            name: "CSQLite", path: "Sources/App/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

        library("BuildInfo", ["CRevision"]),
        library("Troubles", [.log]),
        library("Spans", [.deque, .tracing]),
        library("Listeners", [.nio]),
        library("Clocks", []),
        library("Kaspa", []),
        library("JSON", ["Kaspa"]),
        library("KasiaProtocol", ["JSON", "Kaspa"]),

        // The app library: values, an app's own curve behind a protocol, the service's calls, what app and extension
        // share.
        library("KasiaPushCore", ["Kaspa", "JSON", "KasiaProtocol", .crypto], path: "Sources/App/KasiaPushCore"),
        library(
            "KasiaPushSecp256k1", ["KasiaPushCore", "Kaspa", "CSecp256k1", .crypto],
            path: "Sources/App/KasiaPushSecp256k1"),
        library(
            "KasiaPushClient", ["KasiaPushCore", "Kaspa", "JSON", .crypto], path: "Sources/App/KasiaPushClient"),
        library("KasiaPushStore", ["KasiaPushCore", "CSQLite"], path: "Sources/App/KasiaPushStore"),

        library(
            "KaspaNode",
            [
                "Clocks", "Spans", "Troubles", "Kaspa", "KasiaProtocol", .asyncAlgorithms, .log, .metrics, .tracing,
                .lifecycle, .grpc,
                .grpcTransport, .grpcProtobuf, .protobuf,
            ]),
        library("Store", ["CRocksDB", "Clocks", "Spans", "Kaspa", "KasiaProtocol", .crypto, .deque]),
        library("Postgres", ["CLibpq"]),
        library("PostgresStore", ["Postgres", "Store", "Clocks", "Kaspa", .crypto]),
        library("Policy", ["Kaspa", "KasiaProtocol", "Store", .metrics]),
        library(
            "Indexer",
            [
                "Policy", "Clocks", "Spans", "Troubles", "Kaspa", "KasiaProtocol", "KaspaNode", "Store",
                .asyncAlgorithms, .log,
                .metrics, .tracing, .lifecycle,
            ]),
        library("HTTP2Client", ["CCurl", "CNghttp2", "Clocks", "Troubles", .deque, .log]),
        // What the dispatcher knows of those that bring pushes to phones and browsers; one target for each follows.
        library("Carriers", ["HTTP2Client", "JSON", "Kaspa", "KasiaProtocol", "Store", .crypto, .lifecycle]),
        library(
            "APNs",
            [
                "Carriers", "HTTP2Client", "CCurl", "Clocks", "Spans", "Troubles", "JSON", "Kaspa", "KasiaProtocol",
                "Store", .deque, .log, .metrics, .tracing, .jwt, .crypto, .lifecycle,
            ]),
        library(
            "FCM",
            [
                "Carriers", "HTTP2Client", "Clocks", "Troubles", "JSON", "Kaspa", "KasiaProtocol", "Store", .log,
                .jwt, .crypto, .lifecycle,
            ]),
        library(
            "WebPush",
            [
                "Carriers", "HTTP2Client", "Clocks", "Troubles", "JSON", "Kaspa", "KasiaProtocol", "Store", .log,
                .crypto, .lifecycle,
            ]),
        library(
            "Push",
            [
                "Policy", "Clocks", "Spans", "Troubles", "JSON", "Kaspa", "KasiaProtocol", "Store", "Carriers", "APNs",
                .deque,
                .log, .metrics,
                .tracing, .crypto, .lifecycle,
            ]),
        // A target of its own: the compiler needs half a minute for these bytes, and only after one has changed.
        // operator-guide.md is a symbolic link to the file in deploy/docs.
        library(
            "APIAssets", [], path: "Sources/API/Assets",
            resources: [.embedInCode("openapi.json"), .embedInCode("operator-guide.md"), .embedInCode("Pages")]),
        library(
            "API",
            [
                "APIAssets", "CSecp256k1", "BuildInfo", "Clocks", "Spans", "JSON", "Listeners", "Kaspa",
                "KasiaProtocol", "Store", "Carriers", "Push",
                .deque, .log, .metrics, .tracing, .lifecycle, .crypto, .hummingbird, .hummingbirdTLS, .nio,
                .nioHTTPTypes,
                .nioSSL,
                .asyncAlgorithms,
            ],
            exclude: ["Assets"]),
        library("Recordings", ["Kaspa", "KaspaNode", .log, .lifecycle, .protobuf]),
        library(
            "KaspadReplay",
            [
                "Listeners", "Kaspa", "KasiaProtocol", "KaspaNode", "Recordings", .log, .lifecycle, .grpc,
                .grpcTransport,
                .grpcProtobuf, .protobuf, .nio,
            ]),
        library(
            "APNsSandbox",
            [
                .deque, .log, .lifecycle, .jwt, .crypto, .product(name: "CryptoExtras", package: "swift-crypto"), .nio,
                .nioPosix, .nioHTTP2, .nioHPACK, .nioSSL, .x509, .asn1,
            ]),
        executable(
            "KaspadReplayCommand",
            ["BuildInfo", "KaspadReplay", "Recordings", "Kaspa", .arguments, .log, .lifecycle, .signals]),
        executable("APNsSandboxCommand", ["BuildInfo", "APNsSandbox", .arguments, .log, .lifecycle, .signals]),
        executable(
            "KasiaPushIndexer",
            [
                "KasiaPushCore", "KasiaPushSecp256k1", "KasiaPushClient",
                "CAllocator", "BuildInfo", "Clocks", "Listeners", "Troubles",
                "Kaspa", "KasiaProtocol", "KaspaNode", "Store", "Postgres", "PostgresStore", "Indexer", "Carriers",
                "HTTP2Client",
                "APNs",
                "FCM", "WebPush", "Push",
                "API", "JSON", "Recordings", .arguments, .yaml, .log, .metrics, .lifecycle, .signals, .nio, .nioPosix,
                .asyncAlgorithms,
            ]),

        // What the tests of several targets ask of recorded spans.
        .target(
            name: "RecordedSpans", dependencies: ["Spans", .tracing, .inMemoryTracing], path: "Tests/RecordedSpans",
            swiftSettings: settings),
        // What the tests of several targets ask of logs.
        .target(name: "RecordedLogs", dependencies: [.log], path: "Tests/RecordedLogs", swiftSettings: settings),
        // What the tests of several targets ask of TLS servers.
        .target(
            name: "TestCertificates", dependencies: [.crypto, .x509, .asn1], path: "Tests/TestCertificates",
            swiftSettings: settings),
        // What the tests of several targets ask of signed pushes.
        .target(
            name: "SignedPushes", dependencies: [.crypto], path: "Tests/SignedPushes", swiftSettings: settings),
        // Random numbers that a test can be given again.
        .target(name: "TestRandom", path: "Tests/TestRandom", swiftSettings: settings),
        // What the tests of several targets make operations of.
        .target(
            name: "SampleOperations", dependencies: ["Store", "KasiaProtocol", "Kaspa"], path: "Tests/SampleOperations",
            swiftSettings: settings),
        // A PostgreSQL server for the tests of several targets.
        .target(name: "PostgresServer", path: "Tests/PostgresServer", swiftSettings: settings),
        // Registrations as the tests of several targets write them.
        .target(
            name: "StoreSupport", dependencies: ["Store", "PostgresStore", "PostgresServer", "Kaspa"],
            path: "Tests/StoreSupport", swiftSettings: settings),
        .target(name: "ClockShift", path: "Tests/ClockShift"),
        // Recordings written by hand, and a replay node for them, for the tests of several targets.
        .target(
            name: "ReplaySupport",
            dependencies: ["Kaspa", "KaspaNode", "KaspadReplay", "Recordings", .log, .protobuf],
            path: "Tests/ReplaySupport", swiftSettings: settings),
        // What the test of two processes on one file kills.
        .executableTarget(
            name: "PushStoreProcess", dependencies: ["KasiaPushStore"], path: "Tests/App/PushStoreProcess",
            swiftSettings: settings),
        tests(
            "KasiaPushCoreTests",
            ["KasiaPushCore", "KasiaPushSecp256k1", "TestRandom", "Kaspa", "JSON", "KasiaProtocol", .crypto],
            path: "Tests/App/KasiaPushCoreTests"),
        tests(
            "KasiaPushClientTests",
            ["KasiaPushClient", "KasiaPushCore", "KasiaPushSecp256k1", "TestRandom", "Kaspa", "JSON", .crypto],
            path: "Tests/App/KasiaPushClientTests"),
        tests(
            "KasiaPushStoreTests", ["KasiaPushStore", "KasiaPushCore", "TestRandom", "CSQLite", "PushStoreProcess"],
            path: "Tests/App/KasiaPushStoreTests"),
        // The Swift of the app developer guide, and whether it is the same.
        library(
            "GuideSnippets", ["KasiaPushCore", "KasiaPushSecp256k1", "KasiaPushClient", "KasiaPushStore"],
            path: "Tests/App/GuideSnippets"),
        tests(
            "GuideSnippetsTests",
            ["GuideSnippets", "KasiaPushCore", "KasiaPushSecp256k1", "KasiaPushClient", "KasiaPushStore"],
            path: "Tests/App/GuideSnippetsTests"),
        tests("JSONTests", ["JSON", "TestRandom"]),
        tests(
            "RecordingsTests", ["Recordings", "ReplaySupport", "KaspadReplay", "Kaspa", "KaspaNode", .log, .protobuf]),
        tests("ClocksTests", ["Clocks"]),
        tests("BuildInfoTests", ["BuildInfo"]),
        tests("TroublesTests", ["Troubles", .log]),
        tests("SpansTests", ["Spans", .tracing, .inMemoryTracing]),
        tests("KaspaTests", ["Kaspa"]),
        tests("KasiaProtocolTests", ["KasiaProtocol", "Kaspa"]),
        tests(
            "KaspaNodeTests",
            [
                "KaspaNode", "KaspadReplay", "Recordings", "ReplaySupport", "Kaspa", "KasiaProtocol", .asyncAlgorithms,
                .log, .grpc, .grpcTransport,
                .protobuf, "RecordedLogs", "TestCertificates",
            ]),
        tests(
            "StoreTests",
            ["StoreSupport", "SampleOperations", "Store", "Clocks", "CRocksDB", "Kaspa", "KasiaProtocol"]),
        tests("PostgresTests", ["Postgres", "PostgresServer", "TestRandom", "CLibpq"]),
        tests(
            "PostgresStoreTests",
            [
                "PostgresStore", "Postgres", "PostgresServer", "StoreSupport", "SampleOperations", "Store", "Clocks",
                "TestRandom",
                "Kaspa", "KasiaProtocol",
            ]),
        tests("PolicyTests", ["Policy", "Store", "KasiaProtocol", "Kaspa", "SampleOperations"]),
        tests(
            "IndexerTests",
            [
                "StoreSupport", "SampleOperations", "Indexer", "Clocks", "Spans", "KaspaNode", "KaspadReplay",
                "Recordings", "Store", "Kaspa",
                "KasiaProtocol",
                .asyncAlgorithms, .log, .metrics, .metricsTestKit, .tracing, .inMemoryTracing, "RecordedLogs",
                "RecordedSpans",
                .protobuf,
            ]),
        tests(
            "HTTP2ClientTests",
            [
                "HTTP2Client", "CNghttp2", "COpenSSL", .log, "RecordedLogs", "TestCertificates", "TestRandom",
            ]),
        tests(
            "APNsTests",
            [
                "APNs", "Carriers", "HTTP2Client", "Clocks", "Spans", "APNsSandbox", "Store", "Kaspa", "KasiaProtocol",
                .log, .tracing, .inMemoryTracing,
                "RecordedLogs", "RecordedSpans", .lifecycle, .jwt, .crypto,
            ]),
        tests(
            "FCMTests",
            [
                "FCM", "Carriers", "HTTP2Client", "Clocks", "Store", "Kaspa", "KasiaProtocol", "APNsSandbox",
                "StoreSupport", "SampleOperations", "SignedPushes", "RecordedLogs", "TestRandom", .log, .jwt, .crypto,
                .lifecycle,
            ]),
        tests(
            "WebPushTests",
            [
                "WebPush", "Carriers", "HTTP2Client", "Clocks", "Store", "Kaspa", "KasiaProtocol", "APNsSandbox",
                "StoreSupport", "SampleOperations", "SignedPushes", "RecordedLogs", "TestRandom", .log, .jwt, .crypto,
                .lifecycle,
            ]),
        tests(
            "PushTests",
            [
                "Carriers", "StoreSupport", "Policy", "SampleOperations", "Push", "JSON", "Clocks", "Spans",
                "HTTP2Client", "TestRandom",
                "APNs", "Store", "Kaspa", "KasiaProtocol", .crypto, .log, .tracing, .inMemoryTracing,
                "RecordedLogs", "RecordedSpans", "SignedPushes",
            ]),
        tests(
            "APITests",
            [
                "StoreSupport", "SampleOperations", "API", "APIAssets", "KasiaProtocol", "JSON", "BuildInfo",
                "CSecp256k1", "Clocks",
                "Spans", "Carriers", "Push", "APNs", "Store",
                "Kaspa", .log, .metrics,
                .tracing,
                .inMemoryTracing,
                "RecordedLogs", "RecordedSpans", "TestCertificates", "TestRandom",
                .crypto, .hummingbird, .hummingbirdTesting, .nio, .nioPosix, .nioSSL,
            ], exclude: ["OpenAPI/validate_answers.py"]),
        tests(
            "KaspadReplayTests",
            [
                "KaspadReplay", "Recordings", "ReplaySupport", "KaspaNode", "Kaspa", "KasiaProtocol", .log, .protobuf,
                .grpc, .grpcTransport, .nio,
                .nioPosix, "RecordedLogs",
            ]),
        tests(
            "APNsSandboxTests", ["APNsSandbox", .jwt, .crypto, .log, .nio, .nioPosix, .nioHTTP2, .nioHPACK, .nioSSL]),
        tests(
            "KasiaPushIndexerTests",
            [
                "KasiaPushCore",
                "StoreSupport", "SampleOperations", "KasiaPushIndexer", "API", "HTTP2Client", "Carriers", "APNs",
                "CAllocator", "BuildInfo", "Clocks", "Push",
                "Store", "Postgres", "PostgresStore", "PostgresServer", "KaspaNode", "Recordings",
                "KasiaProtocol", "Kaspa", "TestRandom",
                .log, .lifecycle, .crypto, "RecordedLogs",
            ]),
        tests(
            "IntegrationTests",
            [
                "KasiaPushCore", "KasiaPushSecp256k1", "KasiaPushClient",
                "StoreSupport", "SampleOperations", "PostgresServer", "PostgresStore", "KasiaPushIndexer",
                "KaspadReplay", "Recordings", "ReplaySupport",
                "KaspadReplayCommand", "APNsSandbox",
                "APNsSandboxCommand",
                "Carriers", "APNs", "WebPush", "Clocks", "Push", "Indexer", "Store", "KaspaNode", "KasiaProtocol",
                "Kaspa", "Spans", "SignedPushes", "BuildInfo", "CSecp256k1", .log,
                .tracing, .inMemoryTracing, "RecordedSpans", "TestCertificates", .protobuf, .crypto, .nio, .nioPosix,
                .nioSSL,
            ]),
    ],
    swiftLanguageModes: [.v6]
)
