import { PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib'
import type { Certificate } from '#signing/ports.ts'
import { appendCertificate, type OriginalForm } from './append-certificate.ts'
import { appendPictures, type PictureType } from './append-pictures.ts'
import { attach } from './attach.ts'
import { certificateWords } from './certificate-words.ts'
import { limits } from './limits.ts'
import { openByReferences } from './open-by-references.ts'
import { openPdf } from './open-pdf.ts'
import { hasSeparateParts, newPdf, type PdfUpdate, pageCount } from './pdf-update.ts'
import { requireLasting } from './require-lasting.ts'
import { pagesOf, requireSamePages } from './same-pages.ts'
import { type Prepared, prepareSignature, type SignatureNote } from './signature-field.ts'
import { Unalterable, type UnalterableReason } from './unalterable.ts'

/** The note for people in the signature, and the space in bytes to reserve for it. */
export type SignatureSpace = { note: SignatureNote; signatureBytes: number }

/** A document that is complete except for its signature. */
export type PreparedDocument = Prepared & { form: OriginalForm }

/**
 * The final form of a signed document (S7) with its certificate, ready for the seal.
 *
 * - A PDF gets the certificate as its last pages. The file begins with the original, byte for byte.
 * - A PNG, JPEG or TIFF becomes pages before the certificate, and is attached.
 * - Everything else, and a document that must not be altered, is attached to the certificate. `form` says why.
 *
 * The same document, certificate and note give the same bytes. Time and memory depend on the document:
 * `prepareInProcess` sets limits.
 *
 * @param attachBecause attaches the original without reading it, for this reason
 * @throws RangeError for a document over 50 MiB; Error for a drawn signature that is not a PNG (`checkSignature`
 *   refuses it earlier)
 */
export async function prepareDocument(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
  attachBecause: UnalterableReason | null = null,
): Promise<PreparedDocument> {
  if (original.length > limits.documentBytes) throw new RangeError('The document has more than 50 MiB.')
  if (attachBecause !== null) return attachDocument(original, certificate, space, attachBecause)
  const type = certificate.document.mime_type
  try {
    if (type === 'application/pdf') return await append(original, certificate, space)
    if (isPicture(type)) return await convert(original, certificate, type, space)
  } catch (error) {
    // pdf-lib throws many kinds of errors for a damaged file.
    const reason = error instanceof Unalterable ? error.reason : 'damaged'
    return attachDocument(original, certificate, space, reason)
  }
  return attachDocument(original, certificate, space, 'no_pages')
}

/** The certificate with the original attached. The original is not parsed. */
async function attachDocument(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
  reason: UnalterableReason,
): Promise<PreparedDocument> {
  return finish(await withAttachment(original, certificate, space), original, certificate, space, reason)
}

async function finish(
  update: PdfUpdate,
  original: Uint8Array,
  certificate: Certificate,
  { note, signatureBytes }: SignatureSpace,
  form: OriginalForm,
): Promise<PreparedDocument> {
  if (!hasSeparateParts(update)) throw new Unalterable('damaged', 'Parts of the PDF are the same object.')
  const page = await appendCertificate(update, certificate, original, form)
  return { ...(await prepareSignature(update, page, note, signatureBytes)), form }
}

async function append(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
): Promise<PreparedDocument> {
  const opened = await openByReferences(original)
  if (opened) {
    await requireLasting(original, opened.places)
    return finish(opened.update, original, certificate, space, 'appended')
  }
  // This comes first, so that the memory of pdf.js is free when pdf-lib loads its own copy.
  const [before] = await Promise.allSettled([pagesOf(original)])
  const { prepared, added } = await extend(original, certificate, space)
  if (before.status === 'rejected') throw before.reason
  await requireSamePages(before.value, prepared.bytes, added)
  return prepared
}

/** A separate function, so that pdf-lib's copy of the document is free before pdf.js loads its own. */
async function extend(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
): Promise<{ prepared: PreparedDocument; added: number }> {
  const update = await openPdf(original)
  await requireLasting(original, undefined)
  const before = pageCount(update)
  const prepared = await finish(update, original, certificate, space, 'appended')
  return { prepared, added: pageCount(update) - before }
}

async function convert(
  original: Uint8Array,
  certificate: Certificate,
  type: PictureType,
  space: SignatureSpace,
): Promise<PreparedDocument> {
  const update = await withAttachment(original, certificate, space)
  await appendPictures(update, original, type)
  return finish(update, original, certificate, space, 'converted')
}

/** A new PDF with the original as its attachment. */
async function withAttachment(
  original: Uint8Array,
  certificate: Certificate,
  { note }: SignatureSpace,
): Promise<PdfUpdate> {
  const update = await newPdf()
  const { context, catalog } = update.document
  const { title } = certificateWords[certificate.language]
  const information = context.obj({})
  information.set(PDFName.of('Title'), PDFHexString.fromText(`${title}: ${certificate.envelope.title}`))
  information.set(PDFName.of('CreationDate'), PDFString.fromDate(note.sealedAt))
  context.trailerInfo.Info = context.register(information)
  catalog.set(PDFName.of('Lang'), PDFString.of(certificate.language))
  attach(update, original, certificate.document)
  return update
}

function isPicture(type: string): type is PictureType {
  return type === 'image/png' || type === 'image/jpeg' || type === 'image/tiff'
}
