//! An engine with a story in it, and an API whose daemon is played by the test.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use jiff::tz::TimeZone;
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};
use wakeful_clients::abilities::abilities;
use wakeful_core::ids::{Client, SessionId, SessionKey};
use wakeful_core::reading::Reading;
use wakeful_core::time::{Boot, BootId, Millis, Now, Wall};
use wakeful_engine::api::{self, Api, Backend, Token};
use wakeful_engine::daemon::{Closed, Published, PublishedSession};
use wakeful_engine::engine::{Act, Engine, Input, Outcome, Senses};
use wakeful_engine::spool::{DeliveryId, Envelope, GuardRecord, Payload, VERSION};
use wakeful_engine::store::{Pos, Store};

use super::http::{Answer, LONG, request, send};

pub const START: Now = Now { wall: Wall(1_800_000_000_000), boot: Boot(5000), boot_id: BootId(7) };

pub fn senses() -> Senses {
    Senses {
        read: Box::new(|_, _, _| Reading::default()),
        never_ends: Box::new(|_| None),
        zone: TimeZone::UTC,
        abilities,
    }
}

/// The daemon, as far as the API sees it: says what the test wants, and notes what it is asked.
pub struct Played {
    pub acts: Mutex<Vec<Act>>,
    pub hooks: Mutex<Vec<Envelope>>,
    pub answer: Mutex<Result<Outcome, Closed>>,
    publish: watch::Sender<Arc<Published>>,
}

struct Shared(Arc<Played>);

impl Backend for Shared {
    fn act(&self, act: Act) -> api::Answer<'_, Result<Outcome, Closed>> {
        self.0.acts.lock().unwrap().push(act);
        let answer = self.0.answer.lock().unwrap().clone();
        Box::pin(std::future::ready(answer))
    }

    fn hook(&self, envelope: Envelope) -> api::Answer<'_, Result<Outcome, Closed>> {
        self.0.hooks.lock().unwrap().push(envelope);
        let answer = self.0.answer.lock().unwrap().clone();
        Box::pin(std::future::ready(answer))
    }

    fn published(&self) -> api::Answer<'_, Arc<Published>> {
        Box::pin(std::future::ready(self.0.publish.borrow().clone()))
    }

    fn watch(&self) -> watch::Receiver<Arc<Published>> {
        self.0.publish.subscribe()
    }
}

pub struct World {
    pub dir: TempDir,
    engine: Engine,
    shown: BTreeMap<SessionKey, PublishedSession>,
    now: Now,
    pub daemon: Arc<Played>,
    pub socket: PathBuf,
    port: u16,
    pub token: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl World {
    pub fn new() -> Self {
        Self::admitting(|_| true)
    }

    pub fn admitting(admitted: fn(&tokio::net::UnixStream) -> bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (engine, _) = Engine::open(Store::open(dir.path()).unwrap(), senses(), START).unwrap();
        let (publish, _) = watch::channel(Arc::new(Published { now: START, ..Published::default() }));
        let daemon = Arc::new(Played {
            acts: Mutex::default(),
            hooks: Mutex::default(),
            answer: Mutex::new(Ok(Outcome::Taken)),
            publish,
        });
        let socket = dir.path().join("s");
        let token = Token::of(dir.path()).unwrap();
        let text = token.text().to_owned();
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, port) = std::sync::mpsc::channel();
        let (backend, state, path) = (Shared(daemon.clone()), dir.path().to_owned(), socket.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let api = Api::new(backend, state, "1.2.3");
                let unix = tokio::net::UnixListener::bind(path).unwrap();
                let tcp = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send(tcp.local_addr().unwrap().port()).unwrap();
                tokio::spawn(api::listen_unix(unix, api::local(api.clone()), admitted));
                tokio::spawn(api::listen_tcp(tcp, api::loopback(api, token)));
                let _ = stopped.await;
            });
        });
        Self {
            dir,
            engine,
            shown: BTreeMap::new(),
            now: START,
            daemon,
            socket,
            port: port.recv().unwrap(),
            token: text,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// With one session that is done and one that waits.
    pub fn with_story() -> Self {
        let mut world = Self::new();
        let start = r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"/home/eve/shop"}"#;
        world.say(start, None);
        world.prompt("s1", "build the shop");
        world.end("s1", "[]");
        world.prompt("s2", "try the shop");
        world.end("s2", r#"[{"id":"b1","type":"subagent","status":"running","description":"review"}]"#);
        world
    }

    pub fn prompt(&mut self, id: &str, text: &str) {
        let payload = format!(
            r#"{{"session_id":"{id}","hook_event_name":"UserPromptSubmit","prompt_id":"p","prompt":"{text}"}}"#
        );
        self.say(&payload, None);
    }

    pub fn end(&mut self, id: &str, tasks: &str) {
        let payload = format!(
            r#"{{"session_id":"{id}","hook_event_name":"Stop","prompt_id":"p","last_assistant_message":"Built.","background_tasks":{tasks},"session_crons":[]}}"#
        );
        self.say(&payload, None);
    }

    /// A second later, a hook says this.
    pub fn say(&mut self, payload: &str, guard: Option<GuardRecord>) {
        self.now = self.now.plus(Millis::secs(1));
        let envelope = Envelope { guard, ..envelope(self.now, payload) };
        let took = self.engine.take(self.now, vec![Input::Hook(Box::new(envelope))]).unwrap();
        for key in took.changed {
            let session = Arc::new(self.engine.session(&key).unwrap().clone());
            let revision = self.engine.revision(&key).unwrap();
            self.shown.insert(key, PublishedSession { session, revision, pos: took.pos });
        }
        self.publish();
    }

    pub fn forget(&mut self, id: &str) {
        self.shown.remove(&key(id)).unwrap();
        self.publish();
    }

    /// So much time passes without a word.
    pub fn pass(&mut self, time: Millis) {
        self.now = self.now.plus(time);
        self.publish();
    }

    /// Both were touched by one commit.
    pub fn same_pos(&mut self, ids: [&str; 2]) {
        let pos = ids.iter().map(|id| self.shown[&key(id)].pos).max().unwrap();
        ids.iter().for_each(|id| self.shown.get_mut(&key(id)).unwrap().pos = pos);
        self.publish();
    }

    fn publish(&self) {
        let sessions: Vec<PublishedSession> = self.shown.values().cloned().collect();
        let pos = sessions.iter().map(|kept| kept.pos).max().unwrap_or_default();
        let problems = vec!["the disk is full".to_owned()];
        self.daemon.publish.send_replace(Arc::new(Published { pos, now: self.now, sessions, problems }));
    }

    pub fn revision(&self, id: &str) -> Pos {
        self.shown[&key(id)].revision
    }

    pub fn pos(&self, id: &str) -> Pos {
        self.shown[&key(id)].pos
    }

    pub fn unix(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.socket).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let headers: Vec<&str> = ["Host: x"].iter().chain(headers).copied().collect();
        send(&mut self.unix(), &request(method, path, &headers, body)).unwrap()
    }

    /// Over the port, with exactly these headers.
    pub fn tcp(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        send(&mut stream, &request(method, path, headers, "")).unwrap()
    }

    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub fn key(id: &str) -> SessionKey {
    SessionKey { client: Client::ClaudeCode, id: SessionId::new(id) }
}

pub fn envelope(at: Now, payload: &str) -> Envelope {
    Envelope {
        v: VERSION,
        id: DeliveryId(format!("d{}", at.boot.0)),
        client: Client::ClaudeCode,
        event: None,
        via: None,
        at,
        pid: None,
        tmux: None,
        payload: Payload::of(payload.as_bytes()),
        guard: None,
    }
}
