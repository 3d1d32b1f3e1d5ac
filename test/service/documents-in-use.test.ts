import { beforeAll, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'

let firm: Firm
let owner: Api
beforeAll(async () => {
  firm = await newFirm()
  owner = firm.owner
})

const newCase = async () =>
  (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
const newDocument = async (): Promise<string> => (await upload(owner)).body.id
const signers = [{ name: 'Anna Meier', email: 'anna.meier@example.com' }]

const create = async (case_id: string, document_ids: string[]) =>
  (
    await owner('POST', `/api/v1/cases/${case_id}/signing-envelopes`, {
      body: { title: 'Vollmacht', document_ids, signers },
    })
  ).body.id

const send = (id: string) =>
  owner('POST', `/api/v1/signing/envelopes/${id}/send`, { body: { send_emails: false } })

const remove = (id: string) => owner('DELETE', `/api/v1/documents/${id}`)

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  body?.error?.code ?? status

it('a document of a sent envelope cannot be deleted until the envelope has ended (D10)', async () => {
  const document = await newDocument()
  const id = await create(await newCase(), [document])
  await send(id)

  const refused = await remove(document)
  expect([refused.status, codeOf(refused)]).toEqual([409, 'DOCUMENT_IN_USE'])
  expect((await owner('GET', `/api/v1/documents/${document}/download`)).status).toBe(200)

  await owner('POST', `/api/v1/signing/envelopes/${id}/void`, { body: { reason: 'Falsche Fassung.' } })
  expect((await remove(document)).status).toBe(204)
})

it('a document of a draft can be deleted; then the draft cannot be sent', async () => {
  const document = await newDocument()
  const id = await create(await newCase(), [document])

  expect((await remove(document)).status).toBe(204)
  const sent = await send(id)
  expect([sent.status, codeOf(sent)]).toEqual([404, 'DOCUMENT_NOT_FOUND'])
})

const assign = (id: string, case_id: string | null) =>
  owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id } })

it('a draft whose document went to another case cannot be sent: another client must not be shown it (S1)', async () => {
  const [document, case_id] = [await newDocument(), await newCase()]
  const id = await create(case_id, [document])
  expect((await assign(document, await newCase())).status).toBe(200)

  const refused = await send(id)

  expect([refused.status, codeOf(refused)]).toEqual([404, 'DOCUMENT_NOT_FOUND'])
  expect((await assign(document, null)).status).toBe(200)
  expect((await send(id)).status).toBe(200)
})

it('a document of a sent envelope can move to another case: its sealed copy is filed in the case of the envelope', async () => {
  const envelope = await sendEnvelope(firm)
  const document_id = envelope.documents[0]?.document_id ?? ''
  const other = await newCase()
  const before = await envelope.get()

  expect((await assign(document_id, other)).status).toBe(200)

  const signer = visitor(firm, await envelope.link())
  await signer.open()
  await signer.sign()
  await envelope.untilCompleted()
  const after = await envelope.get()
  expect([after.case_id, after.documents[0].sha256]).toEqual([before.case_id, before.documents[0].sha256])
  const filed = async (id: string) => (await owner('GET', `/api/v1/documents/${id}`)).body.case_id
  expect(await filed(after.documents[0].sealed_document_id)).toBe(before.case_id)
  expect(await filed(document_id)).toBe(other)
})

it('documents deleted and their envelopes sent at once, twenty times: never both', async () => {
  const case_id = await newCase()
  const given: { document: string; id: string }[] = []
  for (let at = 0; at < 20; at += 1) {
    const document = await newDocument()
    given.push({ document, id: await create(case_id, [document]) })
  }

  const outcomes = await Promise.all(
    given.map(async ({ document, id }) => {
      const answers = await Promise.all([send(id), remove(document)])
      const there = await owner('GET', `/api/v1/documents/${document}`)
      const { status } = (await owner('GET', `/api/v1/signing/envelopes/${id}`)).body
      return [...answers.map(codeOf), status, there.status]
    }),
  )

  const either = [
    [200, 'DOCUMENT_IN_USE', 'sent', 200],
    ['DOCUMENT_NOT_FOUND', 204, 'draft', 404],
  ]
  for (const outcome of outcomes) expect(either).toContainEqual(outcome)
})

it('twenty documents of no case are in the case once their envelope is created, also in its list', async () => {
  const case_id = await newCase()
  const documents: string[] = []
  for (let at = 0; at < 20; at += 1) documents.push(await newDocument())

  await create(case_id, documents)

  const { data } = (await owner('GET', `/api/v1/documents?case_id=${case_id}&limit=100`)).body
  expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual(documents.toSorted())
  const timeline = (await owner('GET', `/api/v1/cases/${case_id}/timeline?limit=100`)).body.data
  const assigned = timeline.filter(({ type }: { type: string }) => type === 'document.assigned')
  expect(assigned.map(({ ref }: { ref: { id: string } }) => ref.id).toSorted()).toEqual(documents.toSorted())
})
