import type { CaseUsers } from '#cases/ports.ts'
import type { MailUsers } from '#correspondence/ports.ts'
import type { DeadlineUsers } from '#deadlines/ports.ts'
import { notFound } from '#kernel/failure.ts'
import type { UserRecord, UserStore } from '#workspace/ports.ts'
import { getsById, readAll } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { rewrite } from '../rewrite.ts'
import { put, retryStale, transact } from '../transact.ts'
import { userEntity } from './user-entity.ts'

/** Users in the table. */
export function userStore({
  db,
  cursors,
  outbox,
}: {
  db: Db
  cursors: Cursors
  outbox: Outbox
}): UserStore & CaseUsers & MailUsers & Pick<DeadlineUsers, 'known'> {
  const users = userEntity(db)

  const find = async (workspaceId: string, id: string): Promise<UserRecord | undefined> => {
    const { data } = await users.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : withNulls(data, userEntity.nullable)
  }

  const known: DeadlineUsers['known'] = async (workspaceId, ids) => {
    const gets = getsById(ids, (id) => users.get({ workspace_id: workspaceId, id }))
    const found = new Map<string, { name: string; active: boolean }>()
    for (const item of await readAll(db, gets)) {
      const { data } = users.parse({ Item: item })
      if (data) found.set(data.id, { name: data.name, active: data.active })
    }
    return found
  }

  return {
    find,
    known,
    add: (record) => transact(db, [put(users.create(withoutNulls(record)))]),
    page: (workspaceId, request) =>
      newestFirst(
        cursors,
        [workspaceId, 'users'],
        request,
        users.query.newest({ workspace_id: workspaceId }),
      ).then((page) => mapPage(page, (user) => withNulls(user, userEntity.nullable))),
    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await find(workspaceId, id)
        if (before === undefined) throw notFound('USER_NOT_FOUND')
        const decided = decide(before)
        if (decided === undefined) return before
        const { record, jobs } = decided
        const written = users
          .put(withoutNulls(record))
          .where(({ version }, { eq }) => eq(version, before.version))
        await outbox.commit([rewrite(users, written, before)], jobs)
        return record
      }),
    emails: async (workspaceId) => {
      const query = users.query.newest({ workspace_id: workspaceId })
      const { data } = await query.go({ pages: 'all', ...strongly })
      return data.map(({ email }) => email)
    },
    names: async (workspaceId, ids) => {
      const found = await known(workspaceId, ids)
      return new Map([...found].map(([id, { name }]) => [id, name]))
    },
  }
}
