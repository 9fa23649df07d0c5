//! The tables of a mode on the page.

use maud::{Markup, html};

use crate::measure::record::RunRecord;
use crate::report::tables::{self, Table};

/// All tables of the record's mode, if it has any.
pub(super) fn of_mode(record: &RunRecord) -> Option<Markup> {
    let tables = tables::of_mode(record);
    (!tables.is_empty()).then(|| html! { @for table in &tables { (draw(table)) } })
}

fn draw(table: &Table) -> Markup {
    html! {
        h3 { (table.title) }
        @if !table.note.is_empty() { p { (table.note) } }
        @if table.is_long {
            details { summary { (table.rows.len()) " rows" } (grid(table)) }
        } @else {
            (grid(table))
        }
    }
}

fn grid(table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.title) { table.figures {
            thead { tr { @for name in &table.columns { @if name.is_empty() { td {} } @else { th scope="col" { (name) } } } } }
            tbody {
                @for row in &table.rows {
                    tr {
                        @for (column, cell) in row.iter().enumerate() {
                            @if column == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                        }
                    }
                }
            }
        } }
    }
}
