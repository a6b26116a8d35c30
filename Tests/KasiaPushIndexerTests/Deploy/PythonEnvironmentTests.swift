import Foundation
import Testing

/// Runs the script in a folder of its own, with a stand-in for Python that says what it was asked.
@Suite("Tests/python.sh")
struct PythonEnvironmentTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for folder in ["bin", "Tests/Schema"] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + folder, withIntermediateDirectories: true)
        }
        for tool in ["sh", "env", "cmp", "cp", "rm", "mkdir", "dirname", "cat", "chmod"] {
            let path = try #require(
                ["/usr/bin/", "/bin/"].map { $0 + tool }.first(where: FileManager.default.fileExists))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/bin/" + tool, withDestinationPath: path)
        }
        try FileManager.default.copyItem(
            atPath: projectDirectory + "/Tests/python.sh", toPath: directory.path + "/Tests/python.sh")
        _ = try directory.write("schemathesis==1\n", to: "Tests/Schema/requirements.txt")
    }

    /// A Python whose environments have a pip that installs, or does not.
    private func python(installs: Bool) throws {
        try directory.writeProgram(
            """
            #!/bin/sh
            echo "$*" >>\(directory.path)/calls
            case $2 in
            venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
            pip) \(installs) ;;
            esac

            """, to: "bin/python3")
    }

    private func run(_ target: String = "Schema") throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [directory.path + "/Tests/python.sh", target]
        process.environment = ["PATH": directory.path + "/bin"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    private var installations: Int {
        let calls = (try? String(contentsOfFile: directory.path + "/calls", encoding: .utf8)) ?? ""
        return calls.split(separator: "\n").count { $0.hasPrefix("-m pip install") }
    }

    @Test("installs once, is quiet after that, and installs anew when the list has changed")
    func once() throws {
        try python(installs: true)
        #expect(try run().status == 0)
        #expect(installations == 1)
        #expect(try run() == (0, ""))
        #expect(installations == 1)
        _ = try directory.write("schemathesis==2\n", to: "Tests/Schema/requirements.txt")
        #expect(try run().status == 0)
        #expect(installations == 2)
    }

    @Test("without PyPI it fails with a sentence that says so, and tries again the next time")
    func unreachable() throws {
        try python(installs: false)
        for count in 1...2 {
            let result = try run()
            #expect(result.status == 1)
            #expect(
                result.output.contains(
                    "FAIL Schema: pip could not install the packages of Tests/Schema/requirements.txt. PyPI is needed"),
                "\(result.output)")
            #expect(installations == count)
        }
    }

    @Test("a missing Python, and a target without a list, are said so")
    func missing() throws {
        let noPython = try run()
        #expect(noPython.status == 1 && noPython.output.contains("apt-get install python3 python3-venv"))
        try python(installs: true)
        let noList = try run("Other")
        #expect(noList.status == 1 && noList.output.contains("FAIL Other: there is no Tests/Other/requirements.txt"))
    }
}
