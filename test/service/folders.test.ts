import { beforeAll, describe, expect, it } from 'vitest'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const path = '/api/v1/folders'
const make = async (body: object, by = firm) => (await by.owner('POST', path, { body })).body
const change = (id: string, body: object) => firm.owner('PATCH', `${path}/${id}`, { body })
const remove = (id: string, by = firm) => by.owner('DELETE', `${path}/${id}`)
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]

describe('folders', () => {
  it('belong to other folders and to cases, and are listed by both', async () => {
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body
    const top = await make({ name: 'Schriftsätze', case_id: kase.id })
    const inner = await make({ name: 'Gegenseite', parent_id: top.id })

    const list = async (query: string) =>
      (await firm.owner('GET', `${path}?${query}`)).body.data.map(({ id }: { id: string }) => id)

    expect(top).toEqual({
      id: expect.stringMatching(/^fld_/),
      name: 'Schriftsätze',
      parent_id: null,
      case_id: kase.id,
      created_at: expect.any(String),
    })
    expect(await list(`case_id=${kase.id}`)).toEqual([top.id])
    expect(await list(`parent_id=${top.id}`)).toEqual([inner.id])
    expect(await list('search=schriftsaetze')).toEqual([top.id])
    expect(await list('')).toEqual(expect.arrayContaining([inner.id, top.id]))
  })

  it('are renamed and moved; only the fields in the body change', async () => {
    const [one, other] = [await make({ name: 'Eins' }), await make({ name: 'Zwei' })]

    const renamed = await change(other.id, { name: 'Drei' })
    const moved = await change(other.id, { parent_id: one.id.slice(4) })
    const back = await change(other.id, { parent_id: null })

    expect(renamed.body).toMatchObject({ name: 'Drei', parent_id: null })
    expect(moved.body).toMatchObject({ name: 'Drei', parent_id: one.id })
    expect(back.body).toMatchObject({ name: 'Drei', parent_id: null })
  })

  it('cannot be moved into themselves or into folders inside them', async () => {
    const one = await make({ name: 'Eins' })
    const two = await make({ name: 'Zwei', parent_id: one.id })
    const three = await make({ name: 'Drei', parent_id: two.id })

    expect(outcome(await change(one.id, { parent_id: one.id }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(await change(one.id, { parent_id: three.id }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('that are moved into each other at the same time do not form a circle', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [await make({ name: 'Eins' }), await make({ name: 'Zwei' })]

      const answers = await Promise.all([
        change(one.id, { parent_id: other.id }),
        change(other.id, { parent_id: one.id }),
      ])

      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    }
  })

  it('can be deleted only if they are empty', async () => {
    const outer = await make({ name: 'Außen' })
    const inner = await make({ name: 'Innen', parent_id: outer.id })
    const { body } = await upload(firm.owner, {}, { folder_id: inner.id })

    expect(outcome(await remove(outer.id))).toEqual([409, 'FOLDER_NOT_EMPTY'])
    expect(outcome(await remove(inner.id))).toEqual([409, 'FOLDER_NOT_EMPTY'])
    await firm.owner('POST', `/api/v1/documents/${body.id}/assign`, { body: { folder_id: null } })
    expect((await remove(inner.id)).status).toBe(204)
    expect((await remove(outer.id)).status).toBe(204)
    expect(outcome(await remove(outer.id))).toEqual([404, 'FOLDER_NOT_FOUND'])
    expect(outcome(await change(outer.id, { name: 'Wieder' }))).toEqual([404, 'FOLDER_NOT_FOUND'])
    expect(outcome(await upload(firm.owner, {}, { folder_id: outer.id }))).toEqual([404, 'FOLDER_NOT_FOUND'])
  })

  it('that are deleted while something is added are either removed or contain it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const folder = await make({ name: `Umkämpft ${round}` })
      const [uploaded, made, removed] = await Promise.all([
        upload(firm.owner, {}, { folder_id: folder.id }),
        firm.owner('POST', path, { body: { name: 'Unterordner', parent_id: folder.id } }),
        remove(folder.id),
      ])

      const isGone = removed.status === 204
      expect(outcome(removed)).toEqual(isGone ? [204, undefined] : [409, 'FOLDER_NOT_EMPTY'])
      if (isGone) expect([uploaded.status, made.status]).toEqual([404, 404])
      else expect([uploaded.status, made.status]).toContain(201)
    }
  })

  it('of another workspace cannot be used', async () => {
    const foreign = await make({ name: 'Fremd' }, stranger)

    expect(outcome(await change(foreign.id, { name: 'Meins' }))).toEqual([404, 'FOLDER_NOT_FOUND'])
    expect(outcome(await remove(foreign.id))).toEqual([404, 'FOLDER_NOT_FOUND'])
    expect(outcome(await firm.owner('POST', path, { body: { name: 'In', parent_id: foreign.id } }))).toEqual([
      404,
      'FOLDER_NOT_FOUND',
    ])
    expect((await firm.owner('GET', `${path}?parent_id=${foreign.id}`)).body.data).toEqual([])
  })

  it.each([
    { name: '' },
    { name: 'a'.repeat(501) },
    {},
    { name: 'a', parent_id: 5 },
  ])('refuse %j with 400', async (body) => {
    expect(outcome(await firm.owner('POST', path, { body }))).toEqual([400, 'VALIDATION_ERROR'])
  })
})
