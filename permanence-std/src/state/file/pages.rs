//! The lines of the three files: places and leases, episodes, writes to review.

use std::collections::VecDeque;

use permanence_core::{EpisodeId, Timestamp};

use super::text::{Fields, Hex, Lines, Page};
use crate::state::book::{Book, CAPACITY, Holding, LONGEST_KEY, Place};
use crate::state::record::RECORDS;
use crate::state::{Episode, Generation, Kept, StoredKey, Surfaced};
use crate::{EndpointKey, Origin};

/// `kept`, generation, wall time, key, snapshot; `lease`, holder, wall time of its end, key.
impl Page for Book {
    const KIND: &'static str = "state";

    fn take(&mut self, mut fields: Fields<'_>) -> Option<()> {
        match fields.word()? {
            "kept" if self.places.len() < CAPACITY => {
                let generation = Generation::from_number(fields.number()?);
                let taken_at = take_time(&mut fields)?;
                let key = take_key(&mut fields)?;
                let kept = Kept { snapshot: fields.bytes()?, taken_at };
                if generation == Generation::ABSENT {
                    return None;
                }
                let twice = self.places.insert(key, Place { generation, kept });
                fields.end().filter(|()| twice.is_none())
            }
            "lease" if self.leases.len() < CAPACITY => {
                let holder = u64::from_be_bytes(fields.bytes()?);
                let until = take_time(&mut fields)??;
                let twice = self.leases.insert(take_key(&mut fields)?, Holding { holder, until });
                fields.end().filter(|()| twice.is_none())
            }
            _ => None,
        }
    }

    fn write(&self, out: &mut Lines) {
        for (key, Place { generation, kept }) in &self.places {
            let key = key.borrowed();
            out.line(&[
                &"kept",
                &generation.number(),
                &shown_time(kept.taken_at),
                &key.id,
                &key.method,
                &key.origin.scheme,
                &key.origin.authority,
                &key.template,
                &Hex(&kept.snapshot),
            ]);
        }
        for (key, Holding { holder, until }) in &self.leases {
            let key = key.borrowed();
            out.line(&[
                &"lease",
                &Hex(&holder.to_be_bytes()),
                &until.as_unix_seconds(),
                &key.id,
                &key.method,
                &key.origin.scheme,
                &key.origin.authority,
                &key.template,
            ]);
        }
    }
}

/// `episode`, wall time of its end, name, code, reason, what ended it, milliseconds, probes, skipped
/// calls, reentries, key.
#[derive(Debug, Default)]
pub(super) struct History(pub(super) VecDeque<Episode>);

impl Page for History {
    const KIND: &'static str = "history";

    fn take(&mut self, mut fields: Fields<'_>) -> Option<()> {
        if fields.word()? != "episode" || self.0.len() >= RECORDS {
            return None;
        }
        let closed_at = take_time(&mut fields)?;
        let id = EpisodeId::from_number(u16::from_be_bytes(fields.bytes()?));
        let (code, reason, ended_by) = (fields.text()?, fields.text()?, fields.text()?);
        let (lasted_ms, probes) = (fields.number()?, fields.number()?);
        let (skipped, reentries) = (fields.number()?, fields.number()?);
        let key = take_key(&mut fields)?;
        self.0.push_back(Episode {
            key,
            id,
            closed_at,
            code,
            reason,
            ended_by,
            lasted_ms,
            probes,
            skipped,
            reentries,
        });
        fields.end()
    }

    fn write(&self, out: &mut Lines) {
        for episode in &self.0 {
            let key = episode.key.borrowed();
            out.line(&[
                &"episode",
                &shown_time(episode.closed_at),
                &episode.id,
                &episode.code,
                &episode.reason,
                &episode.ended_by,
                &episode.lasted_ms,
                &episode.probes,
                &episode.skipped,
                &episode.reentries,
                &key.id,
                &key.method,
                &key.origin.scheme,
                &key.origin.authority,
                &key.template,
            ]);
        }
    }
}

/// `write`, wall time, operation or `-`, code, reason, reference, key.
#[derive(Debug, Default)]
pub(super) struct Review(pub(super) VecDeque<Surfaced>);

impl Page for Review {
    const KIND: &'static str = "review";

    fn take(&mut self, mut fields: Fields<'_>) -> Option<()> {
        if fields.word()? != "write" || self.0.len() >= RECORDS {
            return None;
        }
        let at = take_time(&mut fields)?;
        let operation = match fields.word()? {
            "-" => None,
            word => Some(EpisodeId::from_number(u16::from_str_radix(word, 16).ok()?)),
        };
        let (code, reason, reference) = (fields.text()?, fields.text()?, fields.text()?);
        let key = take_key(&mut fields)?;
        self.0.push_back(Surfaced { key, at, code, reason, operation, reference });
        fields.end()
    }

    fn write(&self, out: &mut Lines) {
        for write in &self.0 {
            let key = write.key.borrowed();
            let operation = write.operation.map_or_else(|| "-".to_owned(), |id| id.to_string());
            out.line(&[
                &"write",
                &shown_time(write.at),
                &operation,
                &write.code,
                &write.reason,
                &write.reference,
                &key.id,
                &key.method,
                &key.origin.scheme,
                &key.origin.authority,
                &key.template,
            ]);
        }
    }
}

fn take_key(fields: &mut Fields<'_>) -> Option<StoredKey> {
    let (id, method, scheme) = (fields.text()?, fields.text()?, fields.text()?);
    let (authority, template) = (fields.text()?, fields.text()?);
    let origin = Origin { scheme: &scheme, authority: &authority };
    let key =
        StoredKey::new(&EndpointKey { id: &id, method: &method, origin, template: &template });
    Some(key).filter(|key| key.len() <= LONGEST_KEY)
}

/// Seconds since 1970, or `-` for a time that nobody knew.
fn take_time(fields: &mut Fields<'_>) -> Option<Option<Timestamp>> {
    let mut ahead = fields.clone();
    if ahead.word()? == "-" {
        *fields = ahead;
        return Some(None);
    }
    fields.number().map(|seconds| Some(Timestamp::from_unix_seconds(seconds)))
}

fn shown_time(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.as_unix_seconds().to_string())
}
