internal import CCurl

/// An option that libcurl refused, or a handle it could not make: a build of libcurl that lacks something, or no memory.
struct CurlError: Error {
    let code: CURLcode

    /// Throws unless libcurl agreed.
    static func check(_ code: CURLcode) throws(CurlError) {
        guard code == CURLE_OK else { throw CurlError(code: code) }
    }

    static func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else { throw CurlError(code: CURLE_FAILED_INIT) }
    }

    /// What a request that met this error is told.
    var failure: TransportFailure { .other(code: Int(code.rawValue)) }
}

/// libcurl's process-wide state.
enum CurlLibrary {
    /// Initialised at the first use, once, and never cleaned up: other users of libcurl in the process may remain.
    static let initialization = ccurl_global_init()
}
