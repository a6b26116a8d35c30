package import Tracing

extension Span {
    /// Writes attributes if anybody reads them; otherwise `fill` is not called, and nothing is built.
    package func describe(_ fill: (inout SpanAttributes) -> Void) {
        guard isRecording else { return }
        updateAttributes(fill)
    }

    /// Marks what the span covers as failed, for a reason out of few.
    package func failed(_ type: @autoclosure () -> String) {
        guard isRecording else { return }
        let type = type()
        updateAttributes { $0[.errorType] = type }
        setStatus(SpanStatus(code: .error))
    }

    /// Marks what the span covers as failed, by the error's kind alone.
    func failed(_ error: any Error) {
        failed((error as? any SpanError)?.spanErrorType ?? "\(type(of: error))")
    }

    /// Links to the span that the work of this one comes from, if that is known.
    package func follows(_ origin: @autoclosure () -> ServiceContext?) {
        guard isRecording, let origin = origin() else { return }
        addLink(SpanLink(context: origin, attributes: [:]))
    }
}

extension SpanAttributes {
    /// An attribute by its key; nil leaves it out.
    package subscript(_ key: SpanKey) -> (any SpanAttributeConvertible)? {
        get { self[key.rawValue] }
        set { self[key.rawValue] = newValue }
    }
}
