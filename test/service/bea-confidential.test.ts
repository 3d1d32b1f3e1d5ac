import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import { confidentialAnswers, markingStore } from '#bea/eeb/confidential-answers.ts'
import { beaMessages } from '#bea/messages/messages.ts'
import { beaVisibility } from '#bea/rights/visibility.ts'
import { changeBy } from '#bea/sending/send-changes.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { systemClock } from '#kernel/clock.ts'
import { derivedId } from '#kernel/id.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { courtSafeId, identity, remoteAttachment } from '#test/support/bea-remote.ts'
import { unknownEeb } from '#test/support/bea-sends.ts'
import { newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

/**
 * Everything derived from a confidential message is confidential (B10): a colleague without the right 11 learns nothing
 * of it.
 */

const path = '/api/v1/bea/messages'
const secret = 'Geheimes Vergleichsangebot'
const sent = { type: 'SENT', name: null }

async function prepare() {
  const firm = await newFirm()
  const office = await beaOffice(firm)
  const colleague = await firm.colleague()
  await office.grant(colleague.user.id, '03', '05', '07', '08', '13', '14')
  const drafts = beaDraftStore(storeDeps(await sharedTable()))
  const workspace_id = firm.workspace.id
  /** Gives the receipt of a message the state in which the network took it under this id. */
  const settle = (messageId: string, remoteId: string) =>
    applyRule(drafts, workspace_id, derivedId('beaDraft', messageId, 0), (current) => {
      const change = changeBy(current, 'found', systemClock.now(), { remote_id: remoteId })
      return change && { ...change, claims: remoteId }
    })
  /** A request for a receipt whose answer is under way. */
  const answered = async (is_confidential: boolean) => {
    const asked = await office.receive({
      subject: secret,
      is_confidential,
      is_eeb_requested: true,
      attachments: [remoteAttachment('Geheimplan.pdf', '%PDF-1.7 geheim')],
    })
    await unknownEeb(workspace_id, asked)
    const id = derivedId('beaDraft', asked, 0)
    await applyRule(drafts, workspace_id, id, (current: BeaDraftRecord) => ({
      record: { ...current, account_id: office.account.id, version: current.version + 1 },
    }))
    return asked
  }
  /** The receipt in the folder of sent messages, as a synchronisation without the mark stored it. */
  const imported = (subject: string, message_id: string = randomUUID()) =>
    office.receive(
      {
        message_id,
        subject,
        sender: identity(office.account.postbox_safe_id, 'Wir'),
        recipients: [identity(courtSafeId, 'Landgericht')],
        reference_recipient: '3 O 4711/26',
        attachments: [],
      },
      sent,
    )
  const seenBy = async (query = '') => {
    const { body } = await colleague.api('GET', `${path}${query}`)
    return body.data as { id: string; subject: string | null; reference_recipient: string | null }[]
  }
  const { store } = office
  return {
    ...firm,
    ...office,
    colleague,
    drafts,
    answered,
    settle,
    imported,
    seenBy,
    answers: confidentialAnswers({ drafts, messages: store }),
  }
}

describe('the receipt of a confidential message, among what was sent', () => {
  it.each([
    '?search=Vergleichsangebot',
    '',
    '?direction=outbound',
    '?search=4711/26',
    '?unassigned=true',
  ])('that was imported without its mark is shown to nobody without the right 11 (%s)', async (query) => {
    const { answered, settle, imported, seenBy, owner, colleague } = await prepare()
    const remoteId = randomUUID()
    await settle(await answered(true), remoteId)
    const id = await imported(`Empfangsbekenntnis: ${secret}`, remoteId)

    const first = await seenBy(query)
    const second = await seenBy(query)
    const whole = await colleague.api('GET', `${path}/${id}`)

    expect(JSON.stringify([first, second])).not.toMatch(/Geheim|4711/)
    expect(whole.status).toBe(403)
    expect((await owner('GET', `${path}/${id}`)).body).toMatchObject({
      confidential: true,
      subject: `Empfangsbekenntnis: ${secret}`,
    })
  })

  it('that was imported without its mark keeps its files from them in the function that may not write', async () => {
    const { answered, settle, imported, store, drafts, colleague, ownerUser, workspace } = await prepare()
    const remoteId = randomUUID()
    await settle(await answered(true), remoteId)
    const id = await imported(`Empfangsbekenntnis: ${secret}`, remoteId)
    const messages = { ...store, change: () => Promise.reject(new Error('AccessDeniedException')) }
    const { download } = beaMessages({
      store: messages,
      answers: confidentialAnswers({ drafts, messages }),
      visibility: beaVisibility(beaAccounts({ db: await sharedTable(), clock: systemClock })),
      files: sharedBucket(),
      parties: { names: async () => new Map() },
      pageOut: async () => Promise.reject(new Error('Nothing is listed.')),
      clock: systemClock,
    })
    const downloadBy = (user_id: string) => {
      const actor = { workspace_id: workspace.id, user_id, user_name: '', key_id: '', scopes: [] }
      return download(actor, id, randomUUID()).catch(({ code }) => code)
    }

    expect(await downloadBy(colleague.user.id)).toBe('BEA_RIGHT_MISSING')
    expect(await downloadBy(ownerUser.id)).toBe('ATTACHMENT_NOT_FOUND')
  })

  it.each([
    ['once its send is known', 'Empfangsbekenntnis', true],
    ['whatever the network made of its subject', 'Nachricht 4711', true],
    ['while the answer of the network is awaited', 'Empfangsbekenntnis', false],
    ['with its subject cut', 'Empfangsb', false],
    ['without a subject', '', false],
  ])('is marked as it is imported: %s', async (_, subject, isKnown) => {
    const { answered, settle, imported, store, answers, workspace } = await prepare()
    const remoteId = randomUUID()
    const asked = await answered(true)
    if (isKnown) await settle(asked, remoteId)
    const record = await store.find(workspace.id, await imported(subject, remoteId))
    if (record === undefined) throw new Error('It was not imported.')
    const added: boolean[] = []
    const marking = markingStore(
      { add: async (change: { record: typeof record }) => `${added.push(change.record.confidential)}` },
      answers,
    )

    await marking.add({ record } as never)

    expect(added).toEqual([true])
  })

  it.each([
    ['the receipt of an open message', `Empfangsbekenntnis: ${secret}`, false],
    ['another message that was sent meanwhile', 'Klage', true],
  ])('does not hide %s', async (_, subject, isConfidential) => {
    const { answered, settle, imported, seenBy } = await prepare()
    const remoteId = randomUUID()
    await settle(await answered(isConfidential), isConfidential ? randomUUID() : remoteId)
    const id = await imported(subject, remoteId)
    expect((await seenBy('?direction=outbound')).map((one) => [one.id, one.subject])).toEqual([[id, subject]])
  })

  it('names no subject in the timeline where a person settles it', async () => {
    const { owner, answered, drafts, workspace } = await prepare()
    const asked = await answered(true)
    const { body: made } = await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })
    await applyRule(drafts, workspace.id, derivedId('beaDraft', asked, 0), (current) => ({
      record: {
        ...current,
        case_id: made.id,
        subject: `Empfangsbekenntnis: ${secret}`,
        version: current.version + 1,
      },
    }))

    const { status } = await owner('POST', `${path}/${asked}/eeb/resolve`, { body: { outcome: 'not_sent' } })

    const { data } = (await owner('GET', `/api/v1/cases/${made.id}/timeline`)).body
    expect([status, data[0].summary]).toEqual([
      200,
      'Ungeklärtes Empfangsbekenntnis als nicht gesendet festgestellt',
    ])
  })
})

describe('a confidential message that is filed', () => {
  it.each([
    'assign',
    'inbox',
  ])('makes no documents, whose names and texts everybody reads (%s)', async (how) => {
    const { owner, colleague, receive } = await prepare()
    const attachments = [
      remoteAttachment('Geheimplan.pdf', '%PDF-1.7 geheim'),
      remoteAttachment('Geheim.txt', 'Ein geheimer Text'),
    ]
    const id = await receive({ subject: secret, is_confidential: true, attachments })
    const { body: made } = await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })
    const to = how === 'assign' ? `${path}/${id}/assign` : `/api/v1/inbox/${id}/file`

    const { status } = await owner('POST', to, { body: { case_id: made.id } })

    const shown = (await owner('GET', `${path}/${id}`)).body
    const seen = await Promise.all(
      [
        `/api/v1/documents?case_id=${made.id}`,
        '/api/v1/documents?search=Geheim',
        `/api/v1/cases/${made.id}/timeline`,
        `${path}?case_id=${made.id}`,
        '/api/v1/inbox',
        '/api/v1/correspondence',
      ].map(async (one) => (await colleague.api('GET', one)).body),
    )
    expect([status, shown.case_id]).toEqual([200, made.id])
    expect(shown.attachments.map((one: { document_id: unknown }) => one.document_id)).toEqual([null, null])
    expect(JSON.stringify(seen)).not.toMatch(/geheim/i)
    const { id: attachment } = shown.attachments[1]
    const file = `${path}/${id}/attachments/${attachment}/download`
    expect((await owner('GET', file)).body).toBe('Ein geheimer Text')
    expect((await colleague.api('GET', file)).status).toBe(403)
  })
})
