//! The server: takes the next turn of the script for each request, and keeps what it was asked.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

use super::http::{self, Request, Response};
use super::script::{Block, Gate, Role, Turn};
use crate::patience::PATIENCE;

/// A request that the model got.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Who asked.
    pub role: Role,
    /// The text of everything after the model's last answer: prompts, results of tools, notifications.
    pub new: String,
    /// All of it.
    pub body: Value,
    /// Was there a turn in the script for it?
    pub scripted: bool,
}

/// How a client talks with its model.
pub(super) trait Dialect: Send + Sync + 'static {
    /// Who asks what, if `request` is a request to the model; the answer, if it is another one.
    fn read(&self, request: &Request) -> Result<Asked, Response>;
    /// The answer of these blocks; `number` makes its ids its own.
    fn answer(&self, asked: &Asked, blocks: &[Block], number: usize) -> Response;
}

/// A scripted model. It listens until it is dropped.
pub struct Model {
    shared: Arc<Shared>,
    address: SocketAddr,
    listener: Option<JoinHandle<()>>,
}

struct Shared {
    dialect: Box<dyn Dialect>,
    state: Mutex<State>,
    changed: Condvar,
    gates: Vec<Gate>,
    over: AtomicBool,
}

struct State {
    script: Vec<Turn>,
    asked: Vec<Asked>,
}

impl Model {
    pub(super) fn start(dialect: Box<dyn Dialect>, script: Vec<Turn>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let gates = script.iter().filter_map(|turn| turn.gate.clone()).collect();
        let state = Mutex::new(State { script, asked: Vec::new() });
        let over = AtomicBool::new(false);
        let shared = Arc::new(Shared { dialect, state, changed: Condvar::new(), gates, over });
        let serving = Arc::clone(&shared);
        let listener = std::thread::spawn(move || serve(&listener, &serving));
        Ok(Self { shared, address, listener: Some(listener) })
    }

    /// Where it listens, as the beginning of an address: `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.state.lock().expect("no test panics here").asked.clone()
    }

    /// Waits for a request with `text` in what is new in it.
    ///
    /// # Panics
    /// When none comes within the [limit](crate::patience).
    pub fn until_asked(&self, text: &str) -> Asked {
        let state = self.shared.state.lock().expect("no test panics here");
        let fits = |asked: &Asked| asked.new.contains(text);
        let waited =
            self.shared.changed.wait_timeout_while(state, PATIENCE, |state| !state.asked.iter().any(fits));
        let (state, _) = waited.expect("no test panics here");
        let found = state.asked.iter().find(|asked| fits(asked)).cloned();
        found.unwrap_or_else(|| panic!("the model was never told {text:?}, but {:#?}", told(&state.asked)))
    }

    /// Everything in the script was said, and nothing else was asked.
    ///
    /// # Panics
    /// When that is not so.
    pub fn assert_all_said(&self) {
        let state = self.shared.state.lock().expect("no test panics here");
        assert!(state.script.is_empty(), "never said: {:#?}; asked: {:#?}", state.script, told(&state.asked));
        let unscripted: Vec<_> =
            state.asked.iter().filter(|asked| !asked.scripted).map(|asked| &asked.new).collect();
        assert!(unscripted.is_empty(), "not in the script: {unscripted:#?}");
    }
}

fn told(asked: &[Asked]) -> Vec<&String> {
    asked.iter().map(|asked| &asked.new).collect()
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.shared.gates.iter().for_each(Gate::open);
        // The listener waits for a connection: this is one.
        drop(TcpStream::connect(self.address));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // An interrupted client is gone before it has its answer.
        std::thread::spawn(move || drop(converse(&stream, &shared)));
    }
}

fn converse(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(request) = http::read(stream)? else { return Ok(()) };
    let response = match shared.dialect.read(&request) {
        Ok(asked) => answer(asked, shared),
        Err(response) => response,
    };
    http::write(stream, &response)
}

fn answer(mut asked: Asked, shared: &Shared) -> Response {
    let mut state = shared.state.lock().expect("no test panics here");
    if asked.role == Role::Aux {
        drop(state);
        return shared.dialect.answer(&asked, &[Block::Text("fine".to_owned())], 0);
    }
    let place = state.script.iter().position(|turn| turn.fits(asked.role, &asked.new));
    let turn = place.map(|place| state.script.remove(place));
    asked.scripted = turn.is_some();
    state.asked.push(asked.clone());
    let number = state.asked.len();
    drop(state);
    shared.changed.notify_all();
    let turn = turn.unwrap_or_else(|| Turn::text("There is nothing in the script for this."));
    if let Some(gate) = &turn.gate {
        gate.pass();
    }
    match turn.failure {
        Some(status) => Response::json(
            status,
            &serde_json::json!({"type": "error", "error": {"type": "invalid_request_error", "message": "scripted"}}),
        ),
        None => shared.dialect.answer(&asked, &turn.blocks, number),
    }
}
