import CLibpq

extension Connection {
    /// Runs statements in one pipeline, hence in one round trip, and returns their answers in order.
    ///
    /// Without a `begin` among them they are one transaction: all is done, or nothing. What is not yet prepared on
    /// this connection is prepared in the same pipeline, with the parameter types of this call.
    ///
    /// - Throws: the first error. The rest is not run, and an open transaction is rolled back. `value` when a
    ///   parameter cannot be sent or has another type than when the statement was prepared; nothing was sent then.
    package func run(_ calls: [(Statement, [Parameter])]) throws(PostgresError) -> [Rows] {
        let handle = try open()
        var parameters: [EncodedParameters] = []
        parameters.reserveCapacity(calls.count)
        // What this pipeline prepares.
        var fresh: [String: PreparedStatement] = [:]
        for (statement, values) in calls {
            let encoded = try EncodedParameters(values)
            if let known = prepared[statement.name] ?? fresh[statement.name] {
                try known.check(statement, encoded.types)
            } else {
                fresh[statement.name] = PreparedStatement(statement: statement, types: encoded.types)
            }
            parameters.append(encoded)
        }
        try require(PQenterPipelineMode(handle))
        var expected: [PipelineStep] = []
        for (index, (statement, _)) in calls.enumerated() {
            if let new = fresh.removeValue(forKey: statement.name) {
                try require(
                    PQsendPrepare(handle, statement.name, statement.text, Int32(new.types.count), new.types))
                expected.append(.prepare(new))
            }
            try require(
                parameters[index].withPointers {
                    PQsendQueryPrepared(handle, statement.name, $0, $1, $2, $3, 1)
                })
            expected.append(.rows)
        }
        return try answers(expected)
    }

    /// Runs one statement that is not kept prepared.
    ///
    /// - Throws: as `run`.
    package func query(_ text: String, _ parameters: [Parameter]) throws(PostgresError) -> Rows {
        let handle = try open()
        let encoded = try EncodedParameters(parameters)
        try require(PQenterPipelineMode(handle))
        try require(
            encoded.withPointers { PQsendQueryParams(handle, text, $0, encoded.types, $1, $2, $3, 1) })
        return try answers([.rows])[0]
    }

    /// Runs statements without parameters, separated by semicolons, and drops their answers.
    ///
    /// Without a `begin` among them they are one transaction.
    ///
    /// - Throws: the first error. The rest is not run, and an open transaction is rolled back.
    package func execute(script: String) throws(PostgresError) {
        let handle = try open()
        try require(PQsendQuery(handle, script))
        var failure: PostgresError?
        while let result = try next(handle, after: failure) {
            defer { PQclear(result) }
            try refuseCopy(result)
            if let error = error(in: result) { failure = failure ?? error }
        }
        if let failure { throw settled(failure) }
    }

    /// Ends the pipeline and reads all of it.
    private func answers(_ expected: [PipelineStep]) throws(PostgresError) -> [Rows] {
        let handle = try open()
        try require(PQpipelineSync(handle))
        var rows: [Rows] = []
        var failure: PostgresError?
        for step in expected {
            while let result = try next(handle, after: failure) {
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                    switch step {
                    case .prepare(let new):
                        prepared[new.statement.name] = new
                        PQclear(result)
                    case .rows: rows.append(Rows(result))
                    }
                default:
                    defer { PQclear(result) }
                    try refuseCopy(result)
                    if let error = error(in: result) { failure = failure ?? error }
                }
            }
        }
        if let error = try endOfPipeline(handle, after: failure) { failure = failure ?? error }
        if let failure { throw settled(failure) }
        return rows
    }

    /// Reads to the pipeline's end; returns what went wrong there.
    ///
    /// The transaction is committed there, and a deferred constraint or a serialization failure is an answer of its
    /// own, after those of all statements.
    private func endOfPipeline(
        _ handle: OpaquePointer, after failure: PostgresError?
    ) throws(PostgresError) -> PostgresError? {
        var atCommit: PostgresError?
        // The error, an end, the mark. More is a protocol that we do not know.
        for _ in 0..<3 {
            guard let result = try next(handle, after: failure ?? atCommit) else { continue }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                try require(PQexitPipelineMode(handle))
                return atCommit
            }
            atCommit = atCommit ?? error(in: result)
        }
        throw lost()
    }

    /// The next result, as `next` gives it.
    ///
    /// When the connection is lost after the server said why, that is the better error. After a refusal that keeps the
    /// connection it is not: the caller must learn of the loss.
    private func next(_ handle: OpaquePointer, after failure: PostgresError?) throws(PostgresError) -> OpaquePointer? {
        do throws(PostgresError) {
            return try next(handle)
        } catch {
            if let failure, failure.losesConnection { throw failure }
            throw error
        }
    }

    /// What a result says went wrong; nil when nothing did, or when an earlier error kept it from being run.
    private func error(in result: OpaquePointer) -> PostgresError? {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_ABORTED: return nil
        default: break
        }
        func field(_ code: UInt8) -> String? {
            PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
        }
        let words = [
            field(UInt8(ascii: "M")) ?? String(cString: PQresultErrorMessage(result)), field(UInt8(ascii: "D")),
            field(UInt8(ascii: "H")),
        ]
        let message = words.compactMap { $0 }.joined(separator: " ")
        guard let state = field(UInt8(ascii: "C")) else { return PostgresError(.connection, message) }
        let error = PostgresError(.server(sqlState: state), message)
        // The severity in English, whatever `lc_messages` is: after these the server ends the connection.
        let isFatal = ["FATAL", "PANIC"].contains(field(UInt8(ascii: "V")))
        return isFatal && !error.losesConnection ? PostgresError(.connection, error.description) : error
    }

    /// Leaves the connection closed when the error says that it is lost, and outside of any transaction otherwise.
    private func settled(_ failure: PostgresError) -> PostgresError {
        if failure.losesConnection {
            close()
        } else if let handle, PQtransactionStatus(handle) == PQTRANS_INERROR {
            do throws(PostgresError) {
                try execute(script: "rollback")
            } catch {
                close()
                return PostgresError(.connection, failure.description)
            }
        }
        return failure
    }

    /// COPY has a protocol of its own that this connection does not speak.
    private func refuseCopy(_ result: OpaquePointer) throws(PostgresError) {
        guard [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(PQresultStatus(result)) else { return }
        close()
        throw PostgresError(.connection, "COPY is not supported; the connection to \(target) was closed.")
    }

    /// Checks what libpq's functions answer: 0 when there is no connection, or no memory.
    private func require(_ success: Int32) throws(PostgresError) {
        if success == 0 { throw lost() }
    }
}

/// What a pipeline answers next.
private enum PipelineStep {
    case prepare(PreparedStatement)
    case rows
}
