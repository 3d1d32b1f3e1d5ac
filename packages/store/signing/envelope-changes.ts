import type { EnvelopeChange, EnvelopeRecord } from '#signing/ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import { positionOf } from '../chain-page.ts'
import type { Consequences } from '../changes.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, erase, put } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { type DueAt, dueActions } from './due-envelopes.ts'
import { envelopeAuditEntry } from './envelope-entity.ts'
import { envelopeEvents } from './envelope-events.ts'
import { envelopeLists } from './envelope-lists.ts'
import { envelopeRecords } from './envelope-record.ts'
import { signingLink } from './signing-link-entity.ts'

/**
 * How envelopes are read and changed: the record with its audit trail, its magic links, its entries in the lists, and
 * what is due. The stores that use this add the consequences of a change for documents.
 *
 * @param deps.dueAt when something must happen to an envelope by itself (`envelope-states.ts`)
 */
export function envelopeChanges(deps: { db: Db; outbox: Outbox; dueAt: DueAt }) {
  const { db, outbox } = deps
  const envelopes = envelopeRecords(db)
  const audit = envelopeAuditEntry(db)
  const links = signingLink(db)
  const lists = envelopeLists(db)
  const due = dueActions(db, deps.dueAt)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)

  /** The writes of a change: everything but what it means for documents. */
  const writes = (before: EnvelopeRecord | undefined, change: EnvelopeChange): Action[] => {
    const { record: after } = change
    const { workspace_id, id: envelope_id } = after
    return [
      before === undefined ? envelopes.add(after) : envelopes.replace(before, after),
      ...change.auditEntries.map((entry) =>
        put(audit.create({ workspace_id, envelope_id, position: positionOf(entry.seq), entry })),
      ),
      ...lists.changes(before, after),
      ...due(before, after),
      ...linkActions(before, after),
      ...ofCase.recordTimelines(workspace_id, change.timelineEntries),
      ...recordEvents(workspace_id, envelopeEvents(before, after)),
    ]
  }

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

  /** Changes an envelope; `more` says what else belongs to the transaction. */
  const changed = <Change extends EnvelopeChange>(
    workspaceId: string,
    id: string,
    decide: (current: EnvelopeRecord) => Change | undefined,
    more: (
      before: EnvelopeRecord,
      change: Change,
    ) => Required<Consequences> | Promise<Required<Consequences>>,
  ): Promise<EnvelopeRecord> =>
    envelopes.change(workspaceId, id, decide, async (before, change) => {
      const { actions, jobs } = await more(before, change)
      await outbox.commit([...writes(before, change), ...actions], [...change.jobs, ...jobs])
      return change.record
    })

  return { find: envelopes.find, findAll: envelopes.findAll, writes, changed }
}

/** The signers of an envelope by the digest of their magic link. */
function linksOf(record: EnvelopeRecord | undefined): Map<string, string> {
  return new Map(
    (record?.signers ?? []).flatMap(({ link_sha256, id }) =>
      link_sha256 === null ? [] : [[link_sha256, id]],
    ),
  )
}
