//! What is said to a request that does not come in: a status, and a line that tells what to do.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// Why a request was not let in. No text repeats a credential (K-71).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// No bearer, or nothing that could be one.
    NoCredential,
    /// The forge does not know the token (G-027).
    UnknownToken,
    /// The forge could not be asked: what is known (G-030).
    Unsure(String),
    /// The token's budget is used up: seconds (G-031).
    Exhausted(u32),
    /// Too many credentials from one address that the forge has not accepted: seconds (G-065a).
    Stranger(u32),
    /// Too many requests at once: of the token, or of all.
    Busy { of_the_token: bool },
    /// A header that says what the client wants of the tools: what is wrong with it.
    Header(String),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let retry = |seconds: u32| [(header::RETRY_AFTER, HeaderValue::from(seconds))];
        match self {
            Self::NoCredential => {
                let text = "send a token of the forge: `Authorization: Bearer <token>`";
                (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], text).into_response()
            }
            Self::UnknownToken => {
                let text = "the forge does not know this token: it is wrong, expired or revoked; send a valid one";
                let challenge = [(header::WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")];
                (StatusCode::UNAUTHORIZED, challenge, text).into_response()
            }
            Self::Unsure(what) => {
                let text = format!("the forge cannot say whether this token is valid: {what}; try again later");
                (StatusCode::BAD_GATEWAY, text).into_response()
            }
            Self::Exhausted(seconds) => {
                let text = format!("this token's budget is used up; try again in {seconds} s");
                (StatusCode::TOO_MANY_REQUESTS, retry(seconds), text).into_response()
            }
            Self::Stranger(seconds) => {
                let text = format!(
                    "too many credentials that the forge has not accepted came from this address; try again in {seconds} s"
                );
                (StatusCode::TOO_MANY_REQUESTS, retry(seconds), text).into_response()
            }
            Self::Busy { of_the_token: true } => {
                let text = "this token has too many requests under way; wait for one of them to end";
                (StatusCode::TOO_MANY_REQUESTS, retry(1), text).into_response()
            }
            Self::Busy { of_the_token: false } => {
                let text = "the server has too many requests under way; try again in 1 s";
                (StatusCode::SERVICE_UNAVAILABLE, retry(1), text).into_response()
            }
            Self::Header(what) => (StatusCode::BAD_REQUEST, what).into_response(),
        }
    }
}
