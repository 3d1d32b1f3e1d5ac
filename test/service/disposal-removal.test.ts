import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { faultsOf } from '#test/sealing/pades-judge.ts'
import { settled, upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { kindOf } from '#test/support/future-fields.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { indexed } from '#test/support/search.ts'
import { until } from '#test/support/sent-mail.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** A word that stands in every text of the case, and nowhere else. */
const marked = 'Quittenmarmelade'

/** Everything that is stored of a firm: items of the table, and objects of the bucket. */
async function storedOf({
  workspace,
}: Firm): Promise<{ items: Map<string, string>; objects: Map<string, string> }> {
  Object.assign(process.env, sharedService().environment)
  const { firmObjects } = await import('#files/firm-objects.ts')
  const { bucketFiles } = await import('#files/bucket.ts')
  const items = itemsOf(workspace.id)
  const objects = new Map<string, string>()
  const bucket = process.env.BUCKET_NAME ?? ''
  for await (const { key } of firmObjects(bucket, { keepsVersions: false }).all(workspace.id))
    objects.set(key, Buffer.from(await bucketFiles().read(key)).toString('latin1'))
  return {
    items: new Map(items.map((item) => [`${kindOf(item)} ${item.pk} ${item.sk}`, canonicalJson(item)])),
    objects,
  }
}

const post = async (firm: Firm, path: string, body: object) => {
  const answer = await firm.owner('POST', path, { body })
  expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 201])
  return answer.body
}

/** A case with something of every kind, whose time is over, and the paths of all of it. */
async function fullCase(
  firm: Firm,
): Promise<{ id: string; paths: string[]; partyId: string; documentId: string }> {
  const party = await post(firm, '/api/v1/parties', { name: 'Anna Meier', email: 'anna@example.de' })
  const { id, file_number } = await post(firm, '/api/v1/cases', {
    name: `${marked} ./. Schulze`,
    description: marked,
    type: marked,
    dezernat: marked,
  })
  const other = await post(firm, '/api/v1/cases', { name: 'Nachbarsache' })
  await post(firm, `/api/v1/cases/${id}/parties`, { parties: [{ id: party.id, role: 'client' }] })
  await post(firm, `/api/v1/cases/${other.id}/parties`, { parties: [{ id: party.id, role: 'opponent' }] })
  await post(firm, `/api/v1/cases/${id}/staff`, { staff: [{ id: firm.ownerUser.id, role: 'lead' }] })
  await post(firm, `/api/v1/cases/${id}/links`, { case_id: other.id, note: marked })
  const folder = await post(firm, '/api/v1/folders', { name: marked, case_id: id })
  const document = (
    await upload(
      firm.owner,
      { bytes: `Ein Vertrag über ${marked}.`, filename: `${marked}.txt` },
      { case_id: id, folder_id: folder.id, party_ids: party.id },
    )
  ).body
  const deleted = (
    await upload(firm.owner, { bytes: `${marked} alt`, filename: `alt ${marked}.txt` }, { case_id: id })
  ).body
  await settled(firm.owner, document.id)
  await settled(firm.owner, deleted.id)
  await firm.owner('DELETE', `/api/v1/documents/${deleted.id}`)
  const deadline = await post(firm, '/api/v1/deadlines', {
    title: marked,
    case_id: id,
    due_at: '2020-04-16',
    create_vorfrist: true,
  })
  const struck = await post(firm, '/api/v1/deadlines', {
    title: `${marked} 2`,
    case_id: id,
    due_at: '2020-05-16',
  })
  await firm.owner('DELETE', `/api/v1/deadlines/${struck.id}`, { body: { reason: marked } })
  const withVorfrist = await post(firm, '/api/v1/deadlines', {
    title: `${marked} 3`,
    case_id: id,
    due_at: '2020-06-16',
    create_vorfrist: true,
  })
  await firm.owner('DELETE', `/api/v1/deadlines/${withVorfrist.id}`, { body: { reason: marked } })
  const { extension } = await post(firm, `/api/v1/deadlines/${deadline.id}/extension`, {
    requested_until: '2020-05-16',
  })
  await post(firm, `/api/v1/deadlines/${deadline.id}/extension/refuse`, {})
  const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
  const event = await post(firm, '/api/v1/events', {
    title: marked,
    case_id: id,
    ...times,
    allow_conflict: true,
  })
  const gone = await post(firm, '/api/v1/events', {
    title: marked,
    case_id: id,
    ...times,
    allow_conflict: true,
  })
  await firm.owner('DELETE', `/api/v1/events/${gone.id}`)
  const work = { case_id: id, date: '2026-03-01', minutes: 30, activity: marked, rate: '100.00' }
  const time = await post(firm, '/api/v1/time-entries', work)
  const removed = await post(firm, '/api/v1/time-entries', work)
  await firm.owner('DELETE', `/api/v1/time-entries/${removed.id}`)
  const draft = await post(firm, '/api/v1/email/outbound/drafts', {
    subject: marked,
    body_html: marked,
    case_id: id,
  })
  await firm.owner('DELETE', `/api/v1/email/outbound/drafts/${draft.id}`)
  const lines = [{ text: marked, quantity: '1', unit_price: '100.00', tax_rate: '19' }]
  const noted = await post(firm, '/api/v1/invoices', { case_id: id, lines })
  await firm.owner('DELETE', `/api/v1/invoices/${noted.id}`)
  const sent = await post(firm, '/api/v1/email/outbound/send', {
    to_recipients: ['anna@example.de'],
    subject: marked,
    body_html: `<p>${marked}</p>`,
    case_id: id,
    idempotency_key: crypto.randomUUID(),
  })
  const envelope = await post(firm, `/api/v1/cases/${id}/signing-envelopes`, {
    title: marked,
    document_ids: [document.id],
    signers: [{ name: 'Anna Meier', email: 'anna@example.de' }],
  })
  expect(file_number).toMatch(/\d/)
  await closeLongAgo(firm, id)
  const mailId = `corr_${sent.email_id}`
  // The report of the delivery and the files of the index, which workers write later, are compared as well.
  const isReported = ({ delivery }: { delivery: object[] }) => delivery.length === 1
  await until(firm.owner, `/api/v1/correspondence/${mailId}`, isReported, 200)
  await indexed(firm.owner)
  return {
    id,
    partyId: party.id,
    documentId: document.id,
    paths: [
      ...['', '/timeline', '/parties', '/staff', '/links', '/holds'].map(
        (path) => `/api/v1/cases/${id}${path}`,
      ),
      ...['', '/download'].map((path) => `/api/v1/documents/${document.id}${path}`),
      `/api/v1/deadlines/${deadline.id}`,
      `/api/v1/deadlines/${deadline.id}/history`,
      ...[struck.id, withVorfrist.chain.vorfrist, extension.provisional_id].map(
        (struckId) => `/api/v1/deadlines/${struckId}/history`,
      ),
      `/api/v1/events/${event.id}`,
      `/api/v1/time-entries/${time.id}`,
      `/api/v1/correspondence/${mailId}`,
      `/api/v1/correspondence/${mailId}/raw`,
      `/api/v1/signing/envelopes/${envelope.id}`,
      `/api/v1/signing/envelopes/${envelope.id}/audit`,
      `/api/v1/cases/${id}/signed-documents`,
    ],
  }
}

describe('the removal of a case', () => {
  let firm: Firm
  let neighbour: Firm
  let full: Awaited<ReturnType<typeof fullCase>>
  let before: Awaited<ReturnType<typeof storedOf>>
  let neighbourBefore: Awaited<ReturnType<typeof storedOf>>
  // biome-ignore lint/suspicious/noExplicitAny: an answer whose shape the tests state
  let disposal: any
  beforeAll(async () => {
    ;[firm, neighbour] = await Promise.all([newFirm(), newFirm()])
    full = await fullCase(firm)
    await fullCase(neighbour)
    ;[before, neighbourBefore] = [await storedOf(firm), await storedOf(neighbour)]
    disposal = await disposeOf(firm, full.id)
  }, 600_000)

  it('leaves no path of a record that belonged to it', async () => {
    const answers = await Promise.all(
      full.paths.map(async (path) => [path, (await firm.owner('GET', path)).status]),
    )

    expect(disposal.cases).toMatchObject([{ case_id: full.id, state: 'done', reason: null }])
    expect(answers).toEqual(full.paths.map((path) => [path, 404]))
  })

  it('leaves no word of the case in the table', async () => {
    const { items } = await storedOf(firm)

    const told = [...before.items.values()].filter((item) =>
      item.toLowerCase().includes(marked.toLowerCase()),
    )
    const left = [...items].filter(([, item]) => item.toLowerCase().includes(marked.toLowerCase()))
    expect(told.length).toBeGreaterThan(30)
    expect(left.map(([name]) => name)).toEqual([])
  })

  it('leaves no object of the case in the bucket', async () => {
    const { objects } = await storedOf(firm)

    const left = [...objects].filter(([, bytes]) => bytes.includes(marked))
    expect([...before.objects.values()].filter((bytes) => bytes.includes(marked)).length).toBeGreaterThan(3)
    expect(left.map(([key]) => key)).toEqual([])
    expect([...objects.keys()].filter((key) => key.includes(full.documentId))).toEqual([])
  })

  it('leaves its id only in the file number, in the disposal, and in the note that it is gone', async () => {
    const { items } = await storedOf(firm)

    const left = [...items].filter(([, item]) => item.includes(full.id)).map(([name]) => name.split(' ')[0])
    expect([...new Set(left)].toSorted()).toEqual(
      ['changes', 'disposal', 'filenumber', 'webhook_events'].filter((kind) => left.includes(kind)),
    )
  })

  it('never assigns its file number to another case', async () => {
    const [{ file_number }] = disposal.cases

    const refused = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Neu', file_number } })

    expect([refused.status, refused.body.error.code]).toEqual([409, 'FILE_NUMBER_TAKEN'])
  })

  it('keeps its party, which is an opponent in another case', async () => {
    const party = await firm.owner('GET', `/api/v1/parties/${full.partyId}`)
    const cases = await firm.owner('GET', `/api/v1/parties/${full.partyId}/cases`)

    expect(party.body.name).toBe('Anna Meier')
    expect(cases.body.data).toHaveLength(1)
  })

  it('leaves other cases unchanged', async () => {
    const after = await storedOf(neighbour)

    expect([...after.objects]).toEqual([...neighbourBefore.objects])
    const own = ([name]: [string, string]) =>
      !/^(?:allowance|apikey|searchindex|searchlease|search_marks|searchwork|waitingjob)/.test(name)
    const changed = [...after.items].filter(
      (item) => own(item) && neighbourBefore.items.get(item[0]) !== item[1],
    )
    expect(changed).toEqual([])
    expect([...after.items].filter(own)).toHaveLength([...neighbourBefore.items].filter(own).length)
  })

  it('is certified in JSON and as a sealed PDF', async () => {
    const path = `/api/v1/disposals/${disposal.id}/certificate`

    const json = await firm.owner('GET', path)
    const pdf = await firm.owner('GET', path, { headers: { Accept: 'application/pdf' } })

    const [{ file_number }] = disposal.cases
    expect(json.body).toMatchObject({
      disposal_id: disposal.id,
      rule: '§ 50 Abs. 1 BRAO',
      cases: [{ file_number }],
      kept: [],
      proposed_by: firm.ownerUser.id,
      approved_by: disposal.approved_by,
      begun_at: disposal.begun_at,
      done_at: disposal.done_at,
    })
    expect(json.body.counts).toMatchObject({
      case: 1,
      document: 2,
      deadline: 7,
      event: 2,
      timeentry: 2,
      folder: 1,
    })
    expect(json.body.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    expect(faultsOf(Buffer.from(pdf.bytes))).toEqual([])
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf.bytes), { verbosity: 0 }), {
      mergePages: true,
    })
    expect(text).toContain(file_number)
    expect(text).toContain(json.body.digest.slice(0, 40))
  })

  it('is recorded in the audit', async () => {
    const { data } = (await firm.owner('GET', '/api/v1/audit?action=disposal.done')).body

    expect(data).toMatchObject([{ actor: { type: 'system' }, ref: { type: 'disposal', id: disposal.id } }])
  })
})
