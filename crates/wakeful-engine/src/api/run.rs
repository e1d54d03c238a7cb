//! The API beside the dispatcher: the socket at once, the port as the settings have it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Api, Token, listen_tcp, listen_unix, local, loopback};
use crate::daemon::{Files, Handle, bind, own};

/// Runs the API of this daemon. `port` is `api.port`: 0 for none; a change of it opens and closes the port. What cannot be opened
/// is said as a problem of the daemon, and the rest goes on.
pub async fn run(handle: Handle, files: Files, version: &'static str, mut port: watch::Receiver<u16>) {
    let api = Api::new(handle.clone(), files.state.clone(), version);
    match bind(&files.api_socket()) {
        Ok(listener) => {
            tokio::spawn(listen_unix(listener, local(api.clone()), own));
        }
        Err(error) => handle.problem("api-socket", Some(format!("the API's socket: {error}"))),
    }
    let mut open: Option<JoinHandle<()>> = None;
    loop {
        let wanted = *port.borrow_and_update();
        if let Some(open) = open.take() {
            open.abort();
            let _ = open.await; // the port is free only then
        }
        let opened = match wanted {
            0 => Ok(None),
            wanted => open_port(&api, files.state.clone(), wanted).await.map(Some),
        };
        handle.problem("api-port", opened.as_ref().err().cloned());
        open = opened.ok().flatten();
        if port.changed().await.is_err() {
            // The settings change no more; the port stays as it is.
            return;
        }
    }
}

async fn open_port(api: &Arc<Api>, state: PathBuf, port: u16) -> Result<JoinHandle<()>, String> {
    let token = tokio::task::spawn_blocking(move || Token::of(&state)).await;
    let token = match token {
        Ok(token) => token.map_err(|error| format!("the API's token: {error}"))?,
        Err(error) => return Err(format!("the API's token: {error}")),
    };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
    let listener = listener.map_err(|error| format!("the API's port {port}: {error}"))?;
    Ok(tokio::spawn(listen_tcp(listener, loopback(api.clone(), token))))
}
