import { beforeAll, describe, expect, it } from 'vitest'
import type { CaseRecord } from '#cases/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { newId } from '#kernel/id.ts'
import type { PartyRecord } from '#parties/ports.ts'
import type { Db } from '#store/db.ts'
import { expectedIds, ids, moments, optional, set, someDays, zones } from '#test/support/export-row-days.ts'
import { exportFirm, idAt } from '#test/support/export-sources.ts'
import { ownTable } from '#test/support/own-table.ts'
import fc from '#test/support/properties.ts'

let db: Db
beforeAll(async () => {
  db = await ownTable()
})

describe('the rows of cases', () => {
  it('are those of the days and values asked for, in the order of creation, by any combination', async () => {
    const firm = exportFirm(db)
    const records: CaseRecord[] = []
    for (const [at, moment] of [...moments, ...moments].entries())
      records.push(
        await firm.addCase({
          id: idAt('case', moment),
          status: (['active', 'closed', 'archived'] as const)[at % 3] ?? 'active',
          type: ['litigation', 'Größe & mehr', null][at % 5] ?? null,
          dezernat: at % 2 === 0 ? 'Erbrecht' : null,
        }),
      )
    const filters = fc.record({
      status: optional('active', 'closed', 'archived'),
      type: optional('litigation', 'Größe & mehr', 'unbekannt'),
      dezernat: optional('Erbrecht', 'Mietrecht'),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, fc.boolean(), async (range, values, zone, whole) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('cases', {
          filters: asked,
          time_zone: zone,
          fields: whole ? ['description'] : ['name'],
        })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
  })

  it('show every field alike, whether or not the records are read', async () => {
    const firm = exportFirm(db)
    const record = await firm.addCase({ type: 'litigation', description: 'Öffentlich', name: 'Weiß' })
    const fields = ['file_number', 'name', 'status', 'type', 'dezernat', 'id', 'created_at'] as const

    const [whole] = await firm.rows('cases', { fields: [...fields, 'description', 'updated_at'] })
    const [listed] = await firm.rows('cases', { fields: [...fields] })

    const expected = Object.fromEntries(fields.map((field) => [field, record[field]]))
    expect(listed).toMatchObject(expected)
    expect(whole).toMatchObject({
      ...expected,
      description: record.description,
      updated_at: record.updated_at,
    })
  })
})

describe('the rows of parties', () => {
  it('are those of the days and the type asked for, in the order of creation', async () => {
    const firm = exportFirm(db)
    const records: PartyRecord[] = []
    for (const [at, moment] of moments.entries())
      records.push(
        await firm.addParty({
          id: idAt('party', moment),
          type: at % 3 === 0 ? 'organization' : 'person',
        }),
      )

    await fc.assert(
      fc.asyncProperty(someDays, optional('person', 'organization'), zones, async (range, type, zone) => {
        const asked = { ...range, ...set({ type }) }

        const rows = await firm.rows('parties', { filters: asked, time_zone: zone })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
    const [first] = await firm.rows('parties')
    expect(first).toEqual({
      name: 'Jörg Größl',
      type: 'organization',
      email: null,
      phone: null,
      address: null,
      id: records[0]?.id,
      created_at: moments[0],
      updated_at: moments[0],
    })
  })
})

describe('the rows of documents', () => {
  it('are those of the days, case and folder asked for, in the order of creation', async () => {
    const firm = exportFirm(db)
    const cases = [await firm.addCase(), await firm.addCase()].map(({ id }) => id)
    const folder_id = await firm.addFolder('Posteingang')
    const records: DocumentRecord[] = []
    for (const [at, moment] of moments.entries())
      records.push(
        await firm.addDocument({
          id: idAt('document', moment),
          case_id: cases[at % 3] ?? null,
          folder_id: at % 2 === 0 ? folder_id : null,
        }),
      )
    const filters = fc.record({
      case_id: optional(...cases, newId('case')),
      folder_id: optional(folder_id, newId('folder')),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, async (range, values, zone) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('documents', { filters: asked, time_zone: zone })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
  })

  it('have the names of case and folder only where they are asked for', async () => {
    const firm = exportFirm(db)
    const { id: case_id, file_number } = await firm.addCase()
    const folder_id = await firm.addFolder('Anträge')
    await firm.addDocument({ case_id, folder_id })
    await firm.addDocument()

    const named = await firm.rows('documents', { fields: ['file_number', 'folder_name'] })
    const bare = await firm.rows('documents', { fields: ['case_id', 'folder_id'] })

    expect(named).toMatchObject([
      { case_id, file_number, folder_id, folder_name: 'Anträge' },
      { case_id: null, file_number: null, folder_id: null, folder_name: null },
    ])
    expect(bare).toMatchObject([{ case_id, folder_id, file_number: null, folder_name: null }, {}])
  })

  it('have none of an upload that did not arrive in time', async () => {
    const firm = exportFirm(db)
    const upload_expires_at = '2026-05-01T12:00:00.000Z'
    const { id } = await firm.addDocument({ upload_expires_at })

    const before = await firm.rows('documents', { now: new Date('2026-05-01T11:59:59.000Z') })
    const after = await firm.rows('documents', { now: new Date('2026-05-01T12:00:01.000Z') })

    expect(ids(before)).toEqual([id])
    expect(after).toEqual([])
  })
})
