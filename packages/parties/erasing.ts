import { activeHolds, endedAtOf, retainUntil } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, required } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import type { CaseAround, PartyErasureStore } from './erasure-ports.ts'
import type { PartyErasure } from './erasure-schema.ts'
import type { Party } from './schema.ts'

export type PartyErasing = ReturnType<typeof partyErasing>

/** The erasure of a person or firm (R5, Art. 17 DSGVO). */
export function partyErasing(deps: {
  store: Pick<PartyErasureStore, 'begin'>
  workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
  clock: Clock
}) {
  const { store, workspaces, clock } = deps
  return {
    /**
     * Begins the erasure of a party, also of a deleted one. A worker does the rest (`erasure-run.ts`).
     *
     * @throws Failure PARTY_NOT_FOUND, also once the erasure has begun. RETENTION_APPLIES names the cases around the
     *   party that are open or must still be kept (Art. 17 Abs. 3 lit. b DSGVO, § 50 BRAO). LEGAL_HOLD names those with
     *   a hold. PRECONDITION_FAILED
     */
    async erase(
      actor: Actor,
      id: string,
      precondition: Precondition<Party> = anyState,
    ): Promise<Answered<PartyErasure>> {
      const { workspace_id, user_id, key_id } = actor
      const { time_zone } = required(await workspaces.find(workspace_id), 'WORKSPACE_NOT_FOUND')
      return store.begin(workspace_id, id, (party, { cases, documents, invoices }) => {
        precondition(party)
        refuseKept(cases, time_zone, localDateOf(clock.now(), time_zone))
        const deleted_at = timestamp(clock)
        const named = cases.map((one) => ({ id: one.id, file_number: one.file_number }))
        return {
          deleted_at,
          user_id,
          key_id,
          answer: { id: party.id, erased_at: deleted_at, cases: named, documents, invoices },
        }
      })
    },
  }
}

/** Why the records of a case must be kept unchanged on this day of the firm; null if its retention period is over. */
export function keptReason(
  one: CaseAround,
  timeZone: string,
  today: string,
): { code: 'LEGAL_HOLD' | 'RETENTION_APPLIES'; says: string } | null {
  if (activeHolds(one.holds, today).length > 0) return { code: 'LEGAL_HOLD', says: 'It has a legal hold.' }
  const endedAt = endedAtOf(one)
  if (endedAt === null) return { code: 'RETENTION_APPLIES', says: 'It is not closed.' }
  const until = retainUntil(endedAt, timeZone)
  return until < today ? null : { code: 'RETENTION_APPLIES', says: `It is kept until ${until}.` }
}

/** Refuses the erasure while a case must be kept. @throws Failure LEGAL_HOLD, RETENTION_APPLIES */
function refuseKept(cases: CaseAround[], timeZone: string, today: string): void {
  const kept = cases.flatMap((one) => {
    const reason = keptReason(one, timeZone, today)
    return reason === null ? [] : [{ ...one, ...reason }]
  })
  const held = kept.filter(({ code }) => code === 'LEGAL_HOLD')
  if (held.length > 0)
    throw conflict(
      'LEGAL_HOLD',
      'Some cases with data of this party have a legal hold: the party cannot be erased. Lift the holds first.',
      naming(held),
    )
  if (kept.length > 0)
    throw conflict(
      'RETENTION_APPLIES',
      'Some cases with data of this party must still be kept (§ 50 BRAO). Erase it when their retention period is over.',
      naming(kept),
    )
}

/** The maximum number of cases that a refusal names. */
const maxNamed = 100

function naming(cases: { id: string; file_number: string; says: string }[]) {
  const named = cases.slice(0, maxNamed)
  return {
    details: named.map(({ id, file_number, says }) => ({
      path: 'path.id',
      message: `${file_number} (${id}): ${says}`,
    })),
    cases: named.map(({ id, file_number }) => ({ id, file_number })),
  }
}
