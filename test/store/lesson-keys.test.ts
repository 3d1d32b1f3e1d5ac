import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { lessonKeys } from '#store/retention/case-nouns.ts'

it('names no lessons of a sender from whom no case learns: their keys would be too long for the table', () => {
  const of = { workspace_id: newId('workspace'), case_id: newId('case') }
  const keysOf = (sender: string) => lessonKeys({ ...of, teaches: { sender, references: ['3o45/26'] } })

  expect(keysOf('poststelle@finanzamt-neustadt.de')).toHaveLength(2)
  expect(keysOf(`${'𐐨'.repeat(290)}@finanzamt-neustadt.de`)).toEqual([])
})
