//! One zlib stream of a declared size, inflated as it comes (O-005).

use flate2::{Decompress, FlushDecompress, Status};

use super::Contradiction;

/// Bytes that are inflated at once.
const PIECE_BYTES: usize = 16 * 1024;

/// The machinery, used again for each block.
pub(super) struct Inflater {
    zlib: Decompress,
    piece: Box<[u8]>,
    /// Bytes that have to come out still.
    left: u64,
    ended: bool,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { zlib: Decompress::new(true), piece: vec![0; PIECE_BYTES].into(), left: 0, ended: true }
    }

    /// A stream of `size` bytes begins.
    pub(super) fn begin(&mut self, size: u64) {
        self.zlib.reset(true);
        (self.left, self.ended) = (size, false);
    }

    /// Inflates the next bytes of the stream and hands on what comes out.
    pub(super) fn feed<E: From<Contradiction>>(
        &mut self,
        mut bytes: &[u8],
        mut out: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // A full piece says that more may be waiting to come out, though everything has gone in.
        let mut is_full = false;
        while !bytes.is_empty() || is_full {
            if self.ended {
                return Err(Contradiction::Inflation.into());
            }
            let (taken, given) = (self.zlib.total_in(), self.zlib.total_out());
            let status = self.zlib.decompress(bytes, &mut self.piece, FlushDecompress::None);
            let taken = usize::try_from(self.zlib.total_in() - taken).unwrap_or(usize::MAX);
            let given = self.zlib.total_out() - given;
            self.left = self.left.checked_sub(given).ok_or(Contradiction::Inflation)?;
            bytes = bytes.get(taken..).unwrap_or_default();
            match status.map_err(|_| Contradiction::Inflation)? {
                Status::StreamEnd => self.ended = true,
                Status::Ok => {}
                Status::BufError if taken > 0 || given > 0 || is_full => {}
                Status::BufError => return Err(Contradiction::Inflation.into()),
            }
            let given = usize::try_from(given).ok().and_then(|given| self.piece.get(..given)).unwrap_or_default();
            is_full = given.len() == PIECE_BYTES && !self.ended;
            if !given.is_empty() {
                out(given)?;
            }
        }
        Ok(())
    }

    /// The stream is over, and had the size that it declared.
    pub(super) fn end(&self) -> Result<(), Contradiction> {
        if self.ended && self.left == 0 { Ok(()) } else { Err(Contradiction::Inflation) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::ZlibEncoder};

    use super::*;

    fn deflated(content: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(content).expect("to memory");
        zlib.finish().expect("to memory")
    }

    fn inflate(inflater: &mut Inflater, stream: &[u8], size: u64, piece: usize) -> Result<Vec<u8>, Contradiction> {
        let mut content = Vec::new();
        inflater.begin(size);
        for piece in stream.chunks(piece) {
            inflater.feed(piece, |out| {
                content.extend_from_slice(out);
                Ok::<_, Contradiction>(())
            })?;
        }
        inflater.end().map(|()| content)
    }

    /// O-005: one whole stream of the declared size, at any split, with a machine that was used before and left anywhere.
    #[test]
    fn a_stream_has_its_size_and_nothing_behind_it() {
        let mut inflater = Inflater::new();
        for content in [&b""[..], b"x", &[7; 100_000], include_bytes!("inflate.rs")] {
            let stream = deflated(content);
            let size = content.len() as u64;
            for piece in [1, 52, 1_000_000] {
                assert_eq!(inflate(&mut inflater, &stream, size, piece), Ok(content.to_vec()));
                let wrong = [
                    (stream.clone(), size + 1),
                    (stream.clone(), size.saturating_sub(1)),
                    (stream[..stream.len() - 1].to_vec(), size),
                    ([&stream[..], b"\0"].concat(), size),
                    ([&stream[..], &stream].concat(), size * 2),
                    (stream[1..].to_vec(), size),
                    (Vec::new(), 0),
                ];
                for (wrong, declared) in wrong.into_iter().filter(|wrong| *wrong != (stream.clone(), size)) {
                    let inflated = inflate(&mut inflater, &wrong, declared, piece);
                    assert_eq!(inflated, Err(Contradiction::Inflation));
                }
            }
            let mut other_sum = stream.clone();
            *other_sum.last_mut().expect("a checksum") ^= 1;
            assert_eq!(inflate(&mut inflater, &other_sum, size, 52), Err(Contradiction::Inflation));
        }
    }

    /// O-005: what zlib holds back when its input is over comes out all the same, whatever the effort it was deflated with.
    #[test]
    fn nothing_stays_inside() {
        let mut inflater = Inflater::new();
        for level in 1..=9 {
            for size in (1..=25).map(|step| step * 4_096_usize - 5).chain([PIECE_BYTES, 2 * PIECE_BYTES, 20_000]) {
                let content = vec![0; size];
                let mut zlib = ZlibEncoder::new(Vec::new(), Compression::new(level));
                zlib.write_all(&content).expect("to memory");
                let stream = zlib.finish().expect("to memory");
                for piece in [1, 52, stream.len()] {
                    let inflated = inflate(&mut inflater, &stream, size as u64, piece);
                    assert_eq!(inflated, Ok(content.clone()), "{size} bytes, level {level}, {piece} at once");
                }
            }
        }
    }

    /// O-015: a stream that is larger than it declares is left as soon as it is.
    #[test]
    fn a_bomb_is_left_early() {
        let bomb = deflated(&vec![0; 10_000_000]);
        let mut inflater = Inflater::new();
        inflater.begin(1_000);
        let mut given = 0;
        let fed = inflater.feed(&bomb, |out| {
            given += out.len();
            Ok::<_, Contradiction>(())
        });
        assert_eq!((fed, given), (Err(Contradiction::Inflation), 0));
        assert!(inflater.zlib.total_out() <= PIECE_BYTES as u64);
    }
}
