/// The straight line that lies nearest to points.
struct LeastSquares {
    /// How much the value grows for each unit of the place.
    let slope: Double
    /// The slope's standard error; nil of fewer than three points.
    let error: Double?

    /// Nil of fewer than two points, or of points that are all at one place.
    init?(_ points: [(place: Double, value: Double)]) {
        let count = Double(points.count)
        let meanPlace = points.reduce(0) { $0 + $1.place } / max(1, count)
        let meanValue = points.reduce(0) { $0 + $1.value } / max(1, count)
        let width = points.reduce(0) { $0 + ($1.place - meanPlace) * ($1.place - meanPlace) }
        guard width > 0 else { return nil }
        let slope = points.reduce(0) { $0 + ($1.place - meanPlace) * ($1.value - meanValue) } / width
        let rest = points.reduce(0.0) {
            let miss = $1.value - meanValue - slope * ($1.place - meanPlace)
            return $0 + miss * miss
        }
        self.slope = slope
        error = points.count > 2 ? (rest / (count - 2) / width).squareRoot() : nil
    }
}
