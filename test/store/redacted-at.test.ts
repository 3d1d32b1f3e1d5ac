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

it('other fields keep the names of their members', () => {
  expect(redactedAt({ to: [{ 'Anna Meier': 'Anna Meier' }] }, ['to', '*'], redact)).toEqual({
    to: [{ 'Anna Meier': '[gelöscht]' }],
  })
})
