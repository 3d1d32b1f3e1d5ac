import { importing } from '#bea/messages/importing.ts'
import type { RemoteMessage } from '#bea/network/gateway-ports.ts'
import type { BeaAccountRecord } from '#bea/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { beaSessionStore } from '#store/bea/bea-session-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { plain } from '#test/support/store-changes.ts'
import { applyRule } from '#timeline/schema.ts'
import { aBeaAccount } from './bea-account.ts'
import { remoteMessage } from './bea-remote.ts'
import type { Firm } from './firm.ts'
import { storeDeps } from './mail-stores.ts'
import { memoryBeaFiles } from './memory-bea-files.ts'
import { sharedTable } from './table.ts'

/**
 * Puts a connected account of the firm's owner into the table. With `session` it has a session that opens nothing.
 */
export async function aBeaAccountOf(
  { workspace, ownerUser }: Pick<Firm, 'workspace' | 'ownerUser'>,
  { session = true }: { session?: boolean } = {},
): Promise<BeaAccountRecord> {
  const db = await sharedTable()
  const account = aBeaAccount({ workspace_id: workspace.id, user_id: ownerUser.id })
  await beaAccountStore(db).add(plain(account), null)
  if (session) {
    const owner = { workspace_id: workspace.id, account_id: account.id }
    const [now, until] = [systemClock.now(), new Date(epochMilliseconds() + 20_000)]
    const store = beaSessionStore(db)
    const lease = { holder: 'test', now, until }
    await store.claim(owner, lease)
    const at = now.toISOString()
    const session = { sealed: 'opens nothing', since: at, last_used_at: at }
    await store.begin(owner, { ...lease, session, loggedOut: null })
    await store.keep(owner, { holder: 'test', until: null })
  }
  return account
}

/** Puts an imported message of an account into the table, and into a case if one is given. */
export async function aBeaMessageIn(
  account: BeaAccountRecord,
  remote: Partial<RemoteMessage> = {},
  { caseId = null, folder = 'INBOX' }: { caseId?: string | null; folder?: string } = {},
): Promise<string> {
  const db = await sharedTable()
  const deps = storeDeps(db)
  const store = beaMessageStore({
    ...deps,
    outbox: outbox(db, jobRunner(wordsFollowUp(db)), { error: () => {} }),
  })
  const { add } = importing({
    store,
    files: memoryBeaFiles().files,
    describe: async () => 'application/pdf',
    clock: systemClock,
  })
  const id = await add(
    { ...account, postbox_safe_id: account.postbox_safe_id as string },
    { type: folder, name: null },
    remoteMessage({ message_id: newId('job'), ...remote }),
    new AbortController().signal,
  )
  if (caseId !== null)
    await applyRule(store, account.workspace_id, id, (current) => ({
      record: { ...current, case_id: caseId, version: current.version + 1 },
    }))
  return id
}
