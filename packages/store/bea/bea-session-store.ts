import type {
  BeaKeyStore,
  BeaLoginRecord,
  BeaLoginStore,
  BeaSessionStore,
  StoredSession,
} from '#bea/sessions/session-ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { type Db, strongly, unlessRefused } from '../db.ts'
import { change, demand, erase, isMade, put, transact } from '../transact.ts'
import { beaAccountEntity, beaKeyEntity } from './bea-account-entity.ts'
import { beaLoginEntity, beaSessionEntity } from './bea-session-entity.ts'

/** DynamoDB may remove what nobody has used for a day. */
const keptSeconds = 86_400

const ttlAfter = (date: Date) => Math.ceil(date.getTime() / 1_000) + keptSeconds

/** Sessions of beA in the table, sealed by the caller. */
export function beaSessionStore(db: Db): BeaSessionStore {
  const sessions = beaSessionEntity(db)
  const accounts = beaAccountEntity(db)

  return {
    find: async (owner) => {
      const { data } = await sessions.get(owner).go(strongly)
      return sessionOf(data) ?? undefined
    },

    // To take a lease is no change that the caller of a request asked for.
    claim: (owner, { holder, now, until, yields = false }) =>
      bookkeeping(async () => {
        const claim = sessions
          .upsert({ ...owner, holder, leased_until: until.getTime(), ttl: ttlAfter(until) })
          .where((held, { notExists, lte, eq }) => {
            const isOver = (end: typeof held.leased_until) => lte(end, now.getTime())
            const isFree = `(${notExists(held.holder)} OR ${isOver(held.leased_until)})`
            // The client repeats a call whose answer was lost.
            const isOurs = eq(held.holder, holder)
            if (!yields) return `${isFree} OR ${isOurs}`
            return `${isOurs} OR (${isFree} AND (${notExists(held.wanted_until)} OR ${isOver(held.wanted_until)}))`
          })
        const answer = await claim.go({ response: 'all_new', originalErr: true }).catch(unlessRefused)
        return answer && { stored: sessionOf(answer.data) }
      }),

    want: (owner, until) =>
      bookkeeping(async () => {
        const wanted = sessions.patch(owner).set({ wanted_until: until.getTime() })
        await isMade(transact(db, [change(wanted)]))
      }),

    isWanted: async (owner, now) => {
      const { data } = await sessions.get(owner).go({ ...strongly, attributes: ['wanted_until'] })
      return (data?.wanted_until ?? 0) > now.getTime()
    },

    keep: (owner, { holder, until, session }) =>
      bookkeeping(async () => {
        const kept = sessions
          .patch(owner)
          .set({
            ...(until && { leased_until: until.getTime() }),
            ...(session && { ...session, ttl: ttlAfter(new Date(session.last_used_at)) }),
          })
          .remove([
            ...(until === null ? (['holder', 'leased_until'] as const) : []),
            ...(session === null ? (['sealed', 'since', 'last_used_at'] as const) : []),
          ])
          .where((held, { eq }) => eq(held.holder, holder))
        return isMade(transact(db, [change(kept)]))
      }),

    begin: (owner, { holder, until, session, loggedOut }) => {
      const { workspace_id, account_id: id } = owner
      const begun = sessions
        .patch(owner)
        .set({ ...session, leased_until: until.getTime(), ttl: ttlAfter(until) })
        .where((held, { eq }) => eq(held.holder, holder))
      const key = { workspace_id, id }
      const connected =
        loggedOut === null
          ? demand(
              accounts
                .remove(key)
                .where(
                  ({ disconnected_at, logged_out }, { notExists }) =>
                    `${notExists(disconnected_at)} AND ${notExists(logged_out)}`,
                ),
            )
          : change(
              accounts
                .patch(key)
                .remove(['logged_out'])
                .add({ version: 1 })
                .where(
                  ({ disconnected_at, logged_out }, { notExists, eq }) =>
                    `${notExists(disconnected_at)} AND ${eq(logged_out, loggedOut)}`,
                ),
            )
      return isMade(transact(db, [change(begun), connected]))
    },

    remove: (owner) => transact(db, [erase(sessions.delete(owner))]),
  }
}

/** Sealed keys of beA in the table. */
export function beaKeyStore(db: Db): BeaKeyStore {
  const keys = beaKeyEntity(db)
  return {
    find: async (owner) => {
      const { data } = await keys.get(owner).go(strongly)
      return data?.sealed
    },
  }
}

/** Logins with a card in the table, sealed by the caller. */
export function beaLoginStore(db: Db): BeaLoginStore {
  const logins = beaLoginEntity(db)
  return {
    put: (change) => {
      const { record } = change
      const item = { ...record, ttl: ttlAfter(new Date(record.expires_at)) }
      return transact(db, [put(logins.put(item))], change)
    },

    take: async ({ workspace_id, id, user_id, step }, now) => {
      const { data } = await logins.get({ workspace_id, id }).go(strongly)
      if (data === null || data.user_id !== user_id || data.step !== step) return undefined
      if (data.expires_at <= now.toISOString()) return undefined
      const { ttl: _, ...record } = data
      const taken = logins
        .remove({ workspace_id, id })
        .where((login, { eq }) => `${eq(login.step, step)} AND ${eq(login.sealed, record.sealed)}`)
      return (await isMade(transact(db, [erase(taken)]))) ? (record satisfies BeaLoginRecord) : undefined
    },
  }
}

function sessionOf(item: Partial<StoredSession> | null): StoredSession | null {
  if (!item?.sealed || !item.since || !item.last_used_at) return null
  return { sealed: item.sealed, since: item.since, last_used_at: item.last_used_at }
}
