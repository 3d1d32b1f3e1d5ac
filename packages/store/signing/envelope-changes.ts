import type { Audited, EnvelopeRecord } from '#signing/ports.ts'
import { positionOf } from '../chain-page.ts'
import { type Consequences, changesOf } from '../changes.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, erase, put } from '../transact.ts'
import { type DueAt, dueActions } from './due-envelopes.ts'
import { envelopeAuditEntry } from './envelope-entity.ts'
import { envelopeEvents } from './envelope-events.ts'
import { envelopeLists } from './envelope-lists.ts'
import { envelopeRecords } from './envelope-record.ts'
import { signingLink } from './signing-link-entity.ts'

/**
 * Reads and changes envelopes: the record with its audit trail, its magic links, its entries in the lists, and its
 * timed work.
 *
 * @param deps.dueAt when the next timed work is due (`envelope-states.ts`)
 * @param ofDocuments the actions and jobs of a change for the documents of the envelope
 */
export function envelopeChanges<More extends object = object>(
  deps: { db: Db; outbox: Outbox; dueAt: DueAt },
  ofDocuments: (
    before: EnvelopeRecord | undefined,
    after: EnvelopeRecord,
    change: More,
  ) => Consequences | Promise<Consequences>,
) {
  const { db } = deps
  const envelopes = envelopeRecords(db)
  const audit = envelopeAuditEntry(db)
  const links = signingLink(db)
  const lists = envelopeLists(db)
  const due = dueActions(db, deps.dueAt)

  /** Keeps magic links in line with the digests of the signers: new links are put, and replaced ones are erased. */
  const linkActions = (before: EnvelopeRecord | undefined, after: EnvelopeRecord): Action[] => {
    const { workspace_id, id: envelope_id } = after
    const [old, now] = [linksOf(before), linksOf(after)]
    return [
      ...[...old.keys()]
        .filter((token_sha256) => !now.has(token_sha256))
        .map((token_sha256) => erase(links.delete({ token_sha256 }))),
      ...[...now]
        .filter(([token_sha256, signer_id]) => old.get(token_sha256) !== signer_id)
        .map(([token_sha256, signer_id]) =>
          rewrite(links, links.put({ token_sha256, workspace_id, envelope_id, signer_id }), {}),
        ),
    ]
  }

  const changes = changesOf<EnvelopeRecord, Audited & More>(deps, envelopes, {
    events: (before, after) => (after === undefined ? [] : envelopeEvents(before, after)),
    follow: async (before, after, change) => {
      if (after === undefined) throw new Error('An envelope is never deleted.')
      const { workspace_id, id: envelope_id } = after
      const { actions, jobs = [] } = await ofDocuments(before, after, change)
      return {
        actions: [
          ...change.auditEntries.map((entry) =>
            put(audit.create({ workspace_id, envelope_id, position: positionOf(entry.seq), entry })),
          ),
          ...lists.changes(before, after),
          ...due(before, after),
          ...linkActions(before, after),
          ...actions,
        ],
        jobs,
      }
    },
  })

  return { find: envelopes.find, findAll: envelopes.findAll, ...changes }
}

/** The signers of an envelope by the digest of their magic link. */
function linksOf(record: EnvelopeRecord | undefined): Map<string, string> {
  return new Map(
    (record?.signers ?? []).flatMap(({ link_sha256, id }) =>
      link_sha256 === null ? [] : [[link_sha256, id]],
    ),
  )
}
