internal import CCurl

/// An option that libcurl refused, or a handle it could not make: a build of libcurl that lacks something, or no
/// memory.
struct CurlError: Error {
    let code: CURLcode

    static let outOfMemory = CurlError(code: CURLE_OUT_OF_MEMORY)
    static let setUpFailed = CurlError(code: CURLE_FAILED_INIT)

    /// Throws unless libcurl agreed.
    static func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code: code) }
    }

    /// What a request that met this error is told.
    var failure: TransportFailure { .other(code: Int(code.rawValue)) }
}

/// libcurl's process-wide state.
package enum CurlLibrary {
    /// Initialised at the first use, once, and never cleaned up: other users of libcurl in the process may remain.
    private static let initialization = ccurl_global_init()

    /// Why the system's libcurl cannot be used, in a sentence for the operator; nil if it can.
    package static var problem: String? {
        if ccurl_has_openssl() { return nil }
        return "the system's libcurl does not use OpenSSL; install the one that does (Debian: libcurl4)"
    }

    static func check() throws(CurlError) {
        try CurlError.check(initialization)
        guard ccurl_has_openssl() else { throw CurlError(code: CURLE_NOT_BUILT_IN) }
    }
}
