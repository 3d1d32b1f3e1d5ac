import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import type { AuditEvent, FirmAuditEntry } from '#audit/schema.ts'
import { timestamp } from '#kernel/clock.ts'
import { hashOf } from '#kernel/hash-chain.ts'
import { idPrefixes, uuidv7 } from '#kernel/id.ts'
import { type Db, isRefused, strongly } from '../db.ts'
import { auditEntry } from './audit-entity.ts'

/** For how long an entry is kept (R7). */
const keptYears = 10

/** Somebody else has written the next entry first. */
export class AuditMoved extends Error {
  constructor() {
    super('Another entry of the audit was written first.')
    this.name = 'AuditMoved'
  }
}

/** An entry that follows the last one, and the write that adds it. */
export type NextEntry = { entry: FirmAuditEntry; put: PutCommandInput }

/** The sort key of an entry: a firm writes less than ten thousand million of them. */
export function auditPosition(seq: number): string {
  return String(seq).padStart(10, '0')
}

/** The number of an entry, which its id ends with. */
export function auditSeqOf(uuid: string): number {
  return Number.parseInt(uuid.slice(-12), 16)
}

/**
 * The hash chain of the audit of each firm. An entry is one item, put on the condition that its number is free, so two
 * writers at once cannot follow the same entry.
 */
export function auditChain(db: Db) {
  const entries = auditEntry(db)

  const last = async (workspace_id: string): Promise<FirmAuditEntry | undefined> => {
    const { data } = await entries.query
      .oldest({ workspace_id })
      .go({ ...strongly, order: 'desc', limit: 1, pages: 1 })
    return data[0]?.entry
  }

  const at = async (workspace_id: string, seq: number): Promise<FirmAuditEntry | undefined> => {
    const { data } = await entries.get({ workspace_id, position: auditPosition(seq) }).go(strongly)
    return data?.entry
  }

  return {
    /** The entry with this number. */
    at,

    /**
     * The next entry of the chain, and the write that adds it. The write is refused if another entry was added
     * meanwhile.
     */
    next: async (event: AuditEvent): Promise<NextEntry> => {
      const { workspace_id, actor, action, ref } = event
      const previous = await last(workspace_id)
      const seq = (previous?.seq ?? 0) + 1
      const now = timestamp()
      const id = idPrefixes.auditEntry + uuidv7().slice(0, -12) + seq.toString(16).padStart(12, '0')
      const bare = { id, seq, at: now, actor, action, ref, previous_hash: previous?.hash ?? null }
      const entry = { ...bare, hash: hashOf(bare) }
      const lapses = new Date(now)
      lapses.setUTCFullYear(lapses.getUTCFullYear() + keptYears)
      const item = {
        workspace_id,
        position: auditPosition(seq),
        entry,
        ttl: Math.ceil(lapses.getTime() / 1_000),
      }
      return { entry, put: entries.create(item).params<PutCommandInput>() }
    },

    /** Adds an entry by itself. @throws AuditMoved */
    add: async (workspaceId: string, { entry, put }: NextEntry): Promise<void> => {
      try {
        await db.client.send(new PutCommand(put))
      } catch (error) {
        if (!isRefused(error)) throw error
        // The answer to an attempt may have been lost.
        if ((await at(workspaceId, entry.seq))?.hash !== entry.hash) throw new AuditMoved()
      }
    },
  }
}
