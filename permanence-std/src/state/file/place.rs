//! Where a state file stands: the XDG Base Directory Specification, 0.8.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::PlaceError;

/// The path of the state file of this name, for the user of this process.
pub(super) fn named(name: &str) -> Result<PathBuf, PlaceError> {
    let home = std::env::home_dir().map(PathBuf::into_os_string);
    place(std::env::var_os("XDG_STATE_HOME"), home, name)
}

fn place(
    xdg_state_home: Option<OsString>,
    home: Option<OsString>,
    name: &str,
) -> Result<PathBuf, PlaceError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.bytes().all(is_plain) {
        return Err(PlaceError::Name(name.to_owned()));
    }
    // The specification has relative paths ignored.
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let directory = match xdg_state_home.and_then(absolute) {
        Some(directory) => directory,
        None => home.and_then(absolute).ok_or(PlaceError::NoDirectory)?.join(".local/state"),
    };
    Ok(directory.join("permanence").join(format!("{name}.state")))
}

/// The file beside `path` that has `suffix` on top of its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(xdg_state_home: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
        place(xdg_state_home.map(OsString::from), home.map(OsString::from), "reporter").ok()
    }

    #[test]
    fn a_state_file_stands_in_the_state_directory_of_the_user() {
        let in_home = Some(PathBuf::from("/home/me/.local/state/permanence/reporter.state"));
        assert_eq!(path(Some("/s"), Some("/home/me")), Some("/s/permanence/reporter.state".into()));
        assert_eq!(path(None, Some("/home/me")), in_home);
        assert_eq!(path(Some(""), Some("/home/me")), in_home);
        assert_eq!(path(Some("s"), Some("/home/me")), in_home);
        assert_eq!(path(None, None), None);
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        for name in ["", ".", "..", "../x", "a/b", "a b", "\u{e4}", ".hidden", &"x".repeat(101)] {
            let refused = place(Some("/s".into()), None, name);
            assert!(matches!(refused, Err(PlaceError::Name(_))), "{name}");
        }
        assert!(place(Some("/s".into()), None, "my-reporter_2.test").is_ok());
    }
}
