import { expect, it } from 'vitest'
import { redactedAt } from '#store/retention/case-texts.ts'

const redact = (text: string) => text.replaceAll('Anna Meier', '[gelöscht]')

it('metadata lose a party in names of members too, at every depth', () => {
  const metadata = JSON.stringify({
    'Anna Meier': { rolle: 'Klägerin', 'von Anna Meier': ['Anna Meier', 1] },
  })

  const after = redactedAt({ id: 'doc_1', metadata }, ['metadata', 'json', '**'], redact)

  expect(after).toEqual({
    id: 'doc_1',
    metadata: '{"[gelöscht]":{"rolle":"Klägerin","von [gelöscht]":["[gelöscht]",1]}}',
  })
})

it('members whose names become the same are all kept, also if they are redacted again', () => {
  const redactBoth = (text: string) => text.replaceAll(/Anna Meier|Meier, Anna/g, '[gelöscht]')
  const metadata = { 'Anna Meier': 1, 'Meier, Anna': 2, '[gelöscht]': 3 }

  const after = redactedAt(metadata, ['**'], redactBoth)

  expect(after).toEqual({ '[gelöscht]': 1, '[gelöscht] (2)': 2, '[gelöscht] (3)': 3 })
  expect(redactedAt(after, ['**'], redactBoth)).toEqual(after)
})

it('other fields keep the names of their members', () => {
  expect(redactedAt({ to: [{ 'Anna Meier': 'Anna Meier' }] }, ['to', '*'], redact)).toEqual({
    to: [{ 'Anna Meier': '[gelöscht]' }],
  })
})
