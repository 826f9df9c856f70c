//! Who is on the other side of a connection: its address, or what a trusted reverse proxy says of it (O-U6).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::HeaderMap;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use sha2::{Digest as _, Sha256};

use crate::budget::Key;

/// The header in which a reverse proxy tells its client's address.
const REAL_IP: &str = "x-real-ip";
/// Bits of an IPv6 address that one customer has to itself.
const IPV6_BITS: usize = 8;

/// The addresses of this machine.
pub(super) fn loopback() -> Vec<IpNet> {
    vec![
        IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
        IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
    ]
}

/// The client's address: the one that the header names where the peer is trusted to say so, else the peer's own.
pub(super) fn client(trusted: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    if !trusted.iter().any(|net| net.contains(&peer)) {
        return peer;
    }
    let mut told = headers.get_all(REAL_IP).iter();
    let (Some(value), None) = (told.next(), told.next()) else { return peer };
    value.to_str().ok().and_then(|text| text.trim().parse::<IpAddr>().ok()).map_or(peer, |ip| ip.to_canonical())
}

/// By what strangers from there are counted: an IPv6 network of 64 bits is one.
pub(super) fn key(address: IpAddr) -> Key {
    let mut digest = Sha256::new();
    match address {
        IpAddr::V4(address) => digest.update(address.octets()),
        IpAddr::V6(address) => digest.update(address.octets().get(..IPV6_BITS).unwrap_or_default()),
    }
    Key::from_digest(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(peer: &str, headers: &[&str]) -> String {
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(REAL_IP, value.parse().expect("a header"));
        }
        client(&loopback(), peer.parse().expect("an address"), &map).to_string()
    }

    /// O-U6: only a trusted proxy says who its client is.
    #[test]
    fn a_header_counts_from_the_edge_alone() {
        assert_eq!(told("127.0.0.1", &["203.0.113.7"]), "203.0.113.7");
        assert_eq!(told("::1", &["2001:db8::7"]), "2001:db8::7");
        assert_eq!(told("::ffff:127.0.0.1", &["::ffff:203.0.113.7"]), "203.0.113.7");
        assert_eq!(told("198.51.100.1", &["203.0.113.7"]), "198.51.100.1");
        for odd in [&[][..], &["x"], &["203.0.113.7, 10.0.0.1"], &["203.0.113.7", "203.0.113.8"]] {
            assert_eq!(told("127.0.0.1", odd), "127.0.0.1");
        }
    }

    #[test]
    fn one_network_of_a_customer_is_one() {
        let key = |text: &str| key(text.parse().expect("an address"));
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:1"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_ne!(key("203.0.113.7"), key("203.0.113.8"));
    }
}
