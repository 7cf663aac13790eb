//! The door for build scripts: a policy file becomes a source file, or the build stops and says why.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::{env, fs, process};

use crate::codegen::{Shape, emit};
use crate::{Compiled, Diagnostics, load_path};

/// Makes `policy.rs` in `OUT_DIR` from the policy file at `path`.
///
/// The policy is `pub struct Policy`, and the core is looked for at `::permanence_core`; see
/// [`generate_as`] for other names. Where the file has faults, all of them are printed and the build
/// script ends without success. The build runs again when one of the files that were read changes.
///
/// # Examples
///
/// A build script, and where its policy is used:
///
/// ```no_run
/// permanence_spec::build::generate("error_permanence.toml");
/// ```
///
/// ```text
/// include!(concat!(env!("OUT_DIR"), "/policy.rs"));
/// ```
pub fn generate(path: impl AsRef<Path>) {
    generate_as(path, &Shape::default());
}

/// The same with names of your own.
pub fn generate_as(path: impl AsRef<Path>, shape: &Shape) {
    let directory = env::var_os("OUT_DIR");
    let done = write(path.as_ref(), shape, directory, &mut io::stdout());
    if let Err(failure) = done {
        // The script has nothing else to say, so that it ends here, where the reason is known.
        eprintln!("{failure}");
        process::exit(1);
    }
}

/// The source text of a policy: what [`emit`] gives, laid out for a reader.
///
/// # Examples
///
/// ```
/// use permanence_spec::{build::source, codegen::Shape};
///
/// let compiled = permanence_spec::essay_policy().unwrap();
/// assert!(source(&compiled, &Shape::default()).contains("429 | 503"));
/// ```
#[must_use]
pub fn source(compiled: &Compiled, shape: &Shape) -> String {
    let tokens = emit(compiled, shape);
    match syn::parse2(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        // Whoever passed a name or a path that is not Rust gets to see it.
        Err(_) => tokens.to_string(),
    }
}

/// Why there is no policy.
#[derive(Debug)]
#[non_exhaustive]
enum Failure {
    /// The policy file has faults.
    Faulty(Diagnostics),
    /// There is no `OUT_DIR`: this is not a build script.
    Homeless,
    /// The file cannot be written.
    Unwritable(io::Error),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Faulty(diagnostics) => diagnostics.fmt(out),
            Failure::Homeless => out.write_str("OUT_DIR is not set outside of a build script"),
            Failure::Unwritable(error) => write!(out, "the policy cannot be written: {error}"),
        }
    }
}

fn write(
    path: &Path,
    shape: &Shape,
    directory: Option<OsString>,
    cargo: &mut impl Write,
) -> Result<(), Failure> {
    let loaded = load_path(path);
    let files = match &loaded {
        Ok(compiled) => compiled.files.as_slice(),
        Err(diagnostics) => diagnostics.files(),
    };
    // The file itself too: it may be missing today.
    for file in std::iter::once(path).chain(files.iter().map(AsRef::as_ref)) {
        writeln!(cargo, "cargo::rerun-if-changed={}", file.display())
            .map_err(Failure::Unwritable)?;
    }
    let compiled = loaded.map_err(Failure::Faulty)?;
    let directory = directory.ok_or(Failure::Homeless)?;
    let target = Path::new(&directory).join("policy.rs");
    fs::write(target, source(&compiled, shape)).map_err(Failure::Unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        let place = env::temp_dir().join(format!("permanence-build-{}-{name}", process::id()));
        fs::create_dir_all(&place).expect("a temporary directory can be made");
        place
    }

    #[test]
    fn every_file_that_was_read_is_watched() {
        let place = scratch("watched");
        let (policy, base) = (place.join("policy.toml"), place.join("base.toml"));
        fs::write(&policy, "[error_permanence]\nextends = 'base.toml'\n").unwrap();
        fs::write(&base, "[error_permanence]\nextends = 'default'\n").unwrap();

        let mut told = Vec::new();
        let shape = Shape::default();
        write(&policy, &shape, Some(place.clone().into()), &mut told).unwrap();

        let told = String::from_utf8(told).unwrap();
        for file in [&policy, &base] {
            assert!(told.contains(&format!("rerun-if-changed={}\n", file.display())), "{told}");
        }
        let text = fs::read_to_string(place.join("policy.rs")).unwrap();
        assert!(text.contains("pub struct Policy;"), "{text}");
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_faulty_file_is_watched_too_and_all_its_faults_are_told() {
        let place = scratch("faulty");
        let policy = place.join("policy.toml");
        fs::write(&policy, "[error_permanence]\nmod = 1\nmode = 'maybe'\n").unwrap();

        let mut told = Vec::new();
        let shape = Shape::default();
        let failure = write(&policy, &shape, Some(place.clone().into()), &mut told).unwrap_err();

        assert_eq!(failure.to_string(), load_path(&policy).unwrap_err().to_string());
        assert_eq!(failure.to_string().matches("error[").count(), 2, "{failure}");
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains(&format!("rerun-if-changed={}\n", policy.display())), "{told}");
        assert!(!place.join("policy.rs").exists());
        fs::remove_dir_all(place).unwrap();
    }
}
