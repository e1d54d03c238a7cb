//! A server that takes requests and answers as it is told.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// A request as it came.
#[derive(Debug)]
pub struct Request {
    /// Request line and headers, in small letters but for values.
    pub head: Vec<String>,
    /// The body.
    pub body: String,
}

impl Request {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A server on this machine.
pub struct Server {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    requests: Receiver<Request>,
}

impl Server {
    /// Takes requests one after the other. `None` never answers, and keeps the connection open.
    pub fn start(answer: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel();
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let request = read(&mut reader);
                if sender.send(request).is_err() {
                    return;
                }
                match answer {
                    Some(answer) => reader.get_mut().write_all(answer.as_bytes()).unwrap(),
                    None => open.push(reader),
                }
            }
        });
        Self { address, requests }
    }

    /// The next request.
    pub fn request(&self) -> Request {
        self.requests.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// No request has come that was not taken yet.
    pub fn is_quiet(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

fn read(reader: &mut BufReader<std::net::TcpStream>) -> Request {
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let line = match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
            None => line.to_owned(),
        };
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        head.push(line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Request { head, body: String::from_utf8(body).unwrap() }
}
