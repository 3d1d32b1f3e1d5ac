import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Scope } from '#kernel/scope.ts'
import type { Api } from '#test/support/api.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { indexed, search } from '#test/support/search.ts'

/** A key finds what it may read (T3), and hits, counts and snippets tell nothing of other records. */

const word = 'Vergleichsangebot'

let firm: Firm
let records: Record<'document' | 'mail' | 'open' | 'confidential' | 'foreign', string>
let office: Awaited<ReturnType<typeof beaOffice>>
beforeAll(async () => {
  firm = await newFirm()
  const { owner } = firm
  office = await beaOffice(firm)
  const other = await beaOffice({ ...firm, ownerUser: (await firm.colleague()).user })
  const open = await office.receive({ subject: `${word} offen`, attachments: [] })
  const confidential = await office.receive({
    subject: `${word} geheim: Kündigung`,
    is_confidential: true,
    attachments: [],
  })
  const foreign = await other.receive({ subject: `${word} fremd`, attachments: [] })
  const mail = await arrived(firm, { subject: 'Angebot', text: `Unser ${word} per Mail.` })
  const { body } = await upload(owner, {
    bytes: `Das ${word} als Text. Er kündigt, die Kündigungsfrist läuft.`,
    filename: 'Angebot.txt',
  })
  await settled(owner, body.id)
  // A message is indexed once more as soon as it is judged.
  const isJudged = async (id: string) => (await office.store.find(firm.workspace.id, id))?.inbox?.is_judged
  for (const id of [open, confidential, foreign])
    await vi.waitUntil(() => isJudged(id), { timeout: 90_000, interval: 200 })
  await indexed(owner)
  records = { document: body.id, mail: mail.id, open, confidential, foreign }
})

type Name = keyof typeof records

const shown = async (caller: Api, query: Record<string, string> = {}) => {
  const answer = await search(caller, word, query)
  const names = answer.data.map(({ id }: { id: string }) =>
    (Object.keys(records) as Name[]).find((name) => records[name] === id),
  )
  expect([answer.total_is_exact, answer.index]).toMatchObject([true, { pending: 0, incomplete: false }])
  return { names: names.toSorted(), total: answer.total, text: JSON.stringify(answer) }
}

describe('a key of the lawyer who connected the postbox', () => {
  it.each([
    [['documents:read'], ['document']],
    [['inbox:read'], ['mail']],
    [['bea:read'], ['confidential', 'open']],
    [
      ['documents:read', 'inbox:read'],
      ['document', 'mail'],
    ],
    [
      ['documents:read', 'inbox:read', 'bea:read'],
      ['confidential', 'document', 'mail', 'open'],
    ],
    [['documents:write', 'documents:read', 'bea:write', 'bea:admin', 'inbox:write'], ['document']],
  ] as [Scope[], Name[]][])('with %j finds %j, and counts no more', async (scopes, expected) => {
    const { names, total, text } = await shown(await firm.withScopes(...scopes))

    expect([names, total]).toEqual([expected, expected.length])
    expect(text).not.toContain('fremd')
    if (!expected.includes('confidential')) expect(text).not.toContain('geheim')
  })

  it.each([
    ['document', ['inbox:read', 'bea:read']],
    ['mail', ['documents:read', 'bea:read']],
    ['bea', ['documents:read', 'inbox:read', 'bea:write']],
  ] as [string, Scope[]][])('may not ask for the kind %s without its scope', async (kind, scopes) => {
    const caller = await firm.withScopes(...scopes)
    const { status, body } = await caller('GET', `/api/v1/search?q=${word}&kind=${kind}`)

    expect([status, body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })

  it('finds no compound through a word of a message that it may not read', async () => {
    const reader = await firm.withScopes('documents:read')
    const ofAll = await firm.withScopes('documents:read', 'bea:read')
    const totals = async (caller: Api) => [
      (await search(caller, 'Kündigung')).total,
      (await search(caller, 'Frist')).total,
    ]

    // The compound `Kündigungsfrist` of the document is found if `Kündigung` is a word too.
    expect([await totals(reader), await totals(ofAll)]).toEqual([
      [0, 0],
      [1, 1],
    ])
  })

  it('without any of the scopes is refused', async () => {
    const caller = await firm.withScopes('cases:read', 'documents:write', 'workspace:admin')

    expect((await caller('GET', `/api/v1/search?q=${word}`)).status).toBe(403)
  })
})

describe('a colleague', () => {
  it.each([
    [[], []],
    [['01'], []],
    [['06'], ['open']],
    [['07'], ['open']],
    [['11'], []],
    [
      ['06', '11'],
      ['confidential', 'open'],
    ],
    [['12', '01'], ['confidential']],
    [['03', '05', '08', '13', '14'], []],
  ] as [
    Parameters<typeof office.grant>[1][],
    Name[],
  ][])('with the rights %j at the postbox finds %j of its messages, and counts no more', async (rights, expected) => {
    const { user, api } = await firm.colleague()
    if (rights.length > 0) await office.grant(user.id, ...rights)

    const { names, total, text } = await shown(api, { kind: 'bea' })

    expect([names, total]).toEqual([expected, expected.length])
    if (!expected.includes('confidential')) expect(text).not.toContain('geheim')
    if (!expected.includes('open')) expect(text).not.toContain('offen')
  })

  it('finds nothing any more as soon as a right is withdrawn', async () => {
    const { user, api } = await firm.colleague()
    await office.grant(user.id, '06')
    const before = await shown(api, { kind: 'bea' })
    await firm.owner('DELETE', '/api/v1/bea/permissions', {
      body: { account_id: office.account.id, user_id: user.id, rights: ['06'] },
    })
    const after = await shown(api, { kind: 'bea' })

    expect([before.names, after.names, after.total]).toEqual([['open'], [], 0])
  })
})
