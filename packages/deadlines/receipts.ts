import { germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { everyItem } from '#kernel/every-item.ts'
import { failureOf } from '#kernel/failure.ts'
import { entriesIn } from '#timeline/schema.ts'
import { nextStep } from './history.ts'
import type { DeadlineRecord, DeadlineStore } from './ports.ts'
import { titled } from './summaries.ts'

/** The user who gave a receipt, and the API key. */
type ReceiptGiver = { workspace_id: string; user_id: string; user_name: string; key_id: string }

/** A receipt for a beA message, with the day that the lawyer stated (B9). */
type GivenReceipt = { message_id: string; date: string; override_reason: string | null }

/** Electronic receipts (eEB) in the histories of the deadlines that they belong to (B9). */
export function receiptsAtDeadlines(deps: {
  store: Pick<DeadlineStore, 'find' | 'change' | 'history'>
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
}) {
  const { store, timeZoneOf, clock } = deps

  const isRecorded = async (workspaceId: string, id: string, messageId: string): Promise<boolean> => {
    for await (const { action, reason } of everyItem((request) => store.history(workspaceId, id, request)))
      if (action === 'receipt_given' && reason?.includes(messageId)) return true
    return false
  }

  return {
    /**
     * The case of a deadline, and the day from which it is counted if that is not this day; undefined if there is no such
     * deadline, or it was struck.
     */
    async find(workspaceId: string, id: string, date: string) {
      const record = await store.find(workspaceId, id)
      if (record === undefined) return undefined
      return { case_id: record.case_id, other_day: otherDay(record, date, await timeZoneOf(workspaceId)) }
    },

    /**
     * Records in the history of a deadline, and in the timeline of its case, that a receipt was given. A receipt is
     * recorded once, however often this is called.
     *
     * @returns false if the deadline was struck meanwhile
     */
    async recordReceipt(by: ReceiptGiver, id: string, receipt: GivenReceipt): Promise<boolean> {
      const { workspace_id, user_id, user_name } = by
      const timeZone = await timeZoneOf(workspace_id)
      const day = germanDay(receipt.date)
      const because = receipt.override_reason === null ? '' : `: ${receipt.override_reason}`
      try {
        return await store.change<boolean>(workspace_id, id, async (current) => {
          if (await isRecorded(workspace_id, id, receipt.message_id)) return { answer: true }
          const at = timestamp(clock)
          const other = otherDay(current, receipt.date, timeZone)
          const why = `${other === null ? '' : `; die Frist ist ab dem ${germanDay(other)} gerechnet`}${because}`
          const reason = `Empfangsbekenntnis mit Datum ${day} für ${receipt.message_id}${why}`
          const actor = { ...by, scopes: [] }
          return {
            steps: [nextStep(current, {}, { at, actor, action: 'receipt_given', reason, timeZone })],
            timeline: entriesIn(current.case_id, {
              type: 'bea.eeb_confirmed',
              occurred_at: at,
              actor: { type: 'user', id: user_id, name: user_name },
              summary: `Empfangsbekenntnis mit Datum ${day} abgegeben, ${titled(current)}${why}`,
              ref: { type: 'bea_message', id: receipt.message_id },
            }),
            answer: true,
          }
        })
      } catch (error) {
        if (failureOf(error)?.code === 'DEADLINE_NOT_FOUND') return false
        throw error
      }
    },
  }
}

/**
 * The day of the event from which a deadline is counted, if it is not this day. Null if it is, if the deadline has no
 * calculation with such a day, or if its period runs backward, since no service begins such a period.
 */
function otherDay({ basis }: DeadlineRecord, date: string, timeZone: string): string | null {
  if (basis === null || basis.direction === 'backward') return null
  const day = basis.event_at === null ? basis.event_date : localDateOf(new Date(basis.event_at), timeZone)
  return day === date ? null : day
}
