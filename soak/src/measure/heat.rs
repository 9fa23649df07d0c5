//! How many requests took how long, interval by interval: what percentiles over time cannot show, such as
//! two kinds of requests.

use super::histogram::Latencies;
use super::record::{HeatColumn, Heatmap};

/// Two rows for each doubling of the time, from this one on, in microseconds.
const SHORTEST_US: f64 = 16.0;
/// As many rows reach beyond a quarter of an hour.
pub(super) const ROWS: usize = 52;
/// More columns than this cannot be told apart on a page.
const MOST_COLUMNS: usize = 100;

/// The counts of one interval.
pub(super) type Column = (f64, [u32; ROWS]);

fn row(us: u64) -> usize {
    let row = (us as f64 / SHORTEST_US).log2() * 2.0;
    // What is shorter than the shortest, a negative number, counts there.
    (row as usize).min(ROWS - 1)
}

/// The time from which on requests belong to a row.
fn from_us(row: usize) -> u64 {
    (SHORTEST_US * 2_f64.powf(row as f64 / 2.0)).round() as u64
}

pub(super) fn column(t: f64, times: &Latencies) -> Column {
    let mut counts = [0_u32; ROWS];
    for (us, count) in times.buckets() {
        let cell = &mut counts[row(us)];
        *cell = cell.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }
    (t, counts)
}

/// The rows that are used, with neighbouring intervals put together where there are too many.
pub(super) fn map(columns: &[Column]) -> Option<Heatmap> {
    let used = |row: &usize| columns.iter().any(|(_, counts)| counts[*row] > 0);
    let (first, last) = ((0..ROWS).find(used)?, (0..ROWS).rfind(used)?);
    let fold = columns.len().div_ceil(MOST_COLUMNS);
    let folded = columns.chunks(fold).filter_map(|chunk| {
        let sum = |row: usize| chunk.iter().map(|(_, counts)| u64::from(counts[row])).sum();
        Some(HeatColumn { t: chunk.last()?.0, counts: (first..=last).map(sum).collect() })
    });
    Some(Heatmap {
        from_us: (first..=last).map(from_us).collect(),
        below_us: from_us(last + 1),
        columns: folded.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_in_the_row_of_its_time() {
        let mut times = Latencies::default();
        for us in [1, 17, 100, 150, 150, 3_000_000] {
            times.record(us);
        }
        let map = map(&[column(1.0, &times)]).expect("there are times");
        assert_eq!(map.from_us.len(), map.columns[0].counts.len());
        assert_eq!(map.columns[0].counts.iter().sum::<u64>(), 6);
        for (place, from) in map.from_us.iter().enumerate() {
            let to = map.from_us.get(place + 1).unwrap_or(&map.below_us);
            let here = |us: &u64| us >= from && us < to;
            let expected = [17, 100, 150, 150].iter().filter(|us| here(us)).count() as u64;
            // The shortest one counts in the first row; the longest one within three digits in the last.
            let ends = u64::from(place == 0) + u64::from(place + 1 == map.from_us.len());
            assert_eq!(map.columns[0].counts[place], expected + ends, "{from} to {to}");
        }
    }

    #[test]
    fn many_intervals_are_put_together_and_lose_nothing() {
        let mut times = Latencies::default();
        times.record(1000);
        let columns: Vec<Column> = (1..=1200).map(|t| column(f64::from(t), &times)).collect();
        let map = map(&columns).expect("there are times");
        assert_eq!((map.columns.len(), map.columns[99].t), (100, 1200.0));
        assert_eq!(map.columns.iter().flat_map(|column| &column.counts).sum::<u64>(), 1200);
        assert!(super::map(&[]).is_none());
    }
}
