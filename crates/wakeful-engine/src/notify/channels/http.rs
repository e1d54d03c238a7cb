//! One POST. What goes wrong is said without the address: that may hold a secret.

use std::io::ErrorKind;
use std::time::Duration;

use ureq::Agent;

use crate::notify::ring::Did;

/// Who asks.
const USER_AGENT: &str = concat!("wakeful/", env!("CARGO_PKG_VERSION"));
/// What is said when TLS does not come about.
const INSECURE: &str = "no secure connection; is the certificate valid?";

/// Sends it. Redirects are not followed: they could lead the text to another place, or in clear.
pub(super) fn post(url: &str, headers: &[(&str, String)], body: &[u8], limit: Duration) -> Did {
    if !url.starts_with("https://") && !url.starts_with("http://") {
        return Did::Failed("the address does not begin with https:// or http://".to_owned());
    }
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(limit))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(USER_AGENT)
        .build()
        .into();
    let request = headers.iter().fold(agent.post(url), |request, (name, value)| request.header(*name, value));
    match request.send(body) {
        Ok(answer) => match answer.status().as_u16() {
            200..=299 => Did::Rung,
            status @ 300..=399 => Did::Failed(format!("answered {status}; redirects are not followed")),
            status => Did::Failed(format!("answered {status}")),
        },
        Err(error) => Did::Failed(why(&error, limit)),
    }
}

fn why(error: &ureq::Error, limit: Duration) -> String {
    match error {
        ureq::Error::Timeout(_) => format!("no answer within {} s", limit.as_secs()),
        ureq::Error::HostNotFound => "the host is not known".to_owned(),
        // What TLS finds wrong comes as this kind.
        ureq::Error::Io(error) if error.kind() == ErrorKind::InvalidData => INSECURE.to_owned(),
        ureq::Error::Io(error) => format!("no connection: {}", error.kind()),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => INSECURE.to_owned(),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => "the address is none".to_owned(),
        // The texts of the others may quote the address.
        _ => "the request failed".to_owned(),
    }
}
