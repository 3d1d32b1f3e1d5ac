import { beforeEach, describe, expect, it, vi } from 'vitest'
import { foundation } from '#foundation/foundation.ts'
import { erasureFoundation } from '#foundation/party-erasure.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { runErasures } from '#parties/erasure-run.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { partyUse } from '#store/parties/party-entity.ts'
import { arrived, judged } from '#test/support/arriving-mail.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { remoteAttachment } from '#test/support/bea-remote.ts'
import { upload } from '#test/support/documents.ts'
import { aConfig } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { untilErased } from '#test/support/run-disposals.ts'
import { indexed } from '#test/support/search.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { sharedTable } from '#test/support/table.ts'

/** The reach of an erasure beyond the record of the party, and its bounds (R2, R5). */

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const add = async (path: string, body: unknown) =>
  (await firm.owner('POST', `/api/v1/${path}`, { body })).body
const get = async (path: string) => (await firm.owner('GET', `/api/v1/${path}`)).body
const erase = (id: string) => firm.owner('POST', `/api/v1/parties/${id}/erase`)

async function erased(id: string): Promise<void> {
  expect((await erase(id)).status).toBe(200)
  await untilErased(firm, id)
}

/** A case with this name and these parties, past its time. */
async function pastCase(name: string, ...party_ids: string[]): Promise<string> {
  const { id } = await add('cases', { name })
  if (party_ids.length > 0)
    await add(
      `cases/${id}/parties`,
      party_ids.map((party) => ({ id: party, role: 'Mandantin' })),
    )
  await closedLongAgo(id)
  return id
}

async function closedLongAgo(caseId: string): Promise<void> {
  await firm.owner('PUT', `/api/v1/cases/${caseId}`, { body: { status: 'closed' } })
  await caseEntity(await sharedTable())
    .patch({ workspace_id: firm.workspace.id, id: caseId })
    .set({ closed_at: '2015-06-01T10:00:00.000Z' })
    .go()
}

async function assigned(caseId: string, partyId: string, filename: string): Promise<string> {
  const document = (await upload(firm.owner, { filename }, { case_id: caseId })).body
  await add(`documents/${document.id}/assign`, { party_ids: [partyId] })
  return document.id
}

describe('an erasure', () => {
  it('begins for a party with a long name that more cases name than a transaction has room for', async () => {
    const party = await add('parties', {
      name: 'Hans Georg K. F. W. Meier-Schulze-Kurz',
      email: 'meier-schulze-kurz@example.org',
    })
    const db = await sharedTable()
    const { workspace } = firm
    const id = await pastCase('Akte', party.id)
    const { data } = await caseEntity(db).get({ workspace_id: workspace.id, id }).go()
    const more = Array.from({ length: 59 }, () => newId('case'))
    await caseEntity(db)
      .put(more.map((one) => ({ ...(data as NonNullable<typeof data>), id: one })))
      .go()
    await partyUse(db)
      .put(more.map((named_by) => ({ workspace_id: workspace.id, party_id: party.id, named_by })))
      .go()

    const { status, body } = await erase(party.id)

    expect([status, body.cases.length]).toEqual([200, 60])
    await untilErased(firm, party.id)
  })

  it('is refused for a held case that holds only a document of the party, and nothing of it changes', async () => {
    const party = await add('parties', { name: 'Zwxzeuge Gehalten' })
    const held = await pastCase('Anderes')
    const document = await assigned(held, party.id, 'Aussage Zwxzeuge Gehalten.txt')
    await add(`cases/${held}/holds`, { reason: 'Regress' })

    const { status, body } = await erase(party.id)

    expect([status, body.error.code]).toEqual([409, 'LEGAL_HOLD'])
    expect(body.error.details[0].message).toContain(held)
    expect((await get(`documents/${document}`)).filename).toBe('Aussage Zwxzeuge Gehalten.txt')
  })

  it('is refused for an open case that only once named the party, or that was deleted while it was open', async () => {
    const party = await add('parties', { name: 'Ehemals Beteiligt' })
    const left = await add('cases', { name: 'Verlassen' })
    await add(`cases/${left.id}/parties`, [{ id: party.id, role: 'Zeuge' }])
    await firm.owner('PUT', `/api/v1/cases/${left.id}/parties`, { body: [] })
    const former = await erase(party.id)
    await firm.owner('DELETE', `/api/v1/cases/${left.id}`)

    const deleted = await erase(party.id)

    for (const { status, body } of [former, deleted]) {
      expect([status, body.error.code]).toEqual([409, 'RETENTION_APPLIES'])
      expect(body.error.details[0].message).toContain(left.file_number)
    }
  })

  it.each([
    'mail',
    'beA message',
  ])('is refused for an open case with a %s that is filed with the party', async (kind) => {
    const party = await add('parties', { name: 'Zwxablage Beteiligt' })
    const open = await add('cases', { name: 'Anderes' })
    const id = kind === 'mail' ? (await arrived(firm)).id : await (await beaOffice(firm)).receive()
    expect(
      (
        await firm.owner('POST', `/api/v1/inbox/${id}/file`, {
          body: { case_id: open.id, party_id: party.id },
        })
      ).status,
    ).toBe(200)

    const { status, body } = await erase(party.id)

    expect([status, body.error?.code]).toEqual([409, 'RETENTION_APPLIES'])
    expect(body.error.details[0].message).toContain(open.file_number)
  })

  it('leaves a case alone on which a hold is set while it runs', async () => {
    const party = await add('parties', { name: 'Zwxwettlauf Hold' })
    const one = await pastCase('Hold ./. Schulze', party.id)
    expect((await erase(party.id)).status).toBe(200)
    await add(`cases/${one}/holds`, { reason: 'Regress' })

    await untilErased(firm, party.id)

    expect((await get(`cases/${one}`)).name).toBe('Hold ./. Schulze')
  })

  it('takes the party out of everything in a case past its time, and only out of what is quoted of it in an open one', async () => {
    const name = 'Qvlinkname Zwxlinkfamilie'
    const party = await add('parties', { name })
    const past = await add('cases', { name: 'Zwxlinkfamilie ./. Schulze' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    const open = await add('cases', { name: `Notiz zu ${name}` })
    await add(`cases/${past.id}/links`, { case_id: open.id, note: `wegen ${name}` })
    const times = { start: '2026-05-04T09:00:00+02:00', end: '2026-05-04T10:00:00+02:00' }
    await add('calendar/events', { title: `Termin ${name}`, case_id: past.id, ...times })
    await add('folders', { name: `Ordner ${name}`, case_id: past.id })
    await add('deadlines', {
      title: `Frist ${name}`,
      case_id: past.id,
      due_at: '2032-05-04T23:59:00+02:00',
      create_vorfrist: false,
    })
    const struck = await add('deadlines', {
      title: `Frist ${name}`,
      case_id: past.id,
      due_at: '2032-06-04T23:59:00+02:00',
      create_vorfrist: true,
    })
    expect((await firm.owner('DELETE', `/api/v1/deadlines/${struck.id}`)).status).toBe(204)
    await closedLongAgo(past.id)

    await erased(party.id)

    const left = await placesOf(firm.workspace.id, ['Qvlinkname', 'Zwxlinkfamilie'])
    // The open case mentions the name in its own text, and a history is a hash chain.
    const allowed = (place: string) =>
      place.includes(open.id) || place.includes('#history#') || /#(cases|changes)#/.test(place)
    expect(left.filter((place) => !allowed(place))).toEqual([])
    expect((await get(`cases/${open.id}`)).name).toBe(`Notiz zu ${name}`)
    const { data } = await get(`cases/${open.id}/timeline`)
    const quotes = data.map(({ summary }: { summary: string }) => summary).join('\n')
    expect(quotes).toContain('„[gelöscht] ./. Schulze“')
  })

  it('takes the party out of the roles of others, and of type and department of a case and of its links', async () => {
    const name = 'Zwxrolle Qvrolle'
    const party = await add('parties', { name })
    const other = await add('parties', { name: 'Bernd Anders' })
    const past = await add('cases', {
      name: 'Anderes',
      type: `Nachlass ${name}`,
      dezernat: `Referat ${name}`,
    })
    const open = await add('cases', { name: 'Offen' })
    await add(`cases/${past.id}/parties`, [
      { id: party.id, role: 'Gegnerin' },
      { id: other.id, role: `Mandant (Ehemann der ${name})` },
    ])
    await add(`cases/${past.id}/staff`, [{ id: (await get('me')).user.id, role: `für ${name}` }])
    await add(`cases/${past.id}/links`, { case_id: open.id, type: `Erbe nach ${name}` })
    await closedLongAgo(past.id)

    await erased(party.id)

    expect(await get(`cases/${past.id}`)).toMatchObject({
      type: 'Nachlass [gelöscht]',
      dezernat: 'Referat [gelöscht]',
      parties: [{ id: other.id, role: 'Mandant (Ehemann der [gelöscht])', side: 'client' }],
      staff: [{ role: 'für [gelöscht]' }],
    })
    const left = await placesOf(firm.workspace.id, ['Qvrolle'])
    // The linked case must be kept: its side of the link stays as it is.
    expect(left.filter((place) => !place.includes(`#links#${open.id}`))).toEqual([])
  })

  it('takes the name of a case out of the timelines of cases that were linked, and a former name of it', async () => {
    const party = await add('parties', { name: 'Zwxvorher Qvgelinkt' })
    const past = await add('cases', { name: 'Qvgelinkt ./. Schulze' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    // The other case is found by its number, which may have the name too.
    const [unlinked, linked] = [
      await add('cases', { name: 'Offen', file_number: 'Zwxvorher Qvgelinkt 7' }),
      await add('cases', { name: 'Auch offen' }),
    ]
    const link = await add(`cases/${past.id}/links`, { case_id: unlinked.id })
    await add(`cases/${past.id}/links`, { case_id: linked.id })
    expect((await firm.owner('DELETE', `/api/v1/cases/${past.id}/links/${link.id}`)).status).toBe(204)
    await firm.owner('PUT', `/api/v1/cases/${past.id}`, { body: { name: 'Qvgelinkt u. a. ./. Schulze' } })
    await closedLongAgo(past.id)

    await erased(party.id)

    for (const { id } of [unlinked, linked]) {
      const quotes = JSON.stringify(await get(`cases/${id}/timeline`))
      expect(quotes).toContain('„[gelöscht] ./. Schulze“')
      expect(quotes).not.toContain('„Qvgelinkt')
    }
  })

  it('takes the party out of the timelines of cases that its documents have left', async () => {
    const name = 'Zwxauszug Qvauszug'
    const party = await add('parties', { name, email: 'qv@zwxauszug.example' })
    const former = (await add('cases', { name: 'Offen' })).id
    const document = (await upload(firm.owner, { filename: `Vollmacht ${name}.txt` }, { case_id: former }))
      .body
    await add(`documents/${document.id}/assign`, { case_id: null, party_ids: [party.id] })
    const past = await add('cases', { name: 'Anderes' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    const moved = (await upload(firm.owner, { filename: `Klage ${name}.txt` }, { case_id: former })).body
    await add(`documents/${moved.id}/assign`, { case_id: past.id })
    await closedLongAgo(past.id)

    await erased(party.id)

    expect(await placesOf(firm.workspace.id, ['Qvauszug'])).toEqual([])
    const quotes = JSON.stringify(await get(`cases/${former}/timeline`))
    for (const kind of ['Vollmacht', 'Klage']) expect(quotes).toContain(`„${kind} [gelöscht].txt“`)
  })

  it('takes the party out of the names of attachments in a draft that was sent in a case past its time', async () => {
    const name = 'Zwxversand Qvanlage'
    const party = await add('parties', { name })
    const past = await add('cases', { name: 'Anderes' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    const file = (await upload(firm.owner, { filename: `Vollmacht ${name}.txt` }, { case_id: past.id })).body
    const draft = await add('email/outbound/drafts', {
      to: ['gericht@zwxgericht.example'],
      subject: 'Vollmacht',
      body_html: '<p>Anbei.</p>',
      case_id: past.id,
      attachments: [file.id],
    })
    expect((await add(`email/outbound/drafts/${draft.id}/send`, {})).success).toBe(true)
    await closedLongAgo(past.id)

    await erased(party.id)

    const left = await placesOf(firm.workspace.id, ['Qvanlage'])
    expect(left.filter((place) => place.includes('#draft#'))).toEqual([])
  })

  it('takes the party out of the bodies of beA drafts in a case past its time, deleted ones too', async () => {
    const name = 'Zwxentwurf Qvbea'
    const party = await add('parties', { name })
    const past = await add('cases', { name: 'Anderes' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    const { account } = await beaOffice(firm)
    const [draft, deleted] = await Promise.all(
      ['Klage', `Klage ${name}`].map((subject) =>
        add('bea/drafts', {
          account_id: account.id,
          subject,
          body: `Namens ${name} erheben wir Klage.`,
          case_id: past.id,
        }),
      ),
    )
    expect((await firm.owner('DELETE', `/api/v1/bea/drafts/${deleted.id}`)).status).toBe(204)
    await closedLongAgo(past.id)

    await erased(party.id)

    expect((await get(`bea/drafts/${draft.id}`)).body).toBe('Namens [gelöscht] erheben wir Klage.')
    expect(await placesOf(firm.workspace.id, ['Qvbea'])).toEqual([])
    const path = `/api/v1/bea/drafts/${draft.id}`
    const saved = await firm.owner('PUT', path, { body: { body: `Namens ${name} erheben wir Klage.` } })
    expect([saved.status, (await get(`bea/drafts/${draft.id}`)).body]).toEqual([200, saved.body.body])
  })

  it('takes the party out of the names of documents that came with a beA message of the party in no case', async () => {
    const name = 'Zwxanlage Qvschreiben'
    const party = await add('parties', { name })
    const former = await add('cases', { name: 'Anderes' })
    const office = await beaOffice(firm)
    const message = await office.receive({
      attachments: [remoteAttachment(`Schreiben ${name}.pdf`, '%PDF-1.7 Schreiben')],
    })
    await add(`bea/messages/${message}/assign`, { case_id: former.id })
    const [{ document_id }] = (await get(`bea/messages/${message}`)).attachments
    await expect.poll(async () => (await get(`documents/${document_id}`)).case_id).toBe(former.id)
    await add(`bea/messages/${message}/assign`, { case_id: null, party_id: party.id })
    await expect.poll(async () => (await get(`documents/${document_id}`)).case_id).toBeNull()

    await erased(party.id)

    expect((await get(`documents/${document_id}`)).filename).toBe('Schreiben [gelöscht].pdf')
    expect((await get(`bea/messages/${message}`)).attachments[0].filename).toBe('Schreiben [gelöscht].pdf')
    expect(await placesOf(firm.workspace.id, ['Qvschreiben'])).toEqual([])
  })

  it('takes the party out of export configurations that select it, deleted ones too, which go on selecting it', async () => {
    const party = await add('parties', { name: 'Qvexport Zwxauswahl' })
    const config = (filters: object) =>
      aConfig(firm, {
        name: 'Honorare Zwxauswahl',
        description: 'Alle Rechnungen an Qvexport Zwxauswahl',
        source: 'invoices',
        format: 'csv',
        columns: [{ field: 'number', label: 'Nummer Zwxauswahl' }],
        filters,
      })
    const ofParty = { party_id: party.id }
    const [kept, deleted, other] = [await config(ofParty), await config(ofParty), await config({})]
    expect((await firm.owner('DELETE', `/api/v1/exports/configs/${deleted.id}`)).status).toBe(204)

    await erased(party.id)

    expect(await get(`exports/configs/${kept.id}`)).toMatchObject({
      name: 'Honorare [gelöscht]',
      description: 'Alle Rechnungen an [gelöscht]',
      columns: [{ field: 'number', label: 'Nummer [gelöscht]' }],
      filters: ofParty,
    })
    expect((await get(`exports/configs/${other.id}`)).name).toBe('Honorare Zwxauswahl')
    const left = await placesOf(firm.workspace.id, ['Zwxauswahl'])
    expect(left.filter((place) => !place.includes(other.id))).toEqual([])
  })

  it('takes the party out of draft invoices whose recipient was typed, deleted ones too, and leaves issued ones', async () => {
    const name = 'Zwxtippt Qvrechnung'
    const address = 'Zwxallee 7, 50667 Köln'
    const party = await add('parties', { name, email: 'qv@zwxtippt.example', address })
    const partner = await add('parties', { name: 'Bernd Anders', address })
    const past = await add('cases', { name: 'Anderes' })
    await add(`cases/${past.id}/parties`, [{ id: party.id, role: 'Mandantin' }])
    const invoice = (buyer: object) =>
      add('invoices', {
        case_id: past.id,
        buyer,
        buyer_reference: `Sache ${name}`,
        lines: [{ text: `Beratung ${name}`, unit_price: '100' }],
      })
    const theirs = { name: 'Frau Q. Zwxtippt', city: 'Zwxstadt', email: 'qv@zwxtippt.example' }
    const insurer = { name: 'Rechtsschutz AG', city: 'Köln' }
    const [draft, deleted, other, issued] = await Promise.all([theirs, theirs, insurer, theirs].map(invoice))
    const ofPartner = await add('invoices', {
      case_id: past.id,
      party_id: partner.id,
      buyer: { name: 'Bernd Anders', street: 'Zwxallee 7', city: 'Köln' },
      lines: [{ text: `Beratung ${name}`, unit_price: '100' }],
    })
    expect((await firm.owner('DELETE', `/api/v1/invoices/${deleted.id}`)).status).toBe(204)
    expect((await firm.owner('POST', `/api/v1/invoices/${issued.id}/issue`)).status).toBe(200)
    await closedLongAgo(past.id)

    await erased(party.id)

    const [left, ofInsurer, evidence] = await Promise.all(
      [draft, other, issued].map(({ id }) => get(`invoices/${id}`)),
    )
    expect([left.buyer.name, left.buyer.city, left.buyer_reference]).toEqual([null, null, 'Sache [gelöscht]'])
    expect(left.lines[0].text).toBe('Beratung [gelöscht]')
    expect(ofInsurer).toMatchObject({ buyer: insurer, buyer_reference: 'Sache [gelöscht]' })
    expect(evidence).toMatchObject({ buyer: theirs, lines: [{ text: `Beratung ${name}` }] })
    expect(ofPartner.buyer).toMatchObject({ name: 'Bernd Anders', street: 'Zwxallee 7' })
    expect(await get(`invoices/${ofPartner.id}`)).toMatchObject({
      buyer: ofPartner.buyer,
      lines: [{ text: 'Beratung [gelöscht]' }],
    })
    const places = await placesOf(firm.workspace.id, ['Zwxtippt', 'Zwxstadt'])
    expect(places.filter((place) => !place.includes(issued.id))).toEqual([])
  })

  it('leaves the timeline of a linked case alone on which a hold stands', async () => {
    const party = await add('parties', { name: 'Zwxzitat Quotiert' })
    const past = await pastCase('Quotiert ./. Schulze', party.id)
    const linked = await Promise.all(['Gehalten', 'Offen'].map((name) => add('cases', { name })))
    const [held, open] = linked.map(({ id }) => id)
    for (const case_id of [held, open]) await add(`cases/${past}/links`, { case_id })
    await add(`cases/${held}/holds`, { reason: 'Regress' })
    const quotesOf = async (id: string): Promise<string> => JSON.stringify(await get(`cases/${id}/timeline`))
    const before = await quotesOf(held)

    await erased(party.id)

    expect(before).toContain('Quotiert ./. Schulze')
    expect(await quotesOf(held)).toBe(before)
    expect(await quotesOf(open)).toContain('[gelöscht] ./. Schulze')
  })

  it('leaves mailboxes and names alone that contain those of the party', async () => {
    const party = await add('parties', { name: 'Hans Meier', email: 'meier@zwxgmx.example' })
    const other = 'hans.meier@zwxgmx.example'
    const draft = await add('email/outbound/drafts', {
      to: [other],
      subject: 'An Karl-Hans Meier, Hans Meier-Schulze',
      body_html: '<p>Hans Meier wohnt in Berlin</p>',
    })

    await erased(party.id)

    const after = await get(`email/outbound/drafts/${draft.id}`)
    expect([after.to, after.subject, after.body_html]).toEqual([[other], draft.subject, draft.body_html])
  })

  it('reaches a mail by its Reply-To, in every spelling, with the names of what came with it', async () => {
    const party = await add('parties', { name: 'Anna Zwxmüller', email: 'anna@zwxreply.example' })
    const mail = await arrived(firm, {
      from: 'Formular <noreply@forms.example>',
      replyTo: 'Anna <anna@zwxreply.example>',
      attachments: [{ filename: 'Lebenslauf Anna Zwxmüller.txt', content: 'Lebenslauf.' }],
      text: 'Es schreibt Anna Zwxmueller.',
      html: '<p>Es schreibt <b>Anna</b> Zwxm&uuml;ller.</p>',
    })
    await judged(firm, mail.id)

    await erased(party.id)

    expect(await placesOf(firm.workspace.id, ['Zwxmueller', 'Zwxmüller', 'zwxm&uuml', 'zwxreply'])).toEqual(
      [],
    )
    const after = await get(`correspondence/${mail.id}`)
    expect([after.reply_to, after.triage.case_suggestions]).toEqual([[], []])
  })

  it('leaves mail alone that is of another party with the same mailbox, and what was learnt of it', async () => {
    const email = 'familie@zwxgeteilt.example'
    const partner = await add('parties', { name: 'Bodo Zwxpartner', email })
    const filedWithPartner = await arrived(firm, { from: `Familie <${email}>`, text: 'Von Bodo.' })
    const party = await add('parties', { name: 'Alma Vkgeht', email })
    const ofPartner = await arrived(firm, { from: `Bodo Zwxpartner <${email}>`, text: 'Auch von Bodo.' })
    const own = await arrived(firm, { from: `Alma Vkgeht <${email}>`, text: 'Von Alma Vkgeht.' })
    const draft = await add('email/outbound/drafts', { to: [email], subject: 'An Bodo' })
    const inCase = await arrived(firm, { from: `Bodo Zwxpartner <${email}>` })
    const open = await add('cases', { name: 'Partner ./. Dritte' })
    await add(`inbox/${inCase.id}/file`, { case_id: open.id })
    const learnt = async () =>
      (await placesOf(firm.workspace.id, [email])).some((place) => place.includes('#learnt_sender#'))
    await vi.waitFor(async () => expect(await learnt()).toBe(true), { timeout: 150_000 })

    await erased(party.id)

    for (const { id, from, party_id } of [filedWithPartner, ofPartner]) {
      expect(await get(`correspondence/${id}`)).toMatchObject({ from, party_id })
      expect((await firm.owner('GET', `/api/v1/correspondence/${id}/raw`)).status).toBe(200)
    }
    expect(filedWithPartner.party_id).toBe(partner.id)
    expect((await get(`email/outbound/drafts/${draft.id}`)).to).toEqual([email])
    expect(await learnt()).toBe(true)
    expect((await get(`correspondence/${own.id}`)).from).toEqual({ name: null, email: '' })
    const left = await placesOf(firm.workspace.id, ['Vkgeht'])
    // Files that a merge of the index has replaced stay for readers for 15 minutes.
    expect(left.filter((place) => !place.includes('/search/'))).toEqual([])
  })

  it('of a party with the name of a status changes no status', async () => {
    const party = await add('parties', { name: 'sent', email: 'sent@zwxstatus.example' })
    const mail = await add('email/outbound/send', {
      to: ['sent@zwxstatus.example'],
      subject: 'Zwxbetreff',
      body_html: '<p>x</p>',
    })

    await erased(party.id)

    const after = await get(`correspondence/${mail.id}`)
    expect([after.status, after.subject, after.to]).toEqual(['sent', 'Zwxbetreff', []])
  })

  it('goes on where it was if its time is over after every position', async () => {
    const party = await add('parties', { name: 'Zwxhäppchen Klein' })
    const cases = [await pastCase('Eins', party.id), await pastCase('Zwei', party.id)]
    expect((await erase(party.id)).status).toBe(200)
    const deps = erasureFoundation(foundation('test'))

    for (let run = 0; run < 3; run += 1) await runErasures(deps, systemClock.now(), { milliseconds: 1 })
    await untilErased(firm, party.id)

    for (const id of cases) expect((await get(`cases/${id}/parties`)).data).toEqual([])
  })
})

describe('an erasure in a firm with a small index', () => {
  it('takes the names of documents out of the index of texts at once', async () => {
    const name = 'Ilse Qjzwxbuk'
    const party = await add('parties', { name, email: 'ilse@zwxindex.example' })
    const past = await pastCase('Anderes')
    await assigned(past, party.id, `In Akte ${name}.txt`)
    const free = (await upload(firm.owner, { filename: `Ohne Akte ${name}.txt` })).body
    await add(`documents/${free.id}/assign`, { party_ids: [party.id] })
    const mail = await arrived(firm, {
      from: `${name} <ilse@zwxindex.example>`,
      attachments: [{ filename: `Anlage ${name}.txt`, content: 'Text.' }],
    })
    await judged(firm, mail.id)
    await indexed(firm.owner)
    const before = (await placesOf(firm.workspace.id, ['Qjzwxbuk'])).join('\n')

    await erased(party.id)

    expect(before).toContain('/search/')
    // The worker of the index writes its files anew a little later.
    const left = () => placesOf(firm.workspace.id, ['Qjzwxbuk'])
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 90_000, interval: 1_000 })
  }, 240_000)
})
