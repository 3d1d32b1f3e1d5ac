import type { CorrespondenceRecord, DraftRecord } from './ports.ts'
import { lostFrom } from './schema.ts'

/**
 * The states of a send (M5):
 *
 * - `sending`: the intent is recorded, but not the outcome. The provider may have accepted the mail, or was not called
 *   yet.
 * - `sent`: the provider accepted the mail.
 * - `refused`: the provider definitely refused the mail, or was not called. The same key may try again. If an event
 *   proves that the provider accepted it after all, the mail becomes `sent`.
 * - `lost`: neither an answer nor an event came within ten minutes after the intent. The mail is not sent again.
 *
 * ```
 *            ┌── accepted ──────────────► sent
 * sending ───┼── refused ──► refused ──► sending (the same key, the same message)
 *            ├── an event of the provider ► sent
 *            └── ten minutes ──► lost ──► sent (by a late event, and by nothing else)
 * ```
 */
export type SendState = 'sending' | 'sent' | 'refused' | 'lost'

/** The state of an outbound mail at `now`. `lost` is computed from the time, so it does not depend on a job. */
export function sendStateOf(
  { status, sending_since }: Pick<CorrespondenceRecord, 'status' | 'sending_since'>,
  now: Date,
): SendState {
  if (status === 'failed') return 'refused'
  if (status !== 'sending') return 'sent'
  return isOverdue(sending_since, now) ? 'lost' : 'sending'
}

/** The status of a mail or a draft that the API shows at `now`: `failed` if the mail is lost. */
export function shownStatus<Status extends CorrespondenceRecord['status'] | DraftRecord['status']>(
  { status, sending_since }: { status: Status; sending_since: string | null },
  now: Date,
): Status | 'failed' {
  return status === 'sending' && isOverdue(sending_since, now) ? 'failed' : status
}

function isOverdue(since: string | null, now: Date): boolean {
  return since !== null && now >= lostFrom(since)
}
