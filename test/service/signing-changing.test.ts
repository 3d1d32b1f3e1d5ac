import { beforeAll, expect, it } from 'vitest'
import type { ChangingReason } from '#formats/changing-reasons.ts'
import { changingPdfs, lastingPdfs } from '#test/support/changing-pdfs.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

/** One PDF for each reason. */
const oneOfEach = [
  ...new Map<ChangingReason, (typeof changingPdfs)[number]>(changingPdfs.map((one) => [one[1], one])),
]

it('an envelope warns of each document that can change, its signers are told, and it is attached to its certificate', async () => {
  const documents = [
    ...oneOfEach.map(([reason, [, , make]]) => ({ bytes: make(), filename: `${reason}.pdf` })),
    ...lastingPdfs.map(([, make], at) => ({ bytes: make(), filename: `fest-${at}.pdf` })),
  ].slice(0, 20)
  const envelope = await sendEnvelope(firm, { documents })
  const one = visitor(firm, await envelope.link())

  const { warnings } = await envelope.get()
  const { body: before } = await one.page()
  await one.open()
  const { body: opened } = await one.page()

  expect(warnings).toHaveLength(oneOfEach.length)
  for (const [reason] of oneOfEach) expect(warnings.join('\n')).toContain(`“${reason}.pdf”`)
  expect(warnings.join('\n')).not.toContain('fest-')
  for (const body of [before, opened]) {
    expect(body.match(/class="warning"/g)).toHaveLength(oneOfEach.length)
    expect(body).toContain('kann anderswo anders aussehen')
  }
  const { details } = (await envelope.audit())[0]
  expect(details.documents[0].unmerged).toEqual([oneOfEach[0]?.[0]])
})
