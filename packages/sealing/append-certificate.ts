import { type PDFFont, type PDFImage, type PDFPage, type PDFRef, rgb } from '@cantoo/pdf-lib'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Certificate } from '#signing/ports.ts'
import { appendPage } from './append-page.ts'
import { linesOf, shownText } from './certificate-text.ts'
import { certificateWords } from './certificate-words.ts'
import { embedFonts } from './fonts.ts'
import type { PdfUpdate } from './pdf-update.ts'
import { embedPng } from './png.ts'
import type { UnalterableReason } from './unalterable.ts'

/**
 * How the file includes the original: its pages before the certificate, a picture as pages and attached, or only
 * attached.
 */
export type OriginalForm = 'appended' | 'converted' | UnalterableReason

/**
 * Appends the certificate (S7) on as many A4 pages as it needs.
 *
 * @param original the document as it was signed
 * @returns the first page of the certificate
 */
export async function appendCertificate(
  update: PdfUpdate,
  certificate: Certificate,
  original: Uint8Array,
  form: OriginalForm,
): Promise<PDFRef> {
  const sheet = await startSheet(update)
  const words = certificateWords[certificate.language]
  sheet.text(words.title, { font: sheet.bold, size: 18, after: 10 })
  sheet.text(words.intro(certificate.office), { after: 10 })
  sheet.field(words.envelope, certificate.envelope.id)
  sheet.field(words.title_of_envelope, certificate.envelope.title)
  sheet.field(words.document, certificate.document.filename)
  sheet.field(words.sha256, hexDigest(original))
  sheet.field(words.completed, shownTime(certificate.completed_at))
  sheet.field(words.audit, certificate.audit_hash)
  const note = noteOf(form, words)
  if (note) sheet.text(note, { before: 8 })
  for (const [index, signer] of certificate.signers.entries()) {
    const heading = words.person(index + 1, certificate.signers.length)
    await addSigner(sheet, update, signer, heading, words)
  }
  return sheet.finish((number, count) => `${certificate.envelope.id} · ${words.page(number, count)}`)
}

type Words = (typeof certificateWords)['de' | 'en']

function noteOf(form: OriginalForm, words: Words): string | undefined {
  if (form === 'appended') return undefined
  if (form === 'converted') return words.converted
  return `${words.attached} ${words.reasons[form]}`
}

async function addSigner(
  sheet: Sheet,
  update: PdfUpdate,
  signer: Certificate['signers'][number],
  heading: string,
  words: Words,
): Promise<void> {
  sheet.rule(headingHeight)
  sheet.text(heading, { size: 8, color: grey })
  sheet.text(signer.name, { font: sheet.bold, size: 12, after: 3 })
  sheet.field(words.email, signer.email)
  sheet.field(words.role, words.roles[signer.role])
  if (signer.role === 'cc') return
  sheet.field(words.sent, signer.sent_at === null ? words.none : shownTime(signer.sent_at))
  sheet.field(words.opened, signer.opened_at === null ? words.none : shownTime(signer.opened_at))
  sheet.field(words.signed[signer.role], shownTime(signer.signed_at))
  sheet.field(words.ip, signer.ip)
  sheet.field(words.user_agent, signer.user_agent)
  sheet.field(words.consent, signer.consent)
  sheet.field(words.signed_name, signer.signed_name)
  if (signer.picture !== null) sheet.picture(words.picture, await embedPng(update, signer.picture))
}

/** A heading, a name and the first fields stay together. */
const headingHeight = 90

/** `2026-11-20 10:15:30 UTC`; any other text is shown unchanged. */
function shownTime(timestamp: string): string {
  const time = new Date(timestamp)
  if (Number.isNaN(time.getTime())) return timestamp
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const a4 = { width: 595.28, height: 841.89 } as const
const margin = { left: 57, right: 57, top: 57, bottom: 62 } as const
const labelWidth = 150
/** The space between a label that fills its column and the value. */
const labelGap = 8
const bodySize = 9
const lineHeight = 1.35
const largestPicture = { width: 200, height: 70 } as const
const black = rgb(0, 0, 0)
const grey = rgb(0.35, 0.35, 0.35)

type Style = { font?: PDFFont; size?: number; color?: typeof black; before?: number; after?: number }

type Sheet = {
  bold: PDFFont
  /** A paragraph over the whole width. */
  text: (text: string, style?: Style) => void
  /** A label with its value beside it. */
  field: (label: string, value: string) => void
  picture: (label: string, image: PDFImage) => void
  /** A line across, with this much space after it on the same page. */
  rule: (keepTogether: number) => void
  /** Writes the footer of each page. @returns the first page */
  finish: (foot: (number: number, count: number) => string) => PDFRef
}

/** Begins a page and writes from top to bottom. When a page is full, writing continues on a new one. */
export async function startSheet(update: PdfUpdate): Promise<Sheet> {
  const { regular, bold, characters } = await embedFonts(update)
  const shown = (text: string) => shownText(text, (codePoint) => characters.has(codePoint))
  const pages: PDFPage[] = []
  let y = 0
  const width = a4.width - margin.left - margin.right

  const current = () => {
    const page = pages.at(-1)
    if (page === undefined) throw new TypeError('There is no page.')
    return page
  }
  const nextPage = () => {
    pages.push(appendPage(update, a4.width, a4.height))
    y = a4.height - margin.top
  }
  const need = (height: number) => {
    if (y - height < margin.bottom) nextPage()
  }
  const line = (text: string, x: number, size: number, font: PDFFont, color = black) =>
    current().drawText(text, { x, y: y - size, size, font, color })
  const widths = new Map<PDFFont, Map<string, number>>([
    [regular, new Map()],
    [bold, new Map()],
  ])
  /** Adds the widths of the letters, because laying out each beginning of a long text takes seconds. */
  const widthIn = (font: PDFFont, size: number) => (text: string) => {
    const known = widths.get(font)
    let width = 0
    for (const character of text) {
      const one = known?.get(character) ?? font.widthOfTextAtSize(character, 1)
      known?.set(character, one)
      width += one * size
    }
    return width
  }
  nextPage()

  return {
    bold,
    text: (text, { font = regular, size = bodySize, color = black, before = 0, after = 0 } = {}) => {
      y -= before
      for (const one of linesOf(shown(text), widthIn(font, size), width)) {
        need(size * lineHeight)
        line(one, margin.left, size, font, color)
        y -= size * lineHeight
      }
      y -= after
    },
    field: (label, value) => {
      const labels = linesOf(shown(label), widthIn(regular, bodySize), labelWidth - labelGap)
      const values = linesOf(shown(value), widthIn(regular, bodySize), width - labelWidth)
      for (let index = 0; index < Math.max(labels.length, values.length); index += 1) {
        need(bodySize * lineHeight)
        const [ofLabel, ofValue] = [labels[index], values[index]]
        if (ofLabel !== undefined) line(ofLabel, margin.left, bodySize, regular, grey)
        if (ofValue !== undefined) line(ofValue, margin.left + labelWidth, bodySize, regular)
        y -= bodySize * lineHeight
      }
    },
    picture: (label, image) => {
      const scale = Math.min(largestPicture.width / image.width, largestPicture.height / image.height, 1)
      const size = { width: image.width * scale, height: image.height * scale }
      need(size.height + 6)
      line(label, margin.left, bodySize, regular, grey)
      current().drawImage(image, { x: margin.left + labelWidth, y: y - size.height - 3, ...size })
      y -= size.height + 6
    },
    rule: (keepTogether) => {
      need(keepTogether)
      y -= 10
      const end = { x: a4.width - margin.right, y }
      current().drawLine({ start: { x: margin.left, y }, end, thickness: 0.5, color: grey })
      y -= 8
    },
    finish: (foot) => {
      for (const [index, page] of pages.entries()) {
        const text = shown(foot(index + 1, pages.length))
        page.drawText(text, { x: margin.left, y: margin.bottom - 28, size: 7.5, font: regular, color: grey })
      }
      const [first] = pages
      if (first === undefined) throw new TypeError('There is no page.')
      return first.ref
    },
  }
}
