import { describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { getsById } from '#store/batch.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { sharedTable } from '#test/support/table.ts'

describe('keys of many records', () => {
  it('are those that ElectroDB gives', async () => {
    const cases = caseEntity(await sharedTable())
    const workspace_id = newId('workspace')
    const ids = Array.from({ length: 5 }, () => newId('case'))
    const get = (id: string) => cases.get({ workspace_id, id })

    const keys = getsById(ids, get).map((operation) => operation.params())

    expect(keys).toEqual(ids.map((id) => ({ Key: get(id).params<{ Key: object }>().Key })))
  })

  it('are refused where an id is not in its key as it is', () => {
    const get = (id: string) => ({ params: () => ({ Key: { pk: id.toUpperCase() } }) })

    expect(() => getsById(['one', 'two', 'three'], get)).toThrow('does not contain its id unchanged')
  })
})
