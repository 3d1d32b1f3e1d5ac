import { getDocumentProxy } from 'unpdf'
import { expect, test } from 'vitest'
import { sealedDisposal } from '#sealing/disposal-certificate.ts'
import { note, officeSigner } from './office-signer.ts'

test('a long file number of a kept case does not cover the reason', async () => {
  const pdf = await sealedDisposal(
    {
      ...{
        disposal_id: 'dsp_1',
        office: 'Kanzlei Vogt',
        time_zone: 'Europe/Berlin',
        rule: '§ 50 Abs. 1 BRAO',
      },
      ...{ proposed_by: 'usr_1', proposed_by_name: 'A', approved_by: 'usr_2', approved_by_name: 'B' },
      ...{ begun_at: '2026-11-20T10:00:00Z', done_at: '2026-11-20T10:01:00Z', digest: 'ab', counts: {} },
      cases: [{ file_number: '0001/19' }],
      kept: [{ file_number: `0815/19 ${'Mustermann '.repeat(8)}`.trim(), reason: 'legal_hold' }],
    } as Parameters<typeof sealedDisposal>[0],
    { signer: await officeSigner('p256'), note },
  )
  const document = await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 })
  const { items } = await (await document.getPage(1)).getTextContent()
  const texts = items.flatMap((item) => ('str' in item && item.str.trim() ? [item] : []))
  const reason = texts.find(({ str }) => str === 'Aufbewahrungssperre')
  const beside = texts.filter(
    ({ transform }) => transform[5] === reason?.transform[5] && transform[4] < reason?.transform[4],
  )

  expect(beside.length).toBe(1)
  for (const { transform, width } of beside)
    expect(transform[4] + width).toBeLessThanOrEqual(reason?.transform[4])
  await document.loadingTask.destroy()
})
