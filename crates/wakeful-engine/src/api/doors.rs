//! Who may come in by the loopback port (spec 90, "Security"), and what every answer carries.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Problem, Token};

/// What every answer carries: it is data, nothing in it may run, be framed, be kept or be read by another page.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(super) async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Name of the machine, origin of the page, token: in this order, so that a page that guesses learns nothing of the token.
pub(super) async fn guard(State(token): State<Arc<Token>>, request: Request, next: Next) -> Response {
    let admitted = host(request.uri(), request.headers())
        .and_then(|host| origin(request.headers(), &host))
        .and_then(|()| bearer(request.headers(), &token));
    match admitted {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let tell = refused.status == StatusCode::UNAUTHORIZED;
            let mut response = refused.into_response();
            if tell {
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            response
        }
    }
}

fn forbidden(why: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "the request was refused", why)
}

/// The host that the request names must be this machine by a name that no foreign name server can give away.
fn host(uri: &Uri, headers: &HeaderMap) -> Result<String, Problem> {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) else {
        return Err(forbidden("it must name one Host"));
    };
    let named = uri.authority().map(|authority| authority.as_str());
    if !is_loopback(host) || named.is_some_and(|named| named != host) {
        return Err(forbidden("its Host is not this machine's loopback address"));
    }
    Ok(host.to_owned())
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name == "127.0.0.1" || name == "[::1]" || name.eq_ignore_ascii_case("localhost")
}

/// No page of another origin may ask anything.
fn origin(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let own = format!("http://{host}");
    let foreign = |value: &HeaderValue| value.as_bytes() != own.as_bytes();
    if headers.get_all(ORIGIN).iter().any(foreign) {
        return Err(forbidden("its Origin is another one"));
    }
    Ok(())
}

fn bearer(headers: &HeaderMap, token: &Token) -> Result<(), Problem> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let given = match (all.next().and_then(|given| given.to_str().ok()), all.next()) {
        (Some(given), None) => given.split_once(' '),
        _ => None,
    };
    let given =
        given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, given)| given.trim());
    if given.is_some_and(|given| token.is(given)) {
        return Ok(());
    }
    let problem =
        Problem::new(StatusCode::UNAUTHORIZED, "the request was refused", "it does not carry the token")
            .hint("send Authorization: Bearer and what stands in the file api-token of the state folder");
    Err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_names() {
        for good in ["127.0.0.1", "127.0.0.1:4711", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example:80",
            "127.0.0.1.evil.example",
            "0.0.0.0",
            "127.0.0.1:",
            "127.0.0.1:80:80",
            "127.0.0.1:x",
            "localhost@evil.example",
            "::1",
            "127.0.0.2",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }
}
