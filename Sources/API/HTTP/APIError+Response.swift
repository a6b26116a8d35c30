import HTTPTypes
import Hummingbird

extension APIError: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        let response = JSONAnswer.response(status, answer, headers: headers)
        // A body after the answer to a HEAD would be read as the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}
