import { randomUUID } from 'node:crypto'
import { type ImportingAccount, importing } from '#bea/messages/importing.ts'
import type { RemoteMessage } from '#bea/network/gateway-ports.ts'
import type { BeaRight } from '#bea/rights/right-schema.ts'
import { sealedAs } from '#bea/sessions/session-use.ts'
import { beaMediaType } from '#documents/bea-media-type.ts'
import { processArrivals } from '#inbox/arrival-schema.ts'
import { jobRunner } from '#jobs/runner.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { queueSender } from '#queue/sqs.ts'
import { kmsSecretBox } from '#secrets/secret-box.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { beaPermissionStore } from '#store/bea/bea-permission-store.ts'
import { beaSessionStore } from '#store/bea/bea-session-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { plain } from '#test/support/store-changes.ts'
import { identity, remoteMessage } from './bea-remote.ts'
import { storeDeps } from './mail-stores.ts'
import { sharedBucket } from './shared-bucket.ts'
import { sharedTable } from './table.ts'

const signal = new AbortController().signal

/**
 * A beA account with imported messages in a firm of the shared service, created without the network. Its session, if
 * opened, belongs to a card that the gateway does not know: a synchronisation ends at once.
 */
export async function beaOffice(firm: {
  workspace: { id: string }
  ownerUser: { id: string; name: string }
}) {
  const db = await sharedTable()
  const workspace_id = firm.workspace.id
  const safe_id = `DE.BRAK_SPT.${randomUUID()}.abcd`
  const account: ImportingAccount = {
    workspace_id,
    id: newId('beaAccount'),
    postbox_safe_id: safe_id,
    created_at: systemClock.now().toISOString(),
  }
  await beaAccountStore(db).add(
    plain({
      ...account,
      label: 'Postfach',
      kind: 'card',
      safe_id,
      owner_name: firm.ownerUser.name,
      login_account_id: null,
      certificate: null,
      certificate_pem: null,
      status: 'connected',
      last_sync: null,
      eda_mahn: null,
      user_id: firm.ownerUser.id,
      disconnected_at: null,
      version: 1,
    }),
    null,
  )
  const jobs = jobRunner(wordsFollowUp(db), processArrivals.handledBy(queueSender(processArrivals.queue)))
  const store = beaMessageStore({ ...storeDeps(db), outbox: outbox(db, jobs, { error: () => {} }) })
  const { add } = importing({
    store,
    files: sharedBucket(),
    describe: beaMediaType,
    clock: systemClock,
  })
  return {
    account,
    store,

    /** Imports a message of the network, as a synchronisation does. */
    receive: (
      changes: Partial<RemoteMessage> = {},
      folder = { type: 'INBOX', name: null as string | null },
    ) =>
      add(
        account,
        folder,
        remoteMessage({ message_id: randomUUID(), recipients: [identity(safe_id, 'Wir')], ...changes }),
        signal,
      ),

    /** Gives a user rights at the account. */
    grant: (userId: string, ...rights: BeaRight[]) =>
      beaPermissionStore(db).change({ workspace_id, account_id: account.id, user_id: userId }, () => ({
        rights: Object.fromEntries(rights.map((right) => [right, null])),
        answer: undefined,
      })),

    openSession: async () => {
      const owner = { workspace_id, account_id: account.id }
      const sessions = beaSessionStore(db)
      const at = systemClock.now().toISOString()
      const session = { token: 'unknown', session_key: Buffer.alloc(32).toString('base64'), safe_id }
      const secrets = kmsSecretBox(process.env.SECRETS_KEY_ID ?? '')
      const sealed = await secrets.seal(JSON.stringify(session), sealedAs('session', owner))
      await sessions.claim(owner, {
        holder: 'test',
        now: systemClock.now(),
        until: new Date(epochMilliseconds() + 5_000),
      })
      const stored = { sealed, since: at, last_used_at: at }
      await sessions.keep(owner, { holder: 'test', until: null, session: stored })
    },

    /** Does the work while somebody else uses the session: a synchronisation that begins meanwhile waits. */
    whileInUse: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const owner = { workspace_id, account_id: account.id }
      const sessions = beaSessionStore(db)
      const until = new Date(epochMilliseconds() + 120_000)
      await sessions.claim(owner, { holder: 'test', now: systemClock.now(), until })
      try {
        return await work()
      } finally {
        await sessions.keep(owner, { holder: 'test', until: null })
      }
    },
  }
}
