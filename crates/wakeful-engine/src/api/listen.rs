//! Taking connections. Everything that waits for the other end has a limit.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at a time, by each door: people have a few windows; more would be a mistake, and must not eat the daemon's files.
const MOST: usize = 64;
/// Who connects says at once what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a request's head.
const LONGEST_HEAD: usize = 64 * 1024;
/// Headers of a request.
const MOST_HEADERS: usize = 64;
/// After this long a listener that has no more files to give is asked again.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Takes connections from a Unix socket. Whoever `admitted` does not know is dropped without a word.
pub async fn listen_unix(listener: UnixListener, router: Router, admitted: fn(&UnixStream) -> bool) {
    let free = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) if admitted(&stream) => spawn(stream, router.clone(), permit),
            Ok(_) => {} // the folder should not have let it in
            Err(_) => tokio::time::sleep(AFTER_FAILURE).await,
        }
    }
}

/// Takes connections from a loopback port.
pub async fn listen_tcp(listener: TcpListener, router: Router) {
    let free = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) if peer.ip().is_loopback() => {
                let _ = stream.set_nodelay(true);
                spawn(stream, router.clone(), permit);
            }
            Ok(_) => {}
            Err(_) => tokio::time::sleep(AFTER_FAILURE).await,
        }
    }
}

fn spawn<S>(stream: S, router: Router, permit: OwnedSemaphorePermit)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    tokio::spawn(async move {
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(LONGEST_HEAD)
            .max_headers(MOST_HEADERS)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let _ = served.await; // whoever breaks off, or says nonsense, is gone or has been told
        drop(permit);
    });
}
