import type { CaseUsers } from '#cases/ports.ts'
import type { MailUsers } from '#correspondence/ports.ts'
import type { DeadlineUsers } from '#deadlines/ports.ts'
import type { UserRecord, UserStore } from '#workspace/ports.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { withNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { records } from '../records.ts'
import { transact } from '../transact.ts'
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
  const { find, findAll, add, replace, change } = records<UserRecord>(db, userEntity, {
    missing: 'USER_NOT_FOUND',
  })

  const known: DeadlineUsers['known'] = async (workspaceId, ids) => {
    const users = await findAll(workspaceId, ids)
    return new Map(users.map(({ id, name, active }) => [id, { name, active }]))
  }

  return {
    find,
    known,
    add: (record) => transact(db, [add(record)]),
    page: (workspaceId, request) =>
      newestFirst(
        cursors,
        [workspaceId, 'users'],
        request,
        users.query.newest({ workspace_id: workspaceId }),
      ).then((page) => mapPage(page, (user) => withNulls(user, userEntity.nullable))),
    change: (workspaceId, id, decide) =>
      change(workspaceId, id, decide, async (before, decided) => {
        const { record, jobs } = decided
        await outbox.commit([replace(before, record)], jobs)
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
