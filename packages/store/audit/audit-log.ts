import type { AuditFilter, AuditLog } from '#audit/ports.ts'
import type { FirmAuditEntry } from '#audit/schema.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import { bareUuid, readId } from '#kernel/id.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { withNextEntry } from '../transact.ts'
import { auditChain, auditPosition, auditSeqOf } from './audit-chain.ts'
import { auditEntry } from './audit-entity.ts'

/** Entries that one page reads at most, even if the filters leave few of them, and at least at once if there are filters. */
const [maxRead, filteredAtOnce] = [1_000, 250]

/** The audit of each firm (R7): read by page, and recorded for what changes nothing else. */
export function auditLog({ db, cursors }: { db: Db; cursors: Cursors }): AuditLog {
  const entries = auditEntry(db)
  const chain = auditChain(db)

  const placeOf = async (workspaceId: string, after: string): Promise<string> => {
    const id = readId('auditEntry', after)
    const seq = id === undefined ? 0 : auditSeqOf(bareUuid(id))
    const entry = seq > 0 && seq < 1e10 ? await chain.at(workspaceId, seq) : undefined
    if (entry === undefined || entry.id !== id) throw notFound('AUDIT_ENTRY_NOT_FOUND')
    return auditPosition(seq)
  }

  return {
    page: async (workspace_id, filter, request) => {
      // DynamoDB refuses a condition on a key with an empty text.
      const begin = filter.after === undefined ? auditPosition(0) : await placeOf(workspace_id, filter.after)
      const binding = [workspace_id, 'audit', filter.after, filter.actor, filter.action]
      const isFiltered = filter.actor !== undefined || filter.action !== undefined
      return pageByCursor(cursors, binding, request, async (position = begin, limit) => {
        const items: FirmAuditEntry[] = []
        for (let after = position, seen = 0; ; ) {
          const wanted = Math.min(isFiltered ? filteredAtOnce : limit + 1, maxRead - seen)
          const { data, cursor } = await entries.query
            .oldest({ workspace_id })
            .gt({ position: after })
            .go({ ...strongly, limit: wanted, pages: 1 })
          // DynamoDB removes expired entries late and in any order. A chain with gaps would look forged.
          const kept = data.filter(({ ttl }) => ttl * 1_000 > epochMilliseconds())
          for (const { entry } of kept) if (isWanted(entry, filter)) items.push(entry)
          after = data.at(-1)?.position ?? after
          seen += data.length
          const following = items[limit]
          if (following !== undefined)
            return { items: items.slice(0, limit), next: auditPosition(following.seq - 1) }
          if (cursor === null) return { items, next: undefined }
          if (seen >= maxRead) return { items, next: after }
        }
      })
    },

    record: (event) =>
      withNextEntry(db, event, (next) => bookkeeping(() => chain.add(event.workspace_id, next))),
  }
}

function isWanted({ actor, action }: FirmAuditEntry, wanted: AuditFilter): boolean {
  return (
    (wanted.actor === undefined || actor.id === wanted.actor) &&
    (wanted.action === undefined || action === wanted.action)
  )
}
