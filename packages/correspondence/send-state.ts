import type { CorrespondenceRecord, DraftRecord } from './ports.ts'
import { type Draft, lostFrom } from './schema.ts'

/**
 * The states of a send (M5):
 *
 * - `sending`: the intent is recorded, the outcome is not. The provider may have taken the mail, or was not asked yet.
 * - `sent`: the provider took the mail.
 * - `refused`: the provider refused it for certain, or was not asked. The same key may try again. If an event proves
 *   that the provider took it after all, it is `sent`.
 * - `lost`: for ten minutes after the intent neither an answer nor an event came. It is not sent again.
 *
 * ```
 *            ┌── accepted ──────────────► sent
 * sending ───┼── refused ──► refused ──► sending (the same key, the same message)
 *            ├── an event of the provider ► sent
 *            └── ten minutes ──► lost ──► sent (by a late event, and by nothing else)
 * ```
 */
export type SendState = 'sending' | 'sent' | 'refused' | 'lost'

/** The state of an outbound mail at `now`. That it is lost is computed when it is read, so it is never late. */
export function sendStateOf(
  { status, sending_since }: Pick<CorrespondenceRecord, 'status' | 'sending_since'>,
  now: Date,
): SendState {
  if (status === 'failed') return 'refused'
  if (status !== 'sending') return 'sent'
  return isOverdue(sending_since, now) ? 'lost' : 'sending'
}

/** The status of a mail as it is shown at `now`: a lost send is `failed`. */
export function shownStatus(
  record: Pick<CorrespondenceRecord, 'status' | 'sending_since'>,
  now: Date,
): CorrespondenceRecord['status'] {
  return record.status === 'sending' && isOverdue(record.sending_since, now) ? 'failed' : record.status
}

/** The status of a draft as it is shown at `now`: one whose send was lost is `failed`. */
export function shownDraftStatus(
  draft: Pick<DraftRecord, 'status' | 'sending_since'>,
  now: Date,
): Draft['status'] {
  return draft.status === 'sending' && isOverdue(draft.sending_since, now) ? 'failed' : draft.status
}

function isOverdue(since: string | null, now: Date): boolean {
  return since !== null && now >= lostFrom(since)
}
