import { beforeAll, expect, it } from 'vitest'
import { type Cursors, encryptedCursors, tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { sharedTable } from '#test/support/table.ts'

let db: Db
let cursors: Cursors
beforeAll(async () => {
  db = await sharedTable()
  cursors = encryptedCursors(db)
})

const binding = ['ws_1', 'search', 'Klage', undefined]

it('an encrypted cursor has its position for the same list alone, and does not show it', async () => {
  const cursor = await cursors.seal(binding, 'Zur Stelle 7')
  // Act
  const opened = await encryptedCursors(db).open(binding, cursor)
  // Assess
  expect(opened).toBe('Zur Stelle 7')
  expect(Buffer.from(cursor, 'base64url').includes('Stelle')).toBe(false)
  await expect(cursors.open(['ws_2', 'search', 'Klage', undefined], cursor)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  })
})

it.each([
  ['nothing', () => ''],
  ['a word', () => 'abc'],
  ['a cut one', (cursor: string) => cursor.slice(0, -4)],
  ['a changed one', (cursor: string) => `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`],
  ['one in other letters', (cursor: string) => `${cursor}=`],
])('%s is refused as a cursor', async (_, change) => {
  const cursor = await cursors.seal(binding, '7')

  await expect(cursors.open(binding, change(cursor))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})

it('a signed cursor is no encrypted one', async () => {
  const signed = await tableCursors(db).seal(binding, 'a position of some length, as others have')

  await expect(cursors.open(binding, signed)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})
