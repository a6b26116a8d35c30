/// One line of the table.
struct Row: Sendable {
    /// What else gives a figure of the same unit in the same run.
    struct Yardstick: Sendable {
        let name: String
        /// nil: it could not be measured here, and the name says why.
        let samples: Samples?
    }

    let what: String
    let samples: Samples
    let unit: String
    let yardstick: Yardstick?

    init(_ what: String, _ samples: Samples, _ unit: String, yardstick: Yardstick? = nil) {
        self.what = what
        self.samples = samples
        self.unit = unit
        self.yardstick = yardstick
    }

    init(_ what: String, _ samples: Samples, _ unit: String, against name: String, _ yardstick: Samples?) {
        self.init(what, samples, unit, yardstick: Yardstick(name: name, samples: yardstick))
    }
}
