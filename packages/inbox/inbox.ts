import type { Actor } from '#kernel/actor.ts'
import { failureOf, notFound } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import type { ActionsByKind, InboxStore, ItemActions, SeenBea } from './ports.ts'
import type { FilingInput, InboxId, InboxItem, InboxQuery, Related } from './schema.ts'

export type InboxService = ReturnType<typeof inboxService>

/** The inbox: one list of the items of all kinds that are not filed, and the actions of users on them (I6, I7). */
export function inboxService(deps: {
  store: InboxStore
  actions: ActionsByKind
  /** The beA messages that the user may see. */
  seenBea: (actor: Actor) => Promise<SeenBea[]>
}) {
  const { store, actions, seenBea } = deps
  /** Acts on the first item that exists: an id without prefix does not say its kind, so `ids` has one of each kind. */
  const withItem = async (
    ids: InboxId,
    act: (itemActions: ItemActions, id: string) => ReturnType<ItemActions['dismiss']>,
  ) => {
    for (const { kind, id } of ids) {
      const itemActions = actions[kind]
      if (itemActions === undefined) continue
      try {
        return await act(itemActions, id)
      } catch (error) {
        if (failureOf(error)?.code !== 'INBOX_ITEM_NOT_FOUND') throw error
      }
    }
    throw notFound('INBOX_ITEM_NOT_FOUND')
  }

  return {
    /** A page of the items that are not filed and that the user may see, newest first. */
    list: async (actor: Actor, query: InboxQuery): Promise<Page<InboxItem>> => {
      const needsBea = query.kind === undefined || query.kind === 'bea'
      return store.page(actor.workspace_id, query, needsBea ? await seenBea(actor) : [])
    },

    /**
     * Files an item, or assigns it to a user.
     *
     * @throws Failure INBOX_ITEM_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND
     */
    file: (actor: Actor, ids: InboxId, input: FilingInput) =>
      withItem(ids, (item, id) => item.file(actor, id, input)),

    /** Takes an item out of the inbox without filing it. @throws Failure INBOX_ITEM_NOT_FOUND */
    dismiss: (actor: Actor, ids: InboxId) => withItem(ids, (item, id) => item.dismiss(actor, id)),

    /** Brings an item back into the inbox. @throws Failure INBOX_ITEM_NOT_FOUND */
    reopen: (actor: Actor, ids: InboxId) => withItem(ids, (item, id) => item.reopen(actor, id)),

    /** Mail and documents related to a document. @throws Failure DOCUMENT_NOT_FOUND */
    related: (actor: Actor, documentId: string): Promise<Related> =>
      store.related(actor.workspace_id, documentId),
  }
}
