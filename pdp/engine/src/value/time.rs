//! Times, dates and durations.

/// A point on the time line, or in the day, with the zone it was written in.
#[derive(Clone, Copy, Debug)]
pub struct DateTime {
    /// Seconds since 1970-01-01T00:00:00 on the clock of the zone it was written in.
    pub local_seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// Minutes east of UTC; none: the implicit zone.
    pub zone: Option<i16>,
}

/// A date: the start of that day.
#[derive(Clone, Copy, Debug)]
pub struct Date(pub DateTime);

/// A time of day.
#[derive(Clone, Copy, Debug)]
pub struct Time(pub DateTime);

/// A duration in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DayTimeDuration {
    /// Nanoseconds.
    pub nanos: i128,
}

/// A duration in months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YearMonthDuration {
    /// Months.
    pub months: i64,
}
