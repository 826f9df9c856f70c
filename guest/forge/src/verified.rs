//! The seal on what was verified whole.

use std::ops::Deref;

/// A value that a verifier released after the last byte of its entity was judged (D-017, D-018).
///
/// Only the verifiers of this crate can make one, and they do so in their `finish`, so a function that takes a
/// `Verified<T>` cannot be given anything else.
#[derive(Debug)]
pub struct Verified<T>(T);

impl<T> Verified<T> {
    pub(crate) fn seal(value: T) -> Self {
        Self(value)
    }

    /// The value, its seal broken: for showing it.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Verified<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
