//! Every way an entity can be wrong, each with its number (D-036b), and what must be accepted beside it. The numbers 1 to
//! 9 are about the response's head and stand in `http`; 52 to 55 are about continuation and stand in `cursor`.

mod data;
mod form;
mod manifest;

use super::fixture::{DIFF, Fixture, verify, verify_by};
use crate::{Error, base64};

fn fixture() -> Fixture {
    Fixture::new(DIFF)
}

/// Refused in every order of the members, at once and byte by byte: D-035, D-078.
#[track_caller]
fn refuses(fixture: &Fixture, fault: impl Into<Error>) {
    let fault = fault.into();
    for entity in fixture.orders() {
        assert_eq!(verify(&entity).map(|_| ()).unwrap_err(), fault, "{}", String::from_utf8_lossy(&entity));
        let by_byte = verify_by(&entity, entity.len() as u64, 1).map(|_| ());
        assert_eq!(by_byte.unwrap_err(), fault, "by byte: {}", String::from_utf8_lossy(&entity));
    }
}

/// Refused with one text of the manifest replaced.
#[track_caller]
fn refuses_manifest(from: &str, to: &str, fault: impl Into<Error>) {
    refuses(&fixture().with(from, to), fault);
}

/// The whole entity as this text is refused, at every split.
#[track_caller]
fn refuses_text(entity: &[u8], fault: impl Into<Error>) {
    let fault = fault.into();
    for size in [entity.len(), 1, 3] {
        let verdict = verify_by(entity, entity.len() as u64, size).map(|_| ());
        assert_eq!(verdict.unwrap_err(), fault, "{}", String::from_utf8_lossy(entity));
    }
}

#[track_caller]
fn accepts(fixture: &Fixture) {
    for entity in fixture.orders() {
        let evidence = verify(&entity).expect("sound");
        assert_eq!(evidence.manifest.raw(), fixture.manifest);
        assert_eq!(base64::encode(&evidence.output.window), fixture.data);
    }
}

/// The entity's text with one of its texts replaced.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    let entity = String::from_utf8(fixture().entity()).expect("ASCII");
    assert_eq!(entity.matches(from).count(), 1, "{from}");
    entity.replace(from, to).into_bytes()
}
