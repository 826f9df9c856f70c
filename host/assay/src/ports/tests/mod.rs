//! The ports as a component would use them, call by call.

mod documents;
mod objects;
mod origin_read;
mod reading;

use std::sync::Arc;

use crate::{
    budget::{Budget, Rates},
    engine::{Meter, Parts, State},
    origin::Origin,
};

/// A process without a forge.
fn parts() -> Parts {
    Parts::new(Arc::new(Origin::nowhere()), Arc::new(Budget::new(Rates::default())))
}

/// One of its calls, in the middle.
fn call(parts: &Parts) -> State {
    State::new(parts.clone(), Meter::at_rest(), "test".into())
}
