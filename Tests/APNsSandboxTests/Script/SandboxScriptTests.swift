import APNsSandbox
import Testing

@Suite("A script's JSON")
struct SandboxScriptTests {
    @Test("says everything that code can say")
    func decodes() throws {
        let text = """
            {"seed": 9, "clear": true, "maximum_streams": 1,
             "go_away": {"last_stream": 5, "error": 2, "debug": "bye", "keep_open": true},
             "tokens": [{"token": "AB", "good_at": "development"}, {"token": "cd", "good_at": "production"},
                        {"token": "ef", "good_at": "both"}],
             "close_connections": true, "refuse": {"seconds": 1.5, "by": "alert"},
             "rules": [
               {"name": "gone", "token": "AB", "times": 3, "skip": 2,
                "answer": {"status": 410, "reason": "Unregistered", "timestamp": 17, "retry_after": 4}},
               {"chance": 0.25, "delay": 0.5, "answer": {"status": 503, "retry_after_date": 9, "body": "no JSON"}},
               {"environment": "production", "silence": true, "delivered": true}, {"reset": 7}, {"close": true}, {"delay": 1},
               {"half_body": {"status": 400, "reason": "BadTopic", "then": "close"}},
               {"go_away": {"last_stream": "all"}}, {"go_away": {"last_stream": "newest"}}, {"go_away": {}}
             ]}
            """
        var expected = SandboxScript(rules: [
            SandboxRule(
                .answer(
                    SandboxAnswer(
                        status: 410, reason: "Unregistered", timestampMilliseconds: 17, retryAfter: .seconds(4))),
                name: "gone", token: "ab", skip: 2, times: 3),
            SandboxRule(
                .answer(SandboxAnswer(status: 503, retryAfter: .date(secondsFromNow: 9), body: "no JSON")),
                chance: 0.25, delay: .milliseconds(500)),
            SandboxRule(.silence, environment: .production, delivered: true), SandboxRule(.resetStream(errorCode: 7)),
            SandboxRule(.closeConnection), SandboxRule(.accept, delay: .seconds(1)),
            SandboxRule(.halfBody(SandboxAnswer(status: 400, reason: "BadTopic"), ending: .close)),
            SandboxRule(.goAway(SandboxGoAway(lastStream: .all))),
            SandboxRule(.goAway(SandboxGoAway(lastStream: .newest))), SandboxRule(.goAway(SandboxGoAway())),
        ])
        expected.seed = 9
        expected.clearsRules = true
        expected.maximumStreams = 1
        expected.goAway = SandboxGoAway(
            lastStream: .stream(5), errorCode: 2, debugData: "bye", closesConnection: false)
        expected.tokens = [
            SandboxToken("ab", goodAt: .development), SandboxToken("cd", goodAt: .production),
            SandboxToken("ef", goodAt: nil),
        ]
        expected.closesConnections = true
        expected.refusal = SandboxRefusal(for: .milliseconds(1500), by: .alert)
        #expect(try SandboxScript(json: Array(text.utf8)) == expected)
        #expect(try SandboxScript(json: Array("{}".utf8)) == SandboxScript())
    }

    @Test(
        "that is wrong is refused with the place and what is allowed there",
        arguments: [
            ("", "The script is not valid JSON from line 1, column 1."),
            ("{\n \"rules\": [,]}", "The script is not valid JSON from line 2, column 12."),
            ("[]", "The script: must be an object."),
            (
                #"{"rule": []}"#,
                "The script: there is no key \"rule\" here; possible are seed, clear, rules, "
                    + "tokens, maximum_streams, go_away, close_connections, refuse."
            ),
            (#"{"rules": {}}"#, "rules: must be an array."),
            (#"{"rules": [3]}"#, "rules[0]: must be an object."),
            (#"{"rules": [{}, {"chance": 2}]}"#, "rules[1].chance: must be from 0.0 to 1.0."),
            (
                #"{"rules": [{"environment": "sandbox"}]}"#,
                "rules[0].environment: must be one of development, production."
            ),
            (#"{"tokens": [{"good_at": "both"}]}"#, "tokens[0]: lacks the key token."),
            (#"{"tokens": [{"token": "ab"}]}"#, "tokens[0]: lacks the key good_at."),
            (
                #"{"tokens": [{"token": "ab", "good_at": "home"}]}"#,
                "tokens[0].good_at: must be one of development, production, both."
            ),
            (#"{"rules": [{"chance": "x"}]}"#, "rules[0].chance: must be a number."),
            (#"{"rules": [{"times": 0}]}"#, "rules[0].times: must be from 1 to 2147483647."),
            (#"{"rules": [{"skip": -1}]}"#, "rules[0].skip: must be from 0 to 2147483647."),
            (#"{"rules": [{"delay": 3601}]}"#, "rules[0].delay: must be from 0.0 to 3600.0."),
            (#"{"rules": [{"token": 7}]}"#, "rules[0].token: must be a text."),
            (#"{"rules": [{"silence": false}]}"#, "rules[0].silence: must be true, or left out."),
            (
                #"{"rules": [{"silence": true, "close": true}]}"#,
                "rules[0]: has silence and close, of which only one can happen."
            ),
            (#"{"rules": [{"answer": {}}]}"#, "rules[0].answer: lacks the key status."),
            (#"{"rules": [{"answer": {"status": 199}}]}"#, "rules[0].answer.status: must be from 200 to 599."),
            (#"{"rules": [{"answer": {"status": 600}}]}"#, "rules[0].answer.status: must be from 200 to 599."),
            (#"{"rules": [{"answer": {"status": 4.5}}]}"#, "rules[0].answer.status: must be a whole number."),
            (
                #"{"rules": [{"answer": {"status": 429, "retry_after": 1, "retry_after_date": 1}}]}"#,
                "rules[0].answer: has retry_after and retry_after_date, of which only one can be sent."
            ),
            (
                #"{"rules": [{"answer": {"status": 410, "timestamp": -1}}]}"#,
                "rules[0].answer.timestamp: must be a whole number, not negative."
            ),
            (
                #"{"rules": [{"half_body": {"status": 400, "then": "cry"}}]}"#,
                "rules[0].half_body.then: must be one of reset, silence, close."
            ),
            (
                #"{"rules": [{"go_away": {"last_stream": "some"}}]}"#,
                "rules[0].go_away.last_stream: must be all, newest, answered or a stream id."
            ),
            (
                #"{"rules": [{"go_away": {"last_stream": -1}}]}"#,
                "rules[0].go_away.last_stream: must be from 0 to 2147483647."
            ),
            (#"{"rules": [{"reset": 4294967296}]}"#, "rules[0].reset: must be from 0 to 4294967295."),
            (#"{"maximum_streams": -1}"#, "maximum_streams: must be from 0 to 1000000."),
            (#"{"refuse": {"by": "alert"}}"#, "refuse: lacks the key seconds."),
            (#"{"refuse": {"seconds": 90000}}"#, "refuse.seconds: must be from 0.0 to 86400.0."),
        ])
    func explainsErrors(text: String, message: String) {
        #expect {
            _ = try SandboxScript(json: Array(text.utf8))
        } throws: { error in
            let error = error as? SandboxError
            if error?.message != message { Issue.record("\(error?.message ?? "no SandboxError")") }
            return error?.code == .invalidScript
        }
    }
}
