import { expect, it } from 'vitest'
import { timeOf } from '#kernel/id.ts'
import { arrived, newCase } from '#test/support/arriving-mail.ts'
import { form, upload } from '#test/support/documents.ts'
import { newFirm } from '#test/support/firm.ts'

/** Exports read cases, parties and documents by id, in the order of their creation (X3). */

it('a case, party or document is created at the time of its id, however it arrives', async () => {
  // Prepare
  const firm = await newFirm()
  const { owner } = firm
  const read = async (path: string) => (await owner('GET', `/api/v1/${path}`)).body

  // Act
  const case_id = await newCase(firm)
  const added = await owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Anna Meier' } })
  const named = await owner('POST', `/api/v1/cases/${case_id}/parties`, {
    body: [{ type: 'person', name: 'Jörg Größl', role: 'client' }],
  })
  await upload(owner)
  await owner('POST', '/api/v1/documents/uploads', {
    body: { filename: 'Klage.pdf', mime_type: 'application/pdf', size_bytes: 8, case_id },
  })
  const files = { bytes: 'Ein Brief.', filename: 'Scan.txt' }
  await owner('POST', '/api/v1/inbox/upload', { raw: form({ files }) })
  await arrived(firm, { attachments: [{ filename: 'Brief.txt', content: 'Guten Tag' }] })

  // Assess
  const parties = [added.body.id, named.body.data[0].id].map((id) => read(`parties/${id}`))
  const documents = (await read('documents')).data
  const records = [await read(`cases/${case_id}`), ...(await Promise.all(parties)), ...documents]
  expect(documents.map(({ source }: { source: string }) => source)).toEqual(
    expect.arrayContaining(['upload', 'inbox', 'email']),
  )
  for (const { id, created_at } of records) expect([id, created_at]).toEqual([id, timeOf(id).toISOString()])
})
