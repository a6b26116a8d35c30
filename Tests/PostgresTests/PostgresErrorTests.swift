import Postgres
import Testing

@Suite struct PostgresErrorTests {
    @Test(arguments: [
        ("40001", true, false), ("40P01", true, false), ("55P03", true, false), ("53300", true, false),
        ("57P01", true, true), ("57P02", true, true), ("57P03", true, true), ("08006", true, true),
        ("08P01", true, true), ("25006", true, true), ("23505", false, false), ("28P01", false, false),
        ("3D000", false, false), ("KP001", false, false), ("57014", false, false),
    ])
    func aStateTellsWhetherToTryAgain(state: String, isRetryable: Bool, losesConnection: Bool) {
        let error = PostgresError(.server(sqlState: state), "no")
        #expect(error.isRetryable == isRetryable)
        #expect(error.losesConnection == losesConnection)
        #expect(error.description == "no (SQLSTATE \(state))")
    }

    @Test func aLostConnectionIsTriedAgainAndAWrongValueIsNot() {
        for kind in [PostgresError.Kind.connection, .deadline] {
            #expect(PostgresError(kind, "").isRetryable && PostgresError(kind, "").losesConnection)
        }
        #expect(!PostgresError(.value, "").isRetryable && !PostgresError(.value, "").losesConnection)
    }

    @Test func aMessageIsOneLine() {
        #expect(PostgresError(.connection, "one\ntwo\r\n").message == "one two")
    }
}
