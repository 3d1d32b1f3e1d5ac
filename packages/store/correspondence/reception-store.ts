import type {
  MessageIdentity,
  ReceptionStore,
  ReceptionToken,
  TakenToken,
} from '#correspondence/reception-ports.ts'
import { processArrivals } from '#inbox/arrival-schema.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { readAll } from '../batch.ts'
import { strongly, ttlOf } from '../db.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, put, retryStale, transact } from '../transact.ts'
import { correspondenceRecords } from './correspondence-records.ts'
import { type KnownMessages, messageIds, sameMessage } from './message-ids.ts'
import { inboundAddress, receptionToken } from './reception-entity.ts'

/** Mail that arrives, in the table. */
export function receptionStore(deps: StoreDeps & { clock: Clock }): ReceptionStore {
  const { db, outbox, clock } = deps
  const mails = correspondenceRecords(deps)
  const ids = messageIds(db)
  const tokens = receptionToken(db)
  const addresses = inboundAddress(db)

  const findToken = async (token_sha256: string, now: string): Promise<TakenToken | undefined> => {
    const { data } = await tokens.get({ token_sha256 }).go(strongly)
    if (data === null || data.expires_at <= now) return undefined
    return { digest: data.digest, correspondence_id: data.correspondence_id }
  }

  /** Records the token. The transaction fails as Stale if another call has used it. */
  const take = (
    token: ReceptionToken | null,
    { workspace_id, correspondence_id }: { workspace_id: string; correspondence_id: string },
    now: string,
  ): Action[] => {
    if (token === null) return []
    const ttl = ttlOf(token)
    return [
      put(
        tokens
          .put({ ...token, workspace_id, correspondence_id, ttl })
          .where((held, { notExists, lte }) =>
            [notExists(held.expires_at), lte(held.expires_at, now)].join(' OR '),
          ),
      ),
    ]
  }

  /** The mails with the message id of this identity, without the same mail if its record was removed. */
  const knownOf = async (workspaceId: string, identity: MessageIdentity): Promise<KnownMessages> => {
    let known = await ids.received(workspaceId, identity.message_id)
    for (;;) {
      const same = sameMessage(known, identity)
      if (same === undefined || (await mails.find(workspaceId, same)) !== undefined) return known
      known = { ...known, messages: known.messages.filter((one) => one.correspondence_id !== same) }
    }
  }

  return {
    workspacesOf: async (mailboxes) => {
      const gets = [...new Set(mailboxes)].map((mailbox) => addresses.get({ mailbox }))
      return (await readAll(db, gets, ['mailbox', 'workspace_id'])) as {
        mailbox: string
        workspace_id: string
      }[]
    },

    findToken: (tokenSha256, now) => findToken(tokenSha256, now.toISOString()),

    receive: ({ record, identity, token }) =>
      retryStale(async () => {
        const { workspace_id, id } = record
        const now = timestamp(clock)
        const [known, taken] = await Promise.all([
          knownOf(workspace_id, identity),
          token === null ? undefined : findToken(token.token_sha256, now),
        ])
        if (taken !== undefined) return { taken }
        const same = sameMessage(known, identity)
        if (same !== undefined) {
          await transact(db, take(token, { workspace_id, correspondence_id: same }, now))
          return { id: same }
        }
        await outbox.commit(
          [
            ...take(token, { workspace_id, correspondence_id: id }, now),
            ids.add(workspace_id, known, id, identity),
            ...mails.addition(record),
          ],
          [processArrivals.of({ workspace_id, ids: [id] }), ...mails.follow(undefined, record)],
        )
        return { id }
      }),
  }
}
