import { beforeAll, describe, expect, it } from 'vitest'
import { bytesKey } from '#documents/keys.ts'
import { inflateAll, openZip } from '#formats/zip.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { aReport } from '#test/support/access-reports.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { remoteAttachment } from '#test/support/bea-remote.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { createEnvelope } from '#test/support/office-envelopes.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

/** The files of a report, as texts by their paths. */
async function filesAt(url: string): Promise<Map<string, string>> {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const source = {
    sizeBytes: bytes.length,
    read: async (at: number, length: number) => bytes.subarray(at, at + length),
  }
  const zip = await openZip(source, 10_000)
  const found = new Map<string, string>()
  for (const name of zip.names)
    found.set(name, Buffer.from(await inflateAll(zip, name, { bytes: 10_000_000 })).toString())
  return found
}

const add = async (path: string, body: unknown) =>
  (await firm.owner('POST', `/api/v1/${path}`, { body })).body

describe('a report on a party', () => {
  it('has what is stored about it, and the documents of the cases in which it is a client', async () => {
    const client = await add('parties', { name: 'Anna <Meier>', email: 'anna@meier.example', phone: '030 1' })
    const opponent = await add('parties', { name: 'Schulze GmbH', email: 'post@schulze.example' })
    const opened = await add('cases', { name: 'Kaufpreis' })
    await add(`cases/${opened.id}/parties`, [
      { id: client.id, role: 'Mandantin', side: 'client' },
      { id: opponent.id, role: 'Gegner', side: 'opponent' },
    ])
    const document = (
      await upload(firm.owner, { bytes: 'Die Klage.', filename: 'Klage.txt' }, { case_id: opened.id })
    ).body
    const mail = await add('email/outbound/send', {
      to: ['Anna <Anna@Meier.example>'],
      subject: 'Sachstand & Termin',
      body_html: '<p>Guten Tag</p>',
      case_id: opened.id,
    })
    await add('time-entries', {
      case_id: opened.id,
      date: '2026-11-27',
      minutes: 5,
      activity: 'Telefonat mit Anna <Meier>',
    })
    await add('calendar/events', {
      title: 'Besprechung',
      description: 'mit anna <meier>',
      start: '2026-12-01T09:00:00Z',
      end: '2026-12-01T10:00:00Z',
      case_id: opened.id,
    })

    const files = await filesAt((await aReport(firm, client.id)).url)
    const ofOpponent = await filesAt((await aReport(firm, opponent.id)).url)

    const json = (path: string) => JSON.parse(files.get(`api/v1/${path}.json`) ?? 'null')
    expect(json(`parties/${client.id}`)).toEqual(client)
    expect(json(`parties/${client.id}/cases/${opened.id}`)).toMatchObject({ role: 'Mandantin' })
    expect(json(`documents/${document.id}`)).toMatchObject({ filename: 'Klage.txt' })
    expect(files.get(`api/v1/documents/${document.id}/download.txt`)).toBe('Die Klage.')
    expect(json(`correspondence/${mail.correspondence_id ?? mail.id}`)).toMatchObject({
      subject: 'Sachstand & Termin',
    })
    const names = [...files.keys()]
    expect(names.filter((name) => /time-entries|calendar\/events/.test(name))).toHaveLength(2)
    const page = files.get('index.html') ?? ''
    expect(page).toContain('Anna &#60;Meier&#62;')
    expect(page).not.toContain('Anna <Meier>')
    expect(
      names.filter((name) => name !== 'index.html' && !page.includes(`href="${encodeURI(name)}"`)),
    ).toEqual([])
    // The opponent may not read the file of the client (§ 43a Abs. 2 BRAO).
    expect(
      [...ofOpponent.keys()].filter(
        (name) => name.includes('documents/') || name.includes('correspondence/'),
      ),
    ).toEqual([])
  })

  it('is fetched by its link without a key for 14 days, and the audit has it', async () => {
    const party = await add('parties', { name: 'Link' })
    const report = await aReport(firm, party.id)
    const recorded = async () => {
      const { data } = (await firm.owner('GET', '/api/v1/audit?action=link.opened')).body
      return data.filter(({ ref }: { ref: { id: string } }) => ref.id === report.id)
    }

    const head = await fetch(report.url, { method: 'HEAD' })
    const recordedOfHead = await recorded()
    const answer = await fetch(report.url)
    const bytes = await answer.arrayBuffer()
    for (let first = 0; first < 3; first += 1)
      await fetch(report.url, { headers: { Range: `bytes=${first}-${first}` } })
    const otherEnd = report.url.endsWith('AA') ? 'BA' : 'AA'
    const forged = await fetch(`${report.url.slice(0, -2)}${otherEnd}`)

    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(/^attachment; filename="Auskunft-\d{4}-\d\d-\d\d\.zip"$/),
      'cache-control': 'no-store',
    })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.byteLength)])
    for (const name of ['content-type', 'content-disposition', 'cache-control'])
      expect(head.headers.get(name), name).toBe(answer.headers.get(name))
    expect(forged.status).toBe(404)
    const days = (Date.parse(report.expires_at) - epochMilliseconds()) / 86_400_000
    expect(days).toBeGreaterThan(13.9)
    expect(days).toBeLessThan(14.1)
    expect(recordedOfHead).toEqual([])
    // Once in an hour, however often and in however many parts it is fetched; the hour may change meanwhile.
    const opened = await recorded()
    expect(opened[0]).toMatchObject({ ref: { type: 'access_report' } })
    expect(opened.length).toBeLessThanOrEqual(2)
  })

  it('is sent by the bucket, from an address that is good for five minutes and for nothing else', async () => {
    const own = await add('parties', { name: 'Eigene' })
    const other = await add('parties', { name: 'Andere' })
    const { url, id } = await aReport(firm, own.id)
    const { id: otherId } = await aReport(firm, other.id)

    const link = await fetch(url, { redirect: 'manual' })
    const address = link.headers.get('location') ?? ''
    const answers = [
      await fetch(address),
      await fetch(address.replace(own.id, other.id).replace(id, otherId)),
      await fetch(address.replace('Expires=300', 'Expires=3000')),
      await fetch(address, { method: 'DELETE' }),
    ]

    expect([link.status, link.headers.get('cache-control'), await link.text()]).toEqual([303, 'no-store', ''])
    expect(new URL(address).origin).not.toBe(new URL(firm.baseUrl).origin)
    expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe('300')
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403])
  })

  it('needs the scope of an administrator, and is none of another firm', async () => {
    const party = await add('parties', { name: 'Fremd' })
    const reader = await firm.withScopes('contacts:read', 'contacts:write')
    const stranger = await newFirm()
    const path = `/api/v1/parties/${party.id}/access-report`
    const { body } = await firm.owner('POST', path)

    const statuses = [
      (await reader('POST', path)).status,
      (await stranger.owner('POST', path)).status,
      (await stranger.owner('GET', `${path}s/${body.id}`)).status,
      (await firm.owner('GET', `${path}s/arp_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10`)).status,
    ]

    expect(statuses).toEqual([403, 404, 404, 404])
  })

  it('has the beA messages that its user may read, also those in no case, and nobody else gets it', async () => {
    const office = await beaOffice(firm)
    const colleague = await firm.colleague()
    await office.grant(colleague.user.id, '07')
    const party = await add('parties', { name: 'Vertraulich Vogt' })
    const receive = (is_confidential: boolean) =>
      office.receive({
        subject: 'Vertraulich Vogt',
        is_confidential,
        body: `Streng geheim ${is_confidential}`,
        attachments: [remoteAttachment('Plan.pdf', '%PDF-1.7 Plan')],
      })
    const [open, secret] = [await receive(false), await receive(true)]
    const path = `/api/v1/parties/${party.id}/access-report`
    const withoutBea = await firm.withScopes('workspace:admin')

    const mine = await aReport(firm, party.id)
    const theirs = await aReport({ ...firm, owner: colleague.api }, party.id)
    const withoutRight = await aReport({ ...firm, owner: withoutBea }, party.id)
    const [all, some, none] = await Promise.all([mine, theirs, withoutRight].map(({ url }) => filesAt(url)))
    const refused = [
      (await colleague.api('GET', `${path}s/${mine.id}`)).status,
      (await withoutBea('GET', `${path}s/${mine.id}`)).status,
      (await firm.owner('GET', `${path}s/${theirs.id}`)).status,
    ]

    const of = (files: Map<string, string> | undefined) =>
      [...(files?.keys() ?? [])].filter((name) => /messages\/[^/]*\.json$/.test(name)).toSorted()
    const jsonOf = (id: string) => `api/v1/bea/messages/${id}.json`
    expect(of(all)).toEqual([jsonOf(open), jsonOf(secret)].toSorted())
    expect(all?.get(jsonOf(secret))).toContain('Streng geheim true')
    expect([...(all?.keys() ?? [])].filter((name) => name.includes(secret))).toHaveLength(2)
    expect(of(some)).toEqual([jsonOf(open)])
    expect([...(some?.keys() ?? [])].filter((name) => name.includes(secret))).toEqual([])
    expect(of(none)).toEqual([])
    expect(refused).toEqual([404, 404, 404])
  })

  it('has mail by its answer address, drafts, and what names it in no case', async () => {
    const party = await add('parties', { name: 'Qora Zwmeier', email: 'qora@zwmeier.example' })
    const mail = await arrived(firm, {
      from: 'Formular <web@formular.example>',
      replyTo: 'Qora@zwmeier.example',
    })
    const draft = await add('email/outbound/drafts', {
      to: ['Qora@zwmeier.example'],
      subject: 'Entwurf',
      body_html: '<p>Noch nicht gesendet</p>',
    })
    const event = await add('events', {
      title: 'Anruf bei Qora Zwmeier',
      start: '2026-12-03T09:00:00Z',
      end: '2026-12-03T10:00:00Z',
    })
    const folder = await add('folders', { name: 'Unterlagen Qora Zwmeier' })
    await arrived(firm, { from: 'andere@fremd.example' })

    const files = await filesAt((await aReport(firm, party.id)).url)

    const names = [...files.keys()]
    const paths = [
      `correspondence/${mail.id}.json`,
      `correspondence/${mail.id}/raw.eml`,
      `email/outbound/drafts/${draft.id}.json`,
      `email/outbound/drafts/${draft.id}/body.html`,
      `calendar/events/${event.id}.json`,
      `folders/${folder.id}.json`,
    ].map((path) => `api/v1/${path}`)
    expect(paths.filter((path) => !names.includes(path))).toEqual([])
    expect(names.filter((name) => name.startsWith('api/v1/correspondence/'))).toHaveLength(2)
    const page = files.get('index.html')
    expect(page).toContain('Was sie nicht umfasst')
    expect(page).toContain('Protokolle und Unterschriftsbilder der Signaturvorgänge')
  })

  it('has no mail, draft, envelope or lesson of another party with the same mailbox, and its own', async () => {
    const email = 'familie@zwprobst.example'
    const [client, opponent] = [
      await add('parties', { name: 'Anna Zwprobst', email }),
      await add('parties', { name: 'Bernd Zwprobst', email }),
    ]
    const { id: case_id } = await add('cases', { name: 'Scheidung' })
    await add(`cases/${case_id}/parties`, [
      { id: client.id, role: 'Mandantin', side: 'client' },
      { id: opponent.id, role: 'Gegner', side: 'opponent' },
    ])
    const sent = async (to: string, more = {}): Promise<string> => {
      const body = { to: [to], subject: 'Sachstand', body_html: '<p>Vertraulich</p>', ...more }
      return (await add('email/outbound/send', body)).id
    }
    const drafted = async (to: string): Promise<string> =>
      (await add('email/outbound/drafts', { to: [to], subject: 'Entwurf', body_html: '<p>x</p>' })).id
    const signing = async (name: string): Promise<string> =>
      (await createEnvelope(firm.owner, { case_id, signers: [{ name, email }] })).body.id
    const filed = await arrived(firm, { from: `Bernd Zwprobst <${email}>`, text: 'Von beiden.' })
    await add(`inbox/${filed.id}/file`, { case_id, party_id: client.id })
    const received = await arrived(firm, { from: email })
    const event = await add('events', {
      title: `Rückfrage an ${email}`,
      start: '2026-12-03T09:00:00Z',
      end: '2026-12-03T10:00:00Z',
    })
    const others = [
      await sent(`Anna Zwprobst <${email}>`, { case_id }),
      await sent(email),
      filed.id,
      received.id,
      event.id,
      await drafted(`Anna Zwprobst <${email}>`),
      await signing('Anna Zwprobst'),
    ]
    const own = [
      await sent(`Bernd Zwprobst <${email}>`),
      await drafted(`"Zwprobst, Bernd" <${email}>`),
      await signing('Bernd Zwprobst'),
    ]

    const ofOpponent = [...(await filesAt((await aReport(firm, opponent.id)).url)).keys()]
    const ofClient = [...(await filesAt((await aReport(firm, client.id)).url)).keys()]

    const isIn = (names: string[]) => (id: string) => names.some((name) => name.includes(id))
    expect(others.filter(isIn(ofOpponent))).toEqual([])
    expect(own.filter(isIn(ofOpponent))).toEqual(own)
    expect(ofOpponent.filter((name) => name.includes('learnt-cases'))).toEqual([])
    const [first, , third, , , draft, envelope] = others
    expect([first, third, draft, envelope].filter((id) => !isIn(ofClient)(id))).toEqual([])
  })

  it('has the whole file of a client, also of a deleted case, and of others only what names them', async () => {
    const client = await add('parties', { name: 'Mira Mandantin' })
    const witness = await add('parties', { name: 'Zeno Zeuge' })
    const { id } = await add('cases', { name: 'Gelöschte Sache' })
    await add(`cases/${id}/parties`, [
      { id: client.id, role: 'Mandantin', side: 'client' },
      { id: witness.id, role: 'Zeuge', side: 'other' },
    ])
    const work = { case_id: id, date: '2026-11-27', minutes: 5 }
    const times = [
      await add('time-entries', { ...work, activity: 'Recherche' }),
      await add('time-entries', { ...work, activity: 'Gespräch mit Zeno Zeuge' }),
    ]
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
    const invoice = await add('invoices', { case_id: id, lines })
    expect((await firm.owner('DELETE', `/api/v1/cases/${id}`)).status).toBe(204)

    const ofClient = await filesAt((await aReport(firm, client.id)).url)
    const ofWitness = await filesAt((await aReport(firm, witness.id)).url)

    const own = (files: Map<string, string>) =>
      [...files.keys()].filter((name) => /time-entries|invoices|timeline/.test(name)).toSorted()
    const [first, second] = times.map((one) => `api/v1/time-entries/${one.id}.json`)
    expect(own(ofClient)).toEqual(
      [`api/v1/cases/${id}/timeline.json`, `api/v1/invoices/${invoice.id}.json`, first, second].toSorted(),
    )
    expect(own(ofWitness)).toEqual([second])
    expect(ofWitness.get(`api/v1/parties/${witness.id}/cases/${id}.json`)).toContain('"deleted_at": "20')
  })

  it('has the invoices to it whose recipient was typed, and none to another party with its name', async () => {
    const payer = await add('parties', { name: 'Gerda Zwzahlerin' })
    const namesake = await add('parties', { name: 'Gerda Zwzahlerin' })
    const { id: case_id } = await add('cases', { name: 'Sache anderer' })
    const lines = [{ text: 'Beratung', unit_price: '100' }]
    const typed = await add('invoices', { case_id, lines, buyer: { name: 'Gerda Zwzahlerin' } })
    const own = await add('invoices', { case_id, lines, party_id: payer.id })
    await add('invoices', { case_id, lines, party_id: namesake.id })
    await add('invoices', { case_id, lines, buyer: { name: 'Gerda Zwzahlerin-Meier' } })

    const files = await filesAt((await aReport(firm, payer.id)).url)

    expect([...files.keys()].filter((name) => name.includes('/invoices/')).toSorted()).toEqual(
      [own, typed].map(({ id }) => `api/v1/invoices/${id}.json`).toSorted(),
    )
  })

  it('has of cases that do not name it a beA message that is filed with it, and a time entry with its name', async () => {
    const party = await add('parties', { name: 'Zora Zwaktenlos' })
    const { id: case_id } = await add('cases', { name: 'Sache anderer' })
    const office = await beaOffice(firm)
    const [filed, other] = [
      await office.receive({ subject: 'Eingang' }),
      await office.receive({ subject: 'Zora Zwaktenlos' }),
    ]
    await add(`inbox/${filed}/file`, { case_id, party_id: party.id })
    await add(`inbox/${other}/file`, { case_id })
    const work = { case_id, date: '2026-11-27', minutes: 5 }
    const named = await add('time-entries', { ...work, activity: 'Telefonat mit Zora Zwaktenlos' })
    await add('time-entries', { ...work, activity: 'Recherche' })

    const names = [...(await filesAt((await aReport(firm, party.id)).url)).keys()]

    expect(names.filter((name) => /(messages|time-entries)\/[^/]*\.json$/.test(name)).toSorted()).toEqual([
      `api/v1/bea/messages/${filed}.json`,
      `api/v1/time-entries/${named.id}.json`,
    ])
  })

  it('has of cases that do not name it no envelope whose signer only has a similar name', async () => {
    const party = await add('parties', { name: 'Hanna Zwnaher', email: 'hanna@zwnaher.example' })
    const sign = async (name: string, email: string): Promise<string> =>
      (await createEnvelope(firm.owner, { signers: [{ name, email }] })).body.id
    const strangers = [
      await sign('Johanna Zwnaher', 'johanna@zwfern.example'),
      await sign('Hanna Zwnaher', 'hanna.z@zwfern.example'),
    ]
    const own = await sign('H. Zwnaher', 'Hanna@zwnaher.example')

    const names = [...(await filesAt((await aReport(firm, party.id)).url)).keys()]

    expect(names).toContain(`api/v1/signing/envelopes/${own}.json`)
    for (const id of strangers) expect(names).not.toContain(`api/v1/signing/envelopes/${id}.json`)
  })

  it('has a note in place of a document whose bytes are gone', async () => {
    const party = await add('parties', { name: 'Ohne Bytes' })
    const named = { party_ids: party.id }
    const gone = (await upload(firm.owner, { bytes: 'weg', filename: 'weg.txt' }, named)).body
    const kept = (await upload(firm.owner, { bytes: 'da', filename: 'da.txt' }, named)).body
    await Promise.all([gone, kept].map(({ id }) => settled(firm.owner, id)))
    await sharedBucket().remove([bytesKey({ workspace_id: firm.workspace.id, ...gone })])

    const files = await filesAt((await aReport(firm, party.id)).url)

    const at = `api/v1/documents/${gone.id}/download.txt`
    expect([files.has(at), files.get(`${at}.fehlt.txt`)]).toEqual([
      false,
      'Die Datei ist verzeichnet, aber nicht mehr gespeichert.\n',
    ])
    expect(files.get(`api/v1/documents/${kept.id}/download.txt`)).toBe('da')
    expect(files.get('index.html')).toContain('(Datei nicht mehr gespeichert)')
  })

  it('has no link any more once its party is deleted', async () => {
    const party = await add('parties', { name: 'Geht' })
    const { url } = await aReport(firm, party.id)
    const before = (await fetch(url)).status

    await firm.owner('DELETE', `/api/v1/parties/${party.id}`)

    expect([before, (await fetch(url)).status]).toEqual([200, 404])
  })
})
