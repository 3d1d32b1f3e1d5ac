import type { BeaMessageChange, BeaMessageRecord, BeaMessageStore } from '#bea/ports.ts'
import type { Unimported, UnimportedStore } from '#bea/sync/unimported-ports.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'

/** Imported messages in memory. */
export function memoryBeaMessages() {
  const records = new Map<string, BeaMessageRecord>()
  const changes: BeaMessageChange[] = []
  const sameMessage = (
    one: BeaMessageRecord,
    other: Pick<BeaMessageRecord, 'postbox_safe_id' | 'remote_id'>,
  ) => one.postbox_safe_id === other.postbox_safe_id && one.remote_id === other.remote_id
  const store: Omit<BeaMessageStore, 'page'> = {
    find: async (_, id) => records.get(id),
    findAll: async (_, ids) => ids.flatMap((id) => records.get(id) ?? []),
    known: async (_, postbox_safe_id, remoteIds) =>
      new Map(
        [...records.values()]
          .filter((one) => remoteIds.some((remote_id) => sameMessage(one, { postbox_safe_id, remote_id })))
          .map(({ remote_id, id, account_id, folder, direction, receipt }) => [
            remote_id,
            { id, account_id, folder, direction, receipt },
          ]),
      ),
    add: async (change) => {
      const known = [...records.values()].find((one) => sameMessage(one, change.record))
      if (known !== undefined) return known.id
      records.set(change.record.id, change.record)
      changes.push(change)
      return change.record.id
    },
    change: async (_, id, decide) => {
      const before = records.get(id)
      if (before === undefined) throw notFound('BEA_MESSAGE_NOT_FOUND')
      const decided = decide(before)
      if (decided.record === undefined) return unchanged(decided.answer)
      records.set(id, decided.record)
      changes.push(decided)
      return unchanged(decided.answer)
    },
  }
  const missed = new Map<string, Unimported>()
  const unimported: UnimportedStore = {
    list: async () => [...missed.values()],
    put: async (_, message) => void missed.set(message.remote_id, message),
    remove: async (_, remoteId) => void missed.delete(remoteId),
  }
  return { store, unimported, missed, records, changes }
}
