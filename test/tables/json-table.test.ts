import { describe, expect, it } from 'vitest'
import { jsonTable } from '#tables/json-table.ts'
import { columnsOf, columnsOfAllTypes, written } from './tables.ts'

/** Tables as JSON (X3). */

const json = jsonTable((rowCount) => ({ config_id: 'exp_1', row_count: rowCount }))

describe('a table as JSON', () => {
  it('has the rows, and meta with the number of rows', async () => {
    const rows = [{ first: 'a' }, { first: 'b' }, { first: 'c' }]
    const file = await written(json, columnsOf('text', 'first'), rows.slice(0, 1), rows.slice(1))

    expect(JSON.parse(file.toString())).toEqual({ data: rows, meta: { config_id: 'exp_1', row_count: 3 } })
  })

  it('without rows has an empty list', async () => {
    const file = await written(json, columnsOf('text', 'first'))

    expect(JSON.parse(file.toString())).toEqual({ data: [], meta: { config_id: 'exp_1', row_count: 0 } })
  })

  it('has only the fields of the columns, in their order, and null for an empty cell', async () => {
    const file = await written(json, columnsOf('text', 'second', 'first', 'third'), [
      { first: 'a', third: null, more: 'x', second: 'b' },
    ])

    expect(file.toString()).toContain('{"second":"b","first":"a","third":null}')
    expect(file.toString()).not.toContain('more')
  })

  it('has decimals as strings with all places, numbers, booleans, days, and moments in UTC', async () => {
    const row = {
      text: '=1+1',
      number: -5,
      decimal: '1.50',
      amount: '-1234.50',
      boolean: false,
      date: '1899-12-31',
      timestamp: '2026-03-29T01:00:00.123Z',
    }
    const file = await written(json, columnsOfAllTypes, [row])

    expect(JSON.parse(file.toString()).data).toEqual([row])
  })

  it('keeps every character, also a lone surrogate', async () => {
    const text = '\0\u0001"\\\r\n\u2028😀\uD800x\uFFFF'
    const file = await written(json, columnsOf('text', 'first'), [{ first: text }])

    expect(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file)).data).toEqual([{ first: text }])
  })
})
