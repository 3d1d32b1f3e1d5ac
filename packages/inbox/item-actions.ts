import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, notFound, requiredActive, requireKnown } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { once } from '#kernel/once.ts'
import { answered, type UnansweredChange, userActor } from '#timeline/schema.ts'
import type { FiledBy, FiledItem, ItemKind } from './filing-schema.ts'
import type { ItemActions } from './ports.ts'
import type { FilingInput, InboxItem } from './schema.ts'

/** The actions of a person on records of one kind in the inbox (I6). */
export function itemActions<Item extends FiledItem, Change extends UnansweredChange<Item>>(
  kind: ItemKind<Item, Change>,
  deps: {
    users: { find: (workspaceId: string, id: string) => Promise<{ active: boolean } | undefined> }
    clock: Clock
  },
): ItemActions {
  const { users, clock } = deps
  const { store, missing, dismissed, reopened } = kind

  const reading = ({ workspace_id }: Actor, id: string) =>
    once(async () => {
      const item = await store.find(workspace_id, id)
      if (item === undefined || item.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
      return item
    })

  /** Opens an item for this user. Returns a function that changes the item and answers with its new view. */
  const open = async (actor: Actor, id: string, read = reading(actor, id)) => {
    const { view, changedAt = (now: string) => now } = await kind.opened(actor, id, read)
    const by = { actor: userActor(actor), at: changedAt(timestamp(clock)) }
    return (decide: (current: Item, by: FiledBy) => Change | undefined): Promise<Answered<InboxItem>> =>
      store
        .change(actor.workspace_id, id, (current) => answered(current, decide(current, by), view))
        .catch((error: unknown) => {
          throw failureOf(error)?.code === missing ? notFound('INBOX_ITEM_NOT_FOUND') : error
        })
  }

  return {
    async file(actor: Actor, id: string, input: FilingInput) {
      const { workspace_id } = actor
      const read = reading(actor, id)
      const change = await open(actor, id, read)
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
    dismiss: async (actor: Actor, id: string) => (await open(actor, id))(dismissed),
    reopen: async (actor: Actor, id: string) => (await open(actor, id))(reopened),
  }
}
