import { type ItemKind, requireInbox } from '#inbox/filing-schema.ts'
import { beaItem } from '#inbox/schema.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import type { Triage } from '#triage/schema.ts'
import type { BeaMessageChange, BeaMessageRecord, BeaMessageStore, BeaParties } from '../ports.ts'
import { rightMissing } from '../rights/require-right.ts'
import { mayDo } from '../rights/rights.ts'
import { type BeaVisibility, readingOf } from '../rights/visibility.ts'
import { assigningOf, dismissed, filed, reopened } from './filing.ts'

/**
 * beA messages as items of the inbox (I6). Filing one needs the scopes `bea:read` and `bea:write` (B3) and the right 08,
 * for a confidential message also 11 (B8). Without the right 01 the item does not exist for the user.
 */
export function inboxMessages(deps: {
  store: Pick<BeaMessageStore, 'find' | 'change'>
  parties: BeaParties
  visibility: BeaVisibility
  /** The triage result of a message; null if it is not judged yet. */
  findTriage: (workspaceId: string, id: string) => Promise<Triage | null>
}): ItemKind<BeaMessageRecord, BeaMessageChange> {
  const { store, parties, visibility, findTriage } = deps
  return {
    store,
    notFoundCode: 'BEA_MESSAGE_NOT_FOUND',
    filed,
    dismissed,
    reopened,
    async accessOf(actor, id, read) {
      const before = await read()
      const lacking = neededScopes.find((scope) => !actor.scopes.includes(scope))
      if (lacking !== undefined) throw scopeMissing(lacking)
      const rights = await visibility.rightsAt(actor, before)
      if (!mayDo(rights, 'see')) throw notFound('INBOX_ITEM_NOT_FOUND')
      if (!mayDo(rights, assigningOf(before))) throw rightMissing(assigningOf(before))
      const triage = await findTriage(actor.workspace_id, id)
      return {
        view: (message) => {
          const mayRead = mayDo(rights, readingOf(message))
          return beaItem(message, requireInbox(message), { mayRead, triage: mayRead ? triage : null })
        },
      }
    },
    partyNames: parties.names,
  }
}

const neededScopes = ['bea:read', 'bea:write'] as const

function scopeMissing(scope: string): Failure {
  return new Failure(
    'forbidden',
    'AUTH_INSUFFICIENT_SCOPE',
    `Filing a beA message also needs the scope ${scope}.`,
  )
}
