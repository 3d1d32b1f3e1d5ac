import { writeAll } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { partyEntity } from '#store/parties/party-entity.ts'

/** A name that sounds like no other of a hundred thousand: five syllables of ten. */
export function nameOf(number: number): string {
  const parts = [...String(number).padStart(5, '0')].map((digit) => syllables[Number(digit)])
  const surname = parts.join('')
  return `Anna ${surname.charAt(0).toUpperCase()}${surname.slice(1)}`
}

const syllables = ['ba', 'dor', 'fel', 'gim', 'kan', 'lus', 'mor', 'nip', 'rag', 'sut']

export function idOf(number: number): string {
  return `pty_01a20bab-${(number >> 16).toString(16).padStart(4, '0')}-7000-8000-${number.toString(16).padStart(12, '0')}`
}

/** Writes parties that no release has entered in the name lists. */
export async function writeUnfiledParties(db: Db, workspace_id: string, count: number): Promise<void> {
  const parties = partyEntity(db)
  const time = '2026-01-01T00:00:00.000Z'
  const puts = Array.from({ length: count }, (_, number) => {
    const [id, name] = [idOf(number), nameOf(number)]
    const times = { created_at: time, updated_at: time }
    const summary = { id, type: 'person', name, email: null, phone: null, address: null, ...times }
    const entry = {
      pk: `${workspace_id}#parties#all`,
      sk: id,
      data: JSON.stringify({ summary, filters: ['is:type=person'] }),
    }
    return [
      parties.put({ workspace_id, id, type: 'person', name, ...times, changed_at: time, version: 1 }),
      { params: () => ({ Item: entry }) },
    ]
  })
  await writeAll(db, puts.flat())
}
