import type { Actor } from '#kernel/actor.ts'
import { failureOf, notFound } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import type { ActionsByKind, InboxStore, ItemActions, VisibleBeaMessages } from './ports.ts'
import type { FilingInput, InboxItem, InboxQuery, PossibleInboxIds, Related } from './schema.ts'

export type InboxService = ReturnType<typeof inboxService>

/** The inbox: one list of all open items, and the actions of users on them (I6, I7). */
export function inboxService(deps: {
  store: InboxStore
  actions: ActionsByKind
  /** Which beA messages the user may see. */
  visibleBeaMessages: (actor: Actor) => Promise<VisibleBeaMessages[]>
}) {
  const { store, actions, visibleBeaMessages } = deps
  /**
   * Acts on the first of the ids that exists: if an id has no prefix, its kind is not known, and `ids` has one id of
   * each kind.
   */
  const withItem = async (
    ids: PossibleInboxIds,
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
    /** A page of the open items that the user may see, newest first. */
    list: async (actor: Actor, query: InboxQuery): Promise<Page<InboxItem>> => {
      const needsBea = query.kind === undefined || query.kind === 'bea'
      return store.page(actor.workspace_id, query, needsBea ? await visibleBeaMessages(actor) : [])
    },

    /**
     * Files an item, or assigns it to a user.
     *
     * @throws Failure as `ItemActions`
     */
    file: (actor: Actor, ids: PossibleInboxIds, input: FilingInput) =>
      withItem(ids, ({ file }, id) => file(actor, id, input)),

    /** Takes an item out of the inbox without filing it. @throws Failure as `ItemActions` */
    dismiss: (actor: Actor, ids: PossibleInboxIds) => withItem(ids, ({ dismiss }, id) => dismiss(actor, id)),

    /** Brings an item back into the inbox. @throws Failure as `ItemActions` */
    reopen: (actor: Actor, ids: PossibleInboxIds) => withItem(ids, ({ reopen }, id) => reopen(actor, id)),

    /** The mail and documents that are related to a document. @throws Failure DOCUMENT_NOT_FOUND */
    related: (actor: Actor, documentId: string): Promise<Related> =>
      store.related(actor.workspace_id, documentId),
  }
}
