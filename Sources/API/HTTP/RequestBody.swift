import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import NIOHTTP1

/// Reads a request's body as a JSON object.
enum RequestBody {
    /// Errors: 413 over `limit` bytes, 415 for another content type, 400 for what is not a JSON object.
    ///
    /// If `needsContentType` is false, a body without a content type counts as JSON. A browser lets any page send such
    /// a body, but makes a preflight request before `application/json`. So calls that change something need the type.
    static func object(
        of request: Request, atMost limit: Int = APILimits.bodyBytes, needsContentType: Bool = false
    ) async throws -> [String: JSONValue] {
        let type = request.headers[.contentType]
        if needsContentType || type != nil {
            let essence = (type ?? "").prefix { $0 != ";" }.trimmed.lowercased()
            guard essence == "application/json" || essence.hasSuffix("+json") else {
                throw APIError(
                    status: .unsupportedMediaType, message: "the body must be JSON (content-type: application/json)")
            }
        }
        do {
            guard case .object(let members) = try JSONParser.parse(try await bytes(of: request, atMost: limit)) else {
                throw APIError.badRequest("the body must be a JSON object")
            }
            return members
        } catch let error as JSONError {
            throw APIError.badRequest(error.sentence)
        }
    }

    private static func bytes(of request: Request, atMost limit: Int) async throws -> [UInt8] {
        let tooLarge = APIError(status: .contentTooLarge, message: "the body is larger than \(limit / 1024) KiB")
        // A body that is announced as too large is not read.
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw tooLarge
        }
        do {
            return [UInt8](buffer: try await request.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch let error where error is HTTPParserError || error is CancellationError {
            throw error
        } catch {
            // The connection broke before the end of the body.
            throw APIError.badRequest("the body ended too early")
        }
    }
}
