//! `carom serve`: the viewer's web page, for browsers on this machine or, if asked to, on others.
//!
//! A connection has a thread and carries one request. That is all a page of a dozen files needs, and a
//! browser that opens connections ahead of time, and sends nothing yet, delays no other.
//!
//! A connection has a deadline as a whole, and a client a limit on its connections: those that send a byte now and then
//! keep neither their own place for long nor those of others. Requests whose `Host` is not a name of this machine are
//! refused: otherwise any web page could read what is served here, by letting its own name point to this machine (DNS
//! rebinding).

mod http;
mod site;

use crate::failure::Failure;
use http::{Answer, Refusal, Request};
use site::Site;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to serve; scripts/web builds the default one
    #[arg(value_name = "DIR", default_value = "web/dist")]
    folder: PathBuf,

    /// The port to listen at; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,

    /// The address of this machine to listen at; 0.0.0.0 lets in the whole network
    ///
    /// Browsers tell a page how a phone is held only if the page comes from their own machine or over HTTPS, which
    /// this server does not speak. From another machine everything works but tilting and starting without a network.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,

    /// A name under which browsers may ask for this machine, besides localhost and its addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

/// How many connections there may be at a time, and how many of one client: an IPv4 address, or the 64 bits of an IPv6
/// address that name its network. One more is told so and closed.
const CONNECTIONS: usize = 64;
const CONNECTIONS_OF_ONE: usize = 24;

/// How long a request may take to arrive.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// How long an answer may take to be accepted, and how much longer for each of its MiB: 17 KiB/s.
const ANSWER_TIME: Duration = Duration::from_secs(20);
const ANSWER_TIME_PER_MIB: Duration = Duration::from_secs(60);

/// How long to wait for the other side to read an answer and hang up.
const FAREWELL_TIME: Duration = Duration::from_secs(2);

/// How many bytes a request may have.
const REQUEST_LIMIT: usize = 16 * 1024;

/// Prints the address and answers requests until the program is ended.
pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut site = Site::open(&args.folder)?;
    site.names = args.name.iter().map(|name| name.to_ascii_lowercase()).collect();
    let site = Arc::new(site);
    let visitors = Arc::new(Visitors::default());
    let failure = |error| Failure::Listen { address: SocketAddr::new(args.host, args.port), error };
    let listener = TcpListener::bind((args.host, args.port)).map_err(failure)?;
    let address = listener.local_addr().map_err(failure)?;
    let own = SocketAddr::new(as_seen_from_here(address.ip()), address.port());
    writeln!(out, "{} is at http://{own}/ until Ctrl-C", args.folder.display())?;
    if !address.ip().is_loopback() {
        tell_others(address, out)?;
    }
    out.flush()?;
    if args.open {
        open_browser(&format!("http://{own}/"));
    }
    loop {
        match listener.accept() {
            Ok((stream, peer)) => match Visitors::admit(&visitors, peer.ip()) {
                Some(visit) => {
                    let site = Arc::clone(&site);
                    let answer = move || {
                        serve(&stream, &site);
                        drop(visit);
                    };
                    // Without a thread the connection is closed, and the browser tries again.
                    std::thread::Builder::new().spawn(answer).ok();
                }
                None => turn_away(&stream),
            },
            // Too many open files, or a visitor who left at the door: neither lasts.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Says that there are too many connections, if that takes no time.
fn turn_away(stream: &TcpStream) {
    if stream.set_nonblocking(true).is_ok() {
        let answer = Answer::text("503 Service Unavailable", "too many connections");
        answer.write(&mut &*stream, true).ok();
    }
}

/// How many connections each client has.
#[derive(Debug, Default)]
struct Visitors(Mutex<BTreeMap<IpAddr, usize>>);

/// A connection that is counted until this is dropped.
#[derive(Debug)]
struct Visit {
    visitors: Arc<Visitors>,
    client: IpAddr,
}

impl Visitors {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<IpAddr, usize>> {
        // Counting cannot fail halfway, so the counts are right even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(visitors: &Arc<Visitors>, from: IpAddr) -> Option<Visit> {
        let client = client_of(from);
        let mut counts = visitors.counts();
        let own = counts.get(&client).copied().unwrap_or(0);
        if own >= CONNECTIONS_OF_ONE || counts.values().sum::<usize>() >= CONNECTIONS {
            return None;
        }
        counts.insert(client, own + 1);
        Some(Visit { visitors: Arc::clone(visitors), client })
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut counts = self.visitors.counts();
        match counts.get(&self.client).copied() {
            Some(count) if count > 1 => drop(counts.insert(self.client, count - 1)),
            _ => drop(counts.remove(&self.client)),
        }
    }
}

/// A client with one IPv6 address has all those of its network, 2^64.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// A connection that fails once its time is over, however often the other side does a little.
struct Timed<'s> {
    stream: &'s TcpStream,
    deadline: Instant,
}

impl<'s> Timed<'s> {
    fn new(stream: &'s TcpStream, time: Duration) -> Timed<'s> {
        Timed { stream, deadline: Instant::now() + time }
    }

    fn left(&self) -> io::Result<Duration> {
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The address at which a browser on this machine finds what listens at `host`.
fn as_seen_from_here(host: IpAddr) -> IpAddr {
    match host {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    }
}

/// Says where other machines find the page, and what it cannot do there.
fn tell_others(address: SocketAddr, out: &mut dyn Write) -> io::Result<()> {
    let reached = if address.ip().is_unspecified() { address_in_network(address.ip()) } else { Some(address.ip()) };
    if let Some(ip) = reached {
        writeln!(out, "other machines find it at http://{}/", SocketAddr::new(ip, address.port()))?;
    }
    writeln!(
        out,
        "note: browsers let a page feel how a phone is held only over HTTPS or from their own machine. A phone finds\n\
         bricks.html here, but turns gravity by touch alone. To tilt it, put a server with a certificate in front, or let\n\
         the phone take port {0} for its own: adb reverse tcp:{0} tcp:{0}, then http://localhost:{0}/bricks.html",
        address.port()
    )
}

/// The address that this machine has in the network, if it is in one. Nothing is sent: a connection without a handshake
/// only chooses the way.
fn address_in_network(like: IpAddr) -> Option<IpAddr> {
    // Addresses that RFC 5737 and RFC 3849 keep for documentation: no machine has them, so they lie beyond the gateway.
    let (any, beyond) = match like {
        IpAddr::V4(_) => (SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)), "192.0.2.1:9"),
        IpAddr::V6(_) => (SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)), "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(beyond).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

/// Lets the system open a page. Where it cannot, says so: the page is served all the same.
fn open_browser(url: &str) {
    let (program, first): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let complain = move |why: String| {
        writeln!(io::stderr(), "note: {program} opened no browser ({why}); open the address above in one").ok();
    };
    match command.spawn() {
        Err(error) => complain(error.to_string()),
        // A thread waits for its exit status while pages are served.
        Ok(mut child) => drop(std::thread::spawn(move || match child.wait() {
            Ok(status) if status.success() => {}
            Ok(status) => complain(status.to_string()),
            Err(error) => complain(error.to_string()),
        })),
    }
}

/// Answers the request of one connection. The client may go at any time, which concerns no other.
fn serve(stream: &TcpStream, site: &Site) {
    let talk = || -> io::Result<()> {
        let request = Request::read(&mut Timed::new(stream, REQUEST_TIME))?;
        let with_body = !request.as_ref().is_ok_and(|request| request.method == "HEAD");
        let answer = request.and_then(|request| site.admit(request)).map(|request| site.answer(&request));
        let answer = answer.unwrap_or_else(Refusal::answer);
        let time = ANSWER_TIME + ANSWER_TIME_PER_MIB * u32::try_from(answer.length() >> 20).unwrap_or(u32::MAX);
        answer.write(&mut Timed::new(stream, time), with_body)?;
        // A connection closed with something unread in it loses the answer.
        stream.shutdown(Shutdown::Write)?;
        let rest = &mut Timed::new(stream, FAREWELL_TIME).take(16 * REQUEST_LIMIT as u64);
        io::copy(rest, &mut io::sink()).map(drop)
    };
    talk().ok();
}

#[cfg(test)]
mod tests {
    use super::http::{Refusal, Request};
    use super::site::{Place, Site, decoded};
    use super::{CONNECTIONS, CONNECTIONS_OF_ONE, Visitors, client_of};
    use std::net::IpAddr;
    use std::path::PathBuf;
    use std::sync::Arc;

    /// A folder with `index.html`, `a b.txt`, `sub/index.html` and `.hidden`, beside a file `secret`.
    fn site(name: &str) -> Site {
        let top = std::env::temp_dir().join(format!("carom-serve-{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&top).ok();
        let root = top.join("site");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        for file in ["index.html", "a b.txt", "sub/index.html", ".hidden", "../secret"] {
            std::fs::write(root.join(file), file).unwrap();
        }
        Site::open(&root).unwrap()
    }

    fn remove(site: &Site) {
        std::fs::remove_dir_all(site.root.parent().unwrap()).unwrap();
    }

    #[test]
    fn finds_files_and_pages_of_folders() {
        let site = site("finds");
        let file = |name: &str| Place::File(site.root.join(name));
        assert_eq!(site.find("/"), file("index.html"));
        assert_eq!(site.find("/?x=1#y"), file("index.html"));
        assert_eq!(site.find("/index.html"), file("index.html"));
        assert_eq!(site.find("/a%20b.txt"), file("a b.txt"));
        assert_eq!(site.find("/sub/"), file("sub/index.html"));
        assert_eq!(site.find("/sub"), Place::Folder("/sub/".to_owned()));
        assert_eq!(site.find("/none"), Place::Nowhere);
        remove(&site);
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let site = site("inside");
        for path in [
            "",
            "index.html",
            "*",
            "//index.html",
            "/../secret",
            "/..%2fsecret",
            "/%2e%2e/secret",
            "/sub/../../secret",
            "/sub/..\\..\\secret",
            "/sub%2findex.html",
            "/./index.html",
            "/.hidden",
            "/index.html%00",
            "/%ff",
            "/%2",
            "/%zz",
            "/C:/secret",
            "//",
        ] {
            assert_eq!(site.find(path), Place::Nowhere, "{path}");
        }
        remove(&site);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_inside() {
        let site = site("links");
        std::os::unix::fs::symlink(site.root.join("index.html"), site.root.join("inside")).unwrap();
        std::os::unix::fs::symlink("../secret", site.root.join("outside")).unwrap();
        std::os::unix::fs::symlink("..", site.root.join("up")).unwrap();
        assert_eq!(site.find("/inside"), Place::File(site.root.join("index.html")));
        for path in ["/outside", "/up", "/up/", "/up/secret"] {
            assert_eq!(site.find(path), Place::Nowhere, "{path}");
        }
        remove(&site);
    }

    #[test]
    fn decodes_only_text() {
        assert_eq!(decoded("a%2Fb%c3%a9").as_deref(), Some("a/bé"));
        for bad in ["%", "%1", "%g0", "%+1", "%ff"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }

    #[test]
    fn requests_are_read_or_refused() {
        let read = |head: &str| Request::read(&mut head.as_bytes()).unwrap();
        let request = read("GET /x HTTP/1.1\r\nHost: LocalHost:80\r\nX: \t\u{e9}\r\n\r\nbody").unwrap();
        assert_eq!((request.method.as_str(), request.url.as_str()), ("GET", "/x"));
        assert_eq!(request.host.as_deref(), Some("localhost:80"));
        assert_eq!(read("GET / HTTP/1.0\n\n").unwrap().host, None);
        for bad in [
            "",
            "\r\n\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/2\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n continued: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n",
        ] {
            assert!(matches!(read(bad), Err(Refusal::Malformed(_))), "{bad:?}: {:?}", read(bad));
        }
        let invalid = b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n";
        assert!(matches!(Request::parse(invalid), Err(Refusal::Malformed(_))));
        let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(17_000));
        assert_eq!(read(&long), Err(Refusal::TooLong));
    }

    /// A page of another site whose name points here would get to read what is served.
    #[test]
    fn only_names_of_this_machine_are_answered() {
        let mut site = site("hosts");
        site.names = vec!["bricks.example".to_owned()];
        let asks = |host: &str| {
            let request = Request { method: "GET".to_owned(), url: "/".to_owned(), host: Some(host.to_owned()) };
            site.admit(request).is_ok()
        };
        let own = ["localhost", "localhost:8000", "a.localhost:1", "127.0.0.1:8000", "192.168.0.7", "[::1]:8000"];
        own.iter().chain(&["bricks.example", "bricks.example:8000"]).for_each(|host| assert!(asks(host), "{host}"));
        for host in
            ["", "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "[::1"]
        {
            assert!(!asks(host), "{host}");
        }
        remove(&site);
    }

    #[test]
    fn one_client_leaves_room_for_others() {
        let visitors = Arc::new(Visitors::default());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut visits: Vec<_> = (0..100).filter_map(|_| Visitors::admit(&visitors, address("10.0.0.1"))).collect();
        assert_eq!(visits.len(), CONNECTIONS_OF_ONE);
        // All addresses of a network of IPv6 are one client; IPv4 addresses in their clothes are what they are.
        assert_eq!(client_of(address("2001:db8::1")), client_of(address("2001:db8::ffff:1")));
        assert_eq!(client_of(address("::ffff:10.0.0.1")), address("10.0.0.1"));
        for last in 0..255 {
            visits.extend(Visitors::admit(&visitors, IpAddr::from([10, 0, 1, last])));
        }
        assert_eq!(visits.len(), CONNECTIONS);
        visits.clear();
        assert!(visitors.counts().is_empty());
    }

    #[test]
    fn says_what_is_missing() {
        let message = Site::open(&PathBuf::from("no/such/folder")).unwrap_err().to_string();
        assert!(message.contains("no/such/folder is not there") && message.contains("scripts/web"), "{message}");
    }
}
