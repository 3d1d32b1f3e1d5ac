import { expect, it } from 'vitest'
import { changesOf } from '#formats/changing-pdf.ts'
import { changingPdfs, lastingPdfs } from '#test/support/changing-pdfs.ts'

it.each(changingPdfs)('%s is found, and nothing else: %s', async (_, reason, make) => {
  expect(await changesOf(Buffer.from(make()))).toEqual([reason])
})

it.each(lastingPdfs)('%s says the same in every reader', async (_, make) => {
  expect(await changesOf(Buffer.from(make()))).toEqual([])
})

it('of bytes cut off anywhere, something is found or refused, and it ends', async () => {
  const [, , make] = changingPdfs[0] ?? []
  const file = Buffer.from(make?.() ?? [])

  for (let length = 0; length < file.length; length += 7) {
    const found = await changesOf(file.subarray(0, length)).catch((error: Error) => error.name)
    expect(Array.isArray(found) || found === 'FormatFault').toBe(true)
  }
})
