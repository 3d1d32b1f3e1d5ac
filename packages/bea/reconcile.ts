import type { BeaDraftStore } from './draft-ports.ts'
import type { RemoteEntry, RemoteFolder, RemoteSummary } from './gateway-ports.ts'
import type { BeaOrder } from './order-schema.ts'
import type { BeaAccountRecord, UseBeaSession } from './ports.ts'
import { isCertainly, mayBe } from './sent-match.ts'

/**
 * What a look among the sent messages says. `absent`: all folders were read where it could lie, and no message in them
 * could be it.
 * `unclear`: one could be it, and its content does not prove it.
 */
export type Look = { kind: 'found'; remote_id: string } | { kind: 'absent' } | { kind: 'unclear' }

/** An account with a stored certificate is looked into by a schedule, so without a user who logs in. */
const mayLogIn = { mayLogIn: true }

/** Of so many messages the content is compared; more that fit the same send are for a person. */
const maxCompared = 20

/**
 * Looks for a message among those that the network has taken (B7).
 *
 * It is found only in SENT, and only where it is certainly the message (`sent-match.ts`) and no other draft has it. What
 * could be it in OUTBOX is on its way, and somebody may have moved it to the trash or a folder of their own: unclear. So is
 * an entry without an id, which may be any message. Each step is a use of the session of its own, so that others come in
 * between; so OUTBOX is read before SENT, and SENT before the rest, as messages move.
 *
 * @throws Failure where the network cannot be asked; then nothing is known
 */
export async function lookForSent(
  deps: { useSession: UseBeaSession; drafts: Pick<BeaDraftStore, 'isTaken'> },
  account: Pick<BeaAccountRecord, 'workspace_id' | 'id'>,
  order: BeaOrder,
  since: Date,
  signal: AbortSignal,
): Promise<Look> {
  const { useSession, drafts } = deps
  const { postbox_safe_id: postbox } = order
  const folders = await useSession(
    account,
    (connection) => connection.folders(postbox, signal),
    signal,
    mayLogIn,
  )
  const isOfSending = ({ type }: RemoteFolder) => type === 'SENT' || type === 'OUTBOX'
  // Without its folder of sent messages a postbox says nothing of what was sent.
  if (!folders.some(({ type }) => type === 'SENT')) return { kind: 'unclear' }

  let hasNameless = false
  const isNamed = (entry: RemoteEntry): entry is RemoteSummary => entry.message_id !== null
  const candidatesIn = async ({ id, type }: RemoteFolder) => {
    const candidates: (RemoteSummary & { type: string })[] = []
    const entries = await useSession(
      account,
      (connection) => connection.overview(id, signal),
      signal,
      mayLogIn,
    )
    hasNameless ||= !entries.every(isNamed)
    for (const summary of entries.filter(isNamed)) {
      if (!mayBe(summary, order, since)) continue
      const isTaken = await drafts.isTaken(account.workspace_id, account.id, summary.message_id)
      if (!isTaken) candidates.push({ ...summary, type })
    }
    return candidates
  }
  const candidates: (RemoteSummary & { type: string })[] = []
  for (const type of ['OUTBOX', 'SENT'])
    for (const folder of folders.filter((one) => one.type === type))
      candidates.push(...(await candidatesIn(folder)))
  const sent = candidates.filter(({ type }) => type === 'SENT')
  for (const summary of sent.slice(0, maxCompared)) {
    const { message_id } = summary
    const isIt = await useSession(
      account,
      async (connection) =>
        isCertainly(await connection.message(postbox, message_id, signal), summary, order, since),
      signal,
      mayLogIn,
    )
    if (isIt) return { kind: 'found', remote_id: message_id }
  }
  if (candidates.length > 0) return { kind: 'unclear' }
  for (const folder of folders) {
    if (isOfSending(folder) || neverSent.has(folder.type)) continue
    if ((await candidatesIn(folder)).length > 0) return { kind: 'unclear' }
  }
  return { kind: hasNameless ? 'unclear' : 'absent' }
}

/** Where no sent message lies. */
const neverSent: ReadonlySet<string> = new Set(['INBOX', 'DRAFT'])

/** The gateway gives a call 400 seconds at most: after ten minutes it works on none that we made. */
const certainMilliseconds = 10 * 60_000

/**
 * Whether an unknown send has certainly failed: two looks in a row found no message that could be it, the later one at
 * least ten minutes after the last call. Everything else stays `unknown` until a person decides: after a false `failed`
 * a lawyer would send the same pleading twice.
 */
export function isCertainlyAbsent(
  { absences, confirming_at }: { absences: number; confirming_at: string | null },
  now: Date,
): boolean {
  if (confirming_at === null) return false
  return absences >= 2 && now.getTime() - Date.parse(confirming_at) >= certainMilliseconds
}
