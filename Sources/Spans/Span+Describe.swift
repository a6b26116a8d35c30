package import Tracing

extension Span {
    /// Writes attributes if the span records.
    ///
    /// Otherwise `fill` is not called, and nothing is built.
    package func describe(_ fill: (inout SpanAttributes) -> Void) {
        guard isRecording else { return }
        updateAttributes(fill)
    }

    /// Marks the span as failed, with a reason from a fixed set.
    package func failed(_ type: @autoclosure () -> String) {
        guard isRecording else { return }
        let type = type()
        updateAttributes { $0[.errorType] = type }
        setStatus(SpanStatus(code: .error))
    }

    /// Marks the span as failed, with the error's kind only.
    func failed(_ error: any Error) {
        failed((error as? any SpanError)?.spanErrorType ?? "\(type(of: error))")
    }

    /// Links to the span that caused this one, if known.
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
