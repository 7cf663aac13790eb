//! What threads share: as the system has it, or as the model of `tests/model` has it, which runs them in every
//! order that it can think of.

#[cfg(permanence_shuttle)]
pub(super) use shuttle::sync::atomic::AtomicU32;
#[cfg(permanence_shuttle)]
pub(super) use shuttle::sync::{Mutex, MutexGuard, RwLock};
#[cfg(not(permanence_shuttle))]
pub(super) use std::sync::atomic::AtomicU32;
#[cfg(not(permanence_shuttle))]
pub(super) use std::sync::{Mutex, MutexGuard, RwLock};

/// Something that is replaced as a whole while others read it.
#[cfg(not(permanence_shuttle))]
pub(super) type Slot<T> = arc_swap::ArcSwap<T>;
#[cfg(permanence_shuttle)]
pub(super) use self::modelled::Slot;

#[cfg(permanence_shuttle)]
mod modelled {
    use std::ops::Deref;
    use std::sync::{Arc, PoisonError};

    use shuttle::sync::RwLock;

    #[derive(Debug)]
    pub(in crate::registry) struct Slot<T>(RwLock<Arc<T>>);

    impl<T> Slot<T> {
        pub(in crate::registry) fn from_pointee(content: T) -> Self {
            Slot(RwLock::new(Arc::new(content)))
        }

        pub(in crate::registry) fn load(&self) -> Loaded<T> {
            Loaded(self.load_full())
        }

        pub(in crate::registry) fn load_full(&self) -> Arc<T> {
            Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
        }

        pub(in crate::registry) fn store(&self, content: Arc<T>) {
            *self.0.write().unwrap_or_else(PoisonError::into_inner) = content;
        }
    }

    /// What was in a slot when somebody looked.
    pub(in crate::registry) struct Loaded<T>(Arc<T>);

    impl<T> Deref for Loaded<T> {
        type Target = Arc<T>;

        fn deref(&self) -> &Arc<T> {
            &self.0
        }
    }
}
