import { describe, expect, it } from 'vitest'
import { actor, court, sendingSetup } from './sending-setup.ts'

/**
 * Sending a document by beA requires the scope to read documents. Otherwise the holder of a key that may only write
 * could send every document to themselves.
 */

const writer = { ...actor, scopes: ['bea:write' as const] }

async function setup() {
  const it = sendingSetup()
  const { id } = it.aDocument()
  const written = {
    account_id: it.account.id,
    to: [{ name: 'Landgericht', bea_id: court }],
    subject: 'Klage',
  }
  const blank = { ...(await it.service.create(writer, written)) }
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      ({ code }) => code as string,
    )
  return { ...it, id, written, blank, codeOf }
}

describe('a key without documents:read', () => {
  it.each([
    ['creates no draft with a document', 'create'],
    ['adds no document to a draft', 'save'],
    ['sends no draft to which somebody else attached a document', 'send'],
  ] as const)('%s', async (_, act) => {
    const { service, id, written, blank, codeOf, aDraft, records } = await setup()
    const before = records.size
    const code = await codeOf(
      act === 'create'
        ? service.create(writer, { ...written, attachments: [id] })
        : act === 'save'
          ? service.save(writer, blank.id, { attachments: [id] }, () => {})
          : service.send(writer, (await aDraft({ attachments: [id] })).id, { rename: null }),
    )

    expect(code).toBe('AUTH_INSUFFICIENT_SCOPE')
    expect(records.size).toBe(act === 'send' ? before + 1 : before)
    expect([...records.values()].map(({ state }) => state)).not.toContain('sending')
  })

  it('does not learn whether a document exists', async () => {
    const { service, id, written, codeOf } = await setup()
    const create = (one: string) => codeOf(service.create(writer, { ...written, attachments: [one] }))

    expect(await create(id)).toBe(await create('doc_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11'))
  })

  it('saves drafts without documents, and removes documents from drafts', async () => {
    const { service, id, blank, aDraft } = await setup()
    const draft = await aDraft({ attachments: [id] })

    const subject = await service.save(writer, blank.id, { subject: 'Anfrage' }, () => {})
    const without = await service.save(writer, draft.id, { attachments: [] }, () => {})

    expect([subject.subject, without.attachments]).toEqual(['Anfrage', []])
  })
})
