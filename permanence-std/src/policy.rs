//! The macro `policy!` for users who name this crate alone.

/// Compiles a policy file in: `permanence_macros::policy!` with the paths of this crate.
///
/// # Examples
///
/// ```
/// use permanence_std::core::{Policy as _, Signal};
///
/// permanence_std::policy!(name = Reporting);
///
/// assert!(Reporting.rule(&Signal::Http(404)).disable_after.is_some());
/// ```
#[macro_export]
macro_rules! policy {
    () => {
        $crate::macros::policy!(crate = $crate::core);
    };
    ($($arguments:tt)+) => {
        $crate::macros::policy!($($arguments)+, crate = $crate::core);
    };
}
