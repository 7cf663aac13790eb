//! A request together with the route that it is made on.

use crate::Route;

/// A request together with the route that it is made on.
///
/// # Examples
///
/// ```
/// use permanence_std::{Route, Routed};
///
/// let status = Route::new("status", "PUT", "/api/agents/{id}/status");
/// # let request = ();
/// let routed = Routed { route: status.clone(), request };
/// # let _ = routed;
/// ```
#[derive(Clone, Debug)]
pub struct Routed<R> {
    /// The route; its method and template are not compared with those of the request.
    pub route: Route,
    /// The request.
    pub request: R,
}
