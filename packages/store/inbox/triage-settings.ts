import { mailboxOf } from '#correspondence/address-schema.ts'
import { notFound } from '#kernel/failure.ts'
import type { FindTriageSettings } from '#triage/ports.ts'
import type { Cursors } from '../cursor.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { searchableList } from '../search.ts'
import { userEntity } from '../workspace/user-entity.ts'
import { workspaceEntity } from '../workspace/workspace-entity.ts'

/** How file numbers are written if there is no case yet: as the service makes them. */
const usualForm = '0001/26'

/**
 * The form of file numbers is taken from this number of the newest cases: a single case may have a number in another
 * form.
 */
const sampled = 20

/**
 * The triage settings of a workspace. Its newest cases show how it writes file numbers.
 *
 * @throws Failure WORKSPACE_NOT_FOUND
 */
export function triageSettings({ db, cursors }: { db: Db; cursors: Cursors }): FindTriageSettings {
  const workspaces = workspaceEntity(db)
  const users = userEntity(db)
  const cases = searchableList(db, cursors, 'cases')

  return async (workspaceId) => {
    const [{ data: workspace }, { data: members }, newest] = await Promise.all([
      workspaces.get({ id: workspaceId }).go(strongly),
      users.query.newest({ workspace_id: workspaceId }).go(allPages),
      cases.newest<{ file_number: string }>(workspaceId, {}, sampled),
    ])
    if (workspace === null) throw notFound('WORKSPACE_NOT_FOUND')
    return {
      own_mailboxes: [workspace.inbound_address, ...members.map(({ email }) => email)].map(mailboxOf),
      deactivated_users: members.flatMap(({ id, active }) => (active ? [] : [id])),
      auto_file: workspace.auto_file,
      file_number_form: usual(newest.items.map(({ file_number }) => file_number)),
    }
  }
}

/**
 * The newest of the numbers that are written as most of them are. Numbers that do not consist of two numbers do not
 * count.
 */
function usual(numbers: string[]): string {
  const forms = Map.groupBy(
    numbers.filter((number) => /^\d{1,6} ?[/-] ?\d{1,6}( \p{L}+)?$/u.test(number)),
    (number) => number.replace(/ \p{L}+$/u, '').replace(/\d/g, '0'),
  )
  const [most = []] = [...forms.values()].toSorted((one, other) => other.length - one.length)
  return most[0] ?? usualForm
}
