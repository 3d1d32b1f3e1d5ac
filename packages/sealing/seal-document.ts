import { PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib'
import { appendCertificate, type OriginalForm } from './append-certificate.ts'
import { appendPictures, type PictureType } from './append-pictures.ts'
import { attach } from './attach.ts'
import type { Certificate } from './certificate.ts'
import { certificateWords } from './certificate-words.ts'
import { limits } from './limits.ts'
import { openPdf } from './open-pdf.ts'
import { newPdf, type PdfUpdate, pageCount } from './pdf-update.ts'
import { requireSamePages } from './same-pages.ts'
import { type Seal, sealPrepared, signatureBytes } from './seal-pdf.ts'
import { type Prepared, prepareSignature } from './signature-field.ts'
import { Unalterable } from './unalterable.ts'

/**
 * The final form of a signed document (S7): with its certificate, and sealed.
 *
 * - A PDF gets the certificate as its last pages; the original is the beginning of the file, byte for byte.
 * - A PNG, JPEG or TIFF becomes pages before the certificate, and is attached.
 * - Everything else, and what must not be altered, is attached to the certificate. `form` says why.
 *
 * The same document, certificate, key and time give the same bytes, unless the key is P-256 or there is a time stamp.
 *
 * @throws SealFault; Error for a drawn signature that is no PNG (`checkSignature` finds that before)
 */
export async function sealDocument(
  original: Uint8Array,
  certificate: Certificate,
  seal: Seal,
): Promise<{ pdf: Uint8Array; form: OriginalForm }> {
  if (original.length > limits.documentBytes) throw new RangeError('The document has more than 50 MiB.')
  const { prepared, form } = await prepare(original, certificate, seal)
  return { pdf: await sealPrepared(prepared, seal), form }
}

type Finished = { prepared: Prepared; form: OriginalForm }

async function prepare(original: Uint8Array, certificate: Certificate, seal: Seal): Promise<Finished> {
  const type = certificate.document.mime_type
  const finish = async (update: PdfUpdate, form: OriginalForm): Promise<Finished> => {
    const page = await appendCertificate(update, certificate, original, form)
    return { prepared: await prepareSignature(update, page, seal.note, signatureBytes(seal)), form }
  }
  try {
    if (type === 'application/pdf') return await appended(original, finish)
    if (isPicture(type)) return await converted(original, certificate, type, seal, finish)
    return await finish(await attached(original, certificate, seal), 'no_pages')
  } catch (error) {
    if (!(error instanceof Unalterable)) throw error
    return finish(await attached(original, certificate, seal), error.reason)
  }
}

type Finish = (update: PdfUpdate, form: OriginalForm) => Promise<Finished>

async function appended(original: Uint8Array, finish: Finish): Promise<Finished> {
  const update = await openPdf(original)
  const before = pageCount(update)
  const finished = await finish(update, 'appended')
  await requireSamePages(original, finished.prepared.bytes, pageCount(update) - before)
  return finished
}

async function converted(
  original: Uint8Array,
  certificate: Certificate,
  type: PictureType,
  seal: Seal,
  finish: Finish,
): Promise<Finished> {
  const update = await attached(original, certificate, seal)
  await appendPictures(update, original, type)
  return finish(update, 'converted')
}

/** A new PDF with the original as its attachment. */
async function attached(original: Uint8Array, certificate: Certificate, { note }: Seal): Promise<PdfUpdate> {
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
