import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, notFound, requiredActive, requireKnown } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { once } from '#kernel/once.ts'
import { answered, type UnansweredChange, userActor } from '#timeline/schema.ts'
import type { FileableItem, FiledBy, ItemKind } from './filing-schema.ts'
import type { ItemActions } from './ports.ts'
import type { FilingInput, InboxItem } from './schema.ts'

/** The actions of a person on inbox items of one kind (I6). */
export function itemActions<Item extends FileableItem, Change extends UnansweredChange<Item>>(
  kind: ItemKind<Item, Change>,
  deps: {
    users: { find: (workspaceId: string, id: string) => Promise<{ active: boolean } | undefined> }
    clock: Clock
  },
): ItemActions {
  const { users, clock } = deps
  const { store, notFoundCode, dismissed, reopened } = kind

  /** Returns a function that reads an item at its first call, and returns the same item from then on. */
  const readingOnce = ({ workspace_id }: Actor, id: string) =>
    once(async () => {
      const item = await store.find(workspace_id, id)
      if (item === undefined || item.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
      return item
    })

  /** Returns a function that changes an item for this user, and answers with the item as the user sees it then. */
  const changing = async (actor: Actor, id: string, read = readingOnce(actor, id)) => {
    const { view, changedAt = (now: string) => now } = await kind.accessOf(actor, id, read)
    const by = { actor: userActor(actor), at: changedAt(timestamp(clock)) }
    return (decide: (current: Item, by: FiledBy) => Change | undefined): Promise<Answered<InboxItem>> =>
      store
        .change(actor.workspace_id, id, (current) => answered(current, decide(current, by), view))
        .catch((error: unknown) => {
          throw failureOf(error)?.code === notFoundCode ? notFound('INBOX_ITEM_NOT_FOUND') : error
        })
  }

  return {
    async file(actor: Actor, id: string, input: FilingInput) {
      const { workspace_id } = actor
      const read = readingOnce(actor, id)
      const change = await changing(actor, id, read)
      const partyIds = input.party_id == null ? [] : [input.party_id]
      if (partyIds.length > 0 || input.assigned_to != null) await read()
      const names = await (partyIds.length === 0 ? new Map() : kind.partyNames(workspace_id, partyIds))
      requireKnown(partyIds, names, 'PARTY_NOT_FOUND', 'body.party_id')
      if (input.assigned_to != null) {
        const user = await users.find(workspace_id, input.assigned_to)
        requiredActive(user, 'body.assigned_to', input.assigned_to)
      }
      const file = () => change((current, by) => kind.filed(current, input, by, names))
      return kind.reserving === undefined ? file() : kind.reserving({ workspace_id, id }, partyIds, file)
    },
    dismiss: async (actor: Actor, id: string) => (await changing(actor, id))(dismissed),
    reopen: async (actor: Actor, id: string) => (await changing(actor, id))(reopened),
  }
}
