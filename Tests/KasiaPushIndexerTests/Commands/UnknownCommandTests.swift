import Testing

@testable import KasiaPushIndexer

@Suite("A word that is no command")
struct UnknownCommandTests {
    private func unknown(_ arguments: [String]) -> UnknownCommand? {
        UnknownCommand(arguments, of: KasiaPushIndexerCommand.names)
    }

    @Test(
        "What is nearly a command is told which",
        arguments: [
            ("serv", "serve"), ("Serve", "serve"), ("docter", "doctor"), ("confg", "config"), ("restroe", "restore"),
            ("halp", "help"), ("start", "stats"),
        ])
    func near(word: String, meant: String) {
        #expect(
            unknown([word, "--config", "x"])?.description
                == "\(word) is no command of kasia-push-indexer: did you mean \(meant)? --help lists them")
    }

    @Test("What is far from all is told where they stand", arguments: ["x", "launch", "service-now", "émoji🙂", ""])
    func far(word: String) {
        #expect(unknown([word])?.description == "\(word) is no command of kasia-push-indexer: --help lists them")
    }

    @Test(
        "Commands, options and nothing at all are the parser's",
        arguments: [[], ["serve"], ["serve", "x"], ["--help"], ["-h"], ["--version"], ["help", "serve"]])
    func none(arguments: [String]) {
        #expect(unknown(arguments) == nil)
    }

    @Test(
        "Mistakes are counted by letter",
        arguments: [("serve", "serve", 0), ("", "abc", 3), ("ab", "ba", 2), ("abc", "axc", 1)])
    func counted(first: String, second: String, mistakes: Int) {
        #expect(UnknownCommand.mistakes(between: first, and: second) == mistakes)
    }
}
