//! The descriptors of a process, those of them that are sockets, and the states of its TCP connections.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::measure::record::TcpStates;

/// How many descriptors are open, and the inodes of the sockets among them; `None` where that may not be seen.
pub(super) fn descriptors(process: &Path) -> Option<(i64, BTreeSet<u64>)> {
    let mut count = 0;
    let mut inodes = BTreeSet::new();
    for entry in fs::read_dir(process.join("fd")).ok()?.flatten() {
        count += 1;
        // One that has been closed meanwhile was open a moment ago.
        let link = fs::read_link(entry.path()).unwrap_or_default();
        let inode = link.to_str().and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']'));
        inodes.extend(inode.and_then(|inode| inode.parse::<u64>().ok()));
    }
    Some((count, inodes))
}

/// The TCP connections among these sockets; `None` where the tables may not be read.
pub(super) fn tcp(process: &Path, inodes: &BTreeSet<u64>) -> Option<TcpStates> {
    let tables = ["net/tcp", "net/tcp6"].map(|table| fs::read_to_string(process.join(table)).ok());
    if tables.iter().all(Option::is_none) {
        return None;
    }
    let mut states = TcpStates::default();
    for line in tables.iter().flatten().flat_map(|table| table.lines().skip(1)) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (Some(state), Some(inode)) = (fields.get(3), fields.get(9)) else { continue };
        if !inode.parse().is_ok_and(|inode| inodes.contains(&inode)) {
            continue;
        }
        // As numbered by the kernel.
        *match *state {
            "01" => &mut states.established,
            "08" => &mut states.close_wait,
            "0A" => &mut states.listen,
            _ => &mut states.other,
        } += 1;
    }
    Some(states)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn connections_are_told_by_state_and_those_of_others_are_left_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        fs::create_dir_all(path.join("fd")).expect("a folder");
        fs::create_dir_all(path.join("net")).expect("a folder");
        let links =
            ["socket:[11]", "socket:[12]", "socket:[13]", "socket:[14]", "/dev/null", "pipe:[15]"];
        for (number, to) in links.iter().enumerate() {
            symlink(to, path.join("fd").join(number.to_string())).expect("a link");
        }
        let row = |state: &str, inode: u32| {
            format!(
                "   0: 0100007F:1B39 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0 0 {inode} 1\n"
            )
        };
        let head = "  sl  local_address rem_address st ...\n".to_owned();
        let table = [head.clone(), row("0A", 11), row("01", 12), row("01", 99)].concat();
        fs::write(path.join("net/tcp"), table).expect("a small file");
        let table = [head, row("08", 13), row("06", 14), row("01", 0)].concat();
        fs::write(path.join("net/tcp6"), table).expect("a small file");
        let (count, inodes) = descriptors(path).expect("the folder is there");
        assert_eq!((count, inodes.len()), (6, 4));
        let states = tcp(path, &inodes).expect("the tables are there");
        let expected = TcpStates { established: 1, close_wait: 1, listen: 1, other: 1 };
        assert_eq!(states, expected);
    }

    #[test]
    fn what_may_not_be_seen_is_not_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(descriptors(folder.path()).is_none());
        assert!(tcp(folder.path(), &BTreeSet::new()).is_none());
    }
}
