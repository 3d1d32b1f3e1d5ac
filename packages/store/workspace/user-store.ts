import type { CaseUsers } from '#cases/ports.ts'
import type { MailUsers } from '#correspondence/ports.ts'
import type { DeadlineUsers } from '#deadlines/ports.ts'
import type { UserChange, UserRecord, UserStore } from '#workspace/ports.ts'
import { changesOf } from '../changes.ts'
import { allPages } from '../db.ts'
import { mapPage, newestFirst } from '../newest-first.ts'
import { records } from '../records.ts'
import type { StoreDeps } from '../store-deps.ts'
import { userEntity } from './user-entity.ts'

/** Users in the table. */
export function userStore(deps: StoreDeps): UserStore & CaseUsers & MailUsers & Pick<DeadlineUsers, 'known'> {
  const { db, cursors } = deps
  const users = userEntity(db)
  const userRecords = records<UserRecord>(db, userEntity, { missing: 'USER_NOT_FOUND' })
  const { find, findAll } = userRecords
  const { add, change } = changesOf<UserRecord, Pick<UserChange, 'remaining'>>(deps, userRecords, {
    events: 'none',
    follow: (_before, _after, { remaining }) => ({
      actions: remaining === undefined ? [] : [userRecords.unchanged(remaining)],
    }),
  })

  const known: DeadlineUsers['known'] = async (workspaceId, ids) => {
    const users = await findAll(workspaceId, ids)
    return new Map(users.map(({ id, name, active }) => [id, { name, active }]))
  }

  return {
    find,
    known,
    add,
    change,
    page: async (workspace_id, request) => {
      const query = users.query.newest({ workspace_id })
      const page = await newestFirst(cursors, [workspace_id, 'users'], request, query)
      return mapPage(page, userRecords.recordOf)
    },
    emails: async (workspace_id) => {
      const { data } = await users.query.newest({ workspace_id }).go(allPages)
      return data.map(({ email }) => email)
    },
    names: async (workspaceId, ids) => {
      const found = await known(workspaceId, ids)
      return new Map([...found].map(([id, { name }]) => [id, name]))
    },
  }
}
