import Foundation
import Testing

/// Runs the script with stand-ins for Debian's tools first in the PATH; each says what it was asked.
@Suite("deploy/install-deps.sh")
struct InstallDependenciesTests {
    static let packages = [
        "librocksdb-dev", "libjemalloc-dev", "libcurl4-openssl-dev", "libnghttp2-dev", "libssl-dev", "libsecp256k1-dev",
        "pkg-config", "zlib1g-dev", "g++", "make",
    ]

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for tool in ["env", "sed", "head", "cat", "grep", "printf"] {
            let path = try #require(
                ["/usr/bin/", "/bin/"].map { $0 + tool }.first(where: FileManager.default.fileExists))
            try FileManager.default.createSymbolicLink(atPath: directory.path + "/" + tool, withDestinationPath: path)
        }
        try stub("id", "echo 0")
        try stub("swift", "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'")
    }

    private func stub(_ name: String, _ body: String) throws {
        try directory.writeProgram("#!/bin/sh\n\(body)\n", to: name)
    }

    /// A Debian on which these packages are not installed; `apt-get` installs from lists that may have to be fetched.
    private func debian(missing: [String], hasLists: Bool = true, installs: Bool = true) throws {
        let state = directory.path
        try stub(
            "dpkg-query",
            """
            for last; do :; done
            case " $(cat \(state)/missing) " in *" $last "*) exit 1 ;; *) printf installed ;; esac
            """)
        _ = try directory.write(missing.joined(separator: " "), to: "missing")
        _ = try directory.write(hasLists ? "yes" : "no", to: "lists")
        try stub(
            "apt-get",
            """
            echo "$*" >>\(state)/calls
            case $1 in
            update) echo yes >\(state)/lists ;;
            install) grep -q yes \(state)/lists && \(installs) && echo >\(state)/missing ;;
            esac
            """)
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String, calls: [String]) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [projectDirectory + "/deploy/install-deps.sh"] + arguments
        process.environment = ["PATH": directory.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let calls = (try? String(contentsOfFile: directory.path + "/calls", encoding: .utf8)) ?? ""
        return (process.terminationStatus, output, calls.split(separator: "\n").map(String.init))
    }

    @Test("with everything there it is quiet and touches nothing")
    func nothingToDo() throws {
        try debian(missing: [])
        let result = try run()
        #expect(result == (0, "", []))
    }

    @Test("installs what is missing, and no more", arguments: packages)
    func installsOne(package: String) throws {
        try debian(missing: [package])
        let result = try run()
        #expect(result.status == 0, "\(result.output)")
        #expect(result.calls == ["install -y --no-install-recommends \(package)"])
        let again = try run()
        #expect(again.output == "" && again.calls == result.calls)
    }

    @Test("fetches the package lists only when an installation fails without")
    func fetchesLists() throws {
        try debian(missing: Self.packages, hasLists: false)
        let result = try run()
        let install = "install -y --no-install-recommends " + Self.packages.joined(separator: " ")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.calls == [install, "update", install])
    }

    @Test("says which packages could not be installed")
    func installationFails() throws {
        try debian(missing: ["make"], installs: false)
        let result = try run()
        #expect(result.status == 1)
        #expect(result.output.contains("apt-get could not install: make"))
    }

    @Test("without root it takes sudo, and without sudo it names the packages")
    func withoutRoot() throws {
        try debian(missing: ["g++"])
        try stub("id", "echo 1000")
        let refused = try run()
        #expect(refused.status == 1)
        #expect(refused.output.contains("only root can install them: g++"))
        #expect(refused.calls == [])
        try stub("sudo", "\"$@\"")
        #expect(try run().calls == ["install -y --no-install-recommends g++"])
    }

    @Test("the protobuf compiler, and what tests look through, come only when they are asked for")
    func proto() throws {
        try debian(missing: ["protobuf-compiler"])
        #expect(try run().calls == [])
        #expect(try run("--proto").calls == ["install -y --no-install-recommends protobuf-compiler"])
        try debian(missing: ["chromium", "python3-jsonschema", "python3-venv"])
        let before = try run().calls.count
        let tests = try run("--tests").calls.dropFirst(before)
        #expect(tests == ["install -y --no-install-recommends chromium python3-jsonschema python3-venv"])
        let unknown = try run("--all")
        #expect(unknown.status == 1)
        #expect(unknown.output.contains("unknown option --all"))
    }

    @Test("elsewhere than on Debian it names the packages")
    func notDebian() throws {
        try stub("pkg-config", "[ \"$2\" = zlib ]")
        let result = try run()
        #expect(result.status == 1)
        #expect(
            result.output.contains("not Debian")
                && result.output.contains("rocksdb jemalloc libcurl libnghttp2 libssl libsecp256k1"))
        #expect(Self.packages.allSatisfy(result.output.contains))
        try stub("pkg-config", "exit 0")
        #expect(try run() == (0, "", []))
    }

    @Test(
        "Swift must be 6.2 or later",
        arguments: [
            ("Swift version 6.1.3 (swift-6.1.3-RELEASE)", false), ("Swift version 6.2 (swift-6.2-RELEASE)", true),
            ("Swift version 6.10.1", true), ("Swift version 7.0", true), ("Swift version 5.10", false),
            ("nonsense", false),
            ("Apple Swift version 6.2.3 (swiftlang-6.2.3)", true),
        ])
    func swiftVersion(text: String, isEnough: Bool) throws {
        try debian(missing: [])
        try stub("swift", "echo '\(text)'")
        let result = try run()
        #expect((result.status == 0) == isEnough)
        #expect(
            isEnough || result.output.contains("Swift 6.2 or later is needed")
                || result.output.contains("6.2 or later is needed"))
    }

    @Test("a missing Swift is said so")
    func noSwift() throws {
        try debian(missing: [])
        try FileManager.default.removeItem(atPath: directory.path + "/swift")
        let result = try run()
        #expect(result.status == 1)
        #expect(result.output.contains("`swift` is not in the PATH"))
    }
}
