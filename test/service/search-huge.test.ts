import { setTimeout as pause } from 'node:timers/promises'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { idsOf, indexed, search } from '#test/support/search.ts'

/** Huge documents, over HTTP: they are found, or their record says why not, and another firm goes on searching. */

const minutes = 60_000

let neighbour: Firm
let letter: string
beforeAll(async () => {
  neighbour = await newFirm()
  const { body } = await upload(neighbour.owner, { bytes: 'Der Nachbar klagt.', filename: 'Klage.txt' })
  letter = body.id
  await settled(neighbour.owner, letter)
  await indexed(neighbour.owner)
})

/** Announces a file, stores its bytes and completes it. @returns the id of the document */
async function uploadLarge(
  caller: Api,
  bytes: Uint8Array<ArrayBuffer>,
  about: { filename: string; mime_type: string },
): Promise<string> {
  const announced = await caller('POST', '/api/v1/documents/uploads', {
    body: { ...about, size_bytes: bytes.length },
  })
  const { document, upload } = announced.body
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes })
  const { status } = await caller('POST', `/api/v1/documents/${document.id}/complete`)
  expect(status).toBe(200)
  return document.id
}

/** Searches as the neighbour, again and again, until the work has ended. @returns what it found, as often as it asked */
async function neighbourFinds(work: Promise<unknown>): Promise<string[][]> {
  const found: string[][] = []
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    found.push(await idsOf(neighbour.owner, 'klagen'))
    await pause(100)
  }
  await ended
  return found
}

async function pdfOf(pages: number): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page += 1)
    document
      .addPage()
      .drawText(`Blatt ${page} der Akte: Der Zeuge schweigt.`, { x: 50, y: 700, size: 12, font })
  return new Uint8Array(await document.save())
}

const textOf = (megabytes: number) => {
  const sentence = 'Der Mieter widerspricht der Räumung fristgerecht. '
  return new TextEncoder().encode(`${sentence.repeat((megabytes * 1_000_000) / sentence.length)}Schlusswort`)
}

describe('a document', () => {
  it(
    'of 2,000 pages is found with its last page, while another firm searches',
    async () => {
      const { owner } = await newFirm()
      const bytes = await pdfOf(2_000)
      const id = await uploadLarge(owner, bytes, { filename: 'Akte.pdf', mime_type: 'application/pdf' })
      // Act
      const found = await neighbourFinds(settled(owner, id, 300).then(() => indexed(owner, 300)))
      // Assess
      const [hit] = (await search(owner, '"Blatt 2000"')).data
      expect(hit).toMatchObject({ id, page: 2_000 })
      expect(hit.snippets[0].text).toContain('Blatt 2000 der Akte')
      expect((await search(owner, 'Zeuge')).data[0].snippets).toHaveLength(3)
      expect(found.length).toBeGreaterThan(1)
      expect(found.every(([one, other]) => one === letter && other === undefined)).toBe(true)
    },
    6 * minutes,
  )

  it(
    'of almost 20 million characters is found by its last word, while another firm searches',
    async () => {
      const { owner } = await newFirm()
      const id = await uploadLarge(owner, textOf(19), { filename: 'Lang.txt', mime_type: 'text/plain' })
      // Act
      const found = await neighbourFinds(settled(owner, id, 300).then(() => indexed(owner, 300)))
      // Assess
      expect(await idsOf(owner, 'Schlusswort "Räumung fristgerecht"')).toEqual([id])
      expect(found.every(([one, other]) => one === letter && other === undefined)).toBe(true)
    },
    6 * minutes,
  )

  it(
    'of 50 MB has too long a text: its record says so, and it is found by its name',
    async () => {
      const { owner } = await newFirm()
      const id = await uploadLarge(owner, textOf(50), {
        filename: 'Riesenschrift.txt',
        mime_type: 'text/plain',
      })
      const { status, status_reason } = await settled(owner, id, 300)
      await indexed(owner, 300)

      expect([status, status_reason]).toEqual(['failed', 'too_large'])
      expect(await idsOf(owner, 'Riesenschrift')).toEqual([id])
      expect(await idsOf(owner, 'Mieter')).toEqual([])
    },
    6 * minutes,
  )
})
