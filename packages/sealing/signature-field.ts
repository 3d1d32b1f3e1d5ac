import { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, type PDFRef, PDFString } from '@cantoo/pdf-lib'
import { type PdfUpdate, touch, writeUpdate } from './pdf-update.ts'

/** The note for people in the signature's dictionary. Only the signature itself is proof. */
export type SignatureNote = {
  /** Written as the time of the signature (`M`), which EN 319 142-1 requires; it proves nothing. */
  sealedAt: Date
  name: string
  reason: string
}

/** A PDF that is complete except for its signature. */
export type Prepared = {
  bytes: Uint8Array
  /** The two signed ranges, everything except the signature itself: start, length, start, length. */
  byteRange: [number, number, number, number]
}

/**
 * Adds an empty signature to a page and writes the PDF. It is a certifying signature: no later change is permitted
 * (DocMDP, P 1, ISO 32000-1, 12.8.2.2).
 *
 * @param signatureBytes space for the signature
 */
export async function prepareSignature(
  update: PdfUpdate,
  pageRef: PDFRef,
  note: SignatureNote,
  signatureBytes: number,
): Promise<Prepared> {
  const { document } = update
  const { context, catalog } = document
  const signatureRef = context.register(signatureDictionary(update, note, signatureBytes))
  const field = context.obj({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    Rect: [0, 0, 0, 0],
    F: printed | locked,
    P: pageRef,
    V: signatureRef,
  })
  const form = formOf(update)
  const fields = arrayOf(update, form, 'Fields')
  field.set(PDFName.of('T'), PDFHexString.fromText(freeName(update, fields)))
  const fieldRef = context.register(field)
  fields.push(fieldRef)
  form.set(PDFName.of('SigFlags'), PDFNumber.of(signaturesExist | appendOnly))

  const page = context.lookup(pageRef, PDFDict)
  touch(update, pageRef)
  arrayOf(update, page, 'Annots').push(fieldRef)

  catalog.set(PDFName.of('Perms'), context.obj({ DocMDP: signatureRef }))
  catalog.set(PDFName.of('Version'), PDFName.of(laterVersion(update)))
  touch(update, context.trailerInfo.Root)

  const { bytes, offsets } = await writeUpdate(update)
  return fillByteRange(bytes, offsets.get(signatureRef.objectNumber) ?? bytes.length, signatureBytes)
}

const [printed, locked] = [4, 128]
const [signaturesExist, appendOnly] = [1, 2]

function signatureDictionary({ document }: PdfUpdate, note: SignatureNote, signatureBytes: number): PDFDict {
  const { context } = document
  const dictionary = context.obj({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.CAdES.detached',
    Reference: [
      {
        Type: 'SigRef',
        TransformMethod: 'DocMDP',
        TransformParams: { Type: 'TransformParams', P: 1, V: PDFName.of('1.2') },
      },
    ],
  })
  dictionary.set(PDFName.of('M'), PDFString.fromDate(note.sealedAt))
  dictionary.set(PDFName.of('Name'), PDFHexString.fromText(note.name))
  dictionary.set(PDFName.of('Reason'), PDFHexString.fromText(note.reason))
  dictionary.set(PDFName.of('ByteRange'), context.obj([0, ...Array(3).fill(widestNumber)]))
  dictionary.set(PDFName.of('Contents'), PDFHexString.of('0'.repeat(signatureBytes * 2)))
  return dictionary
}

/** Reserves space for any offset of a file. */
const widestNumber = 9_999_999_999

/** The form of the document; a new one if it has none. */
function formOf(update: PdfUpdate): PDFDict {
  const { context, catalog } = update.document
  const key = PDFName.of('AcroForm')
  const found = context.lookupMaybe(catalog.get(key), PDFDict)
  touch(update, catalog.get(key))
  if (found) return found
  const form = context.obj({})
  catalog.set(key, form)
  return form
}

/** An array of a dictionary; a new one if it is missing. */
function arrayOf(update: PdfUpdate, owner: PDFDict, name: string): PDFArray {
  const { context } = update.document
  const key = PDFName.of(name)
  const found = context.lookupMaybe(owner.get(key), PDFArray)
  touch(update, owner.get(key))
  if (found) return found
  const array = PDFArray.withContext(context)
  owner.set(key, array)
  return array
}

/** A name that no field of the form has. */
function freeName({ document: { context } }: PdfUpdate, fields: PDFArray): string {
  const names = fields.asArray().map((field) => {
    const dictionary = context.lookup(field)
    const name = dictionary instanceof PDFDict ? dictionary.lookup(PDFName.of('T')) : undefined
    return name instanceof PDFString || name instanceof PDFHexString ? name.decodeText() : ''
  })
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'Seal' : `Seal${number}`
    if (!names.includes(name)) return name
  }
}

/** At least PDF 1.7, which the new objects need. */
function laterVersion({ document: { context, catalog } }: PdfUpdate): string {
  const named = catalog.lookup(PDFName.of('Version'))
  const versions = [context.header.getVersionString(), '1.7']
  if (named instanceof PDFName) versions.push(named.decodeText())
  return (
    versions
      .filter((version) => /^[12]\.\d$/.test(version))
      .toSorted()
      .at(-1) ?? '1.7'
  )
}

function fillByteRange(bytes: Uint8Array, signatureAt: number, signatureBytes: number): Prepared {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const contents = `/Contents <${'0'.repeat(signatureBytes * 2)}>`
  const start = file.indexOf(contents, signatureAt, 'latin1') + '/Contents '.length
  const end = start + contents.length - '/Contents '.length
  const empty = `[ 0${` ${widestNumber}`.repeat(3)} ]`
  const rangeAt = file.indexOf(`/ByteRange ${empty}`, signatureAt, 'latin1')
  if (start < signatureAt || rangeAt < signatureAt) throw new Error('The empty signature was not found.')
  const byteRange: Prepared['byteRange'] = [0, start, end, file.length - end]
  file.write(`[ ${byteRange.join(' ')} ]`.padEnd(empty.length), rangeAt + '/ByteRange '.length, 'latin1')
  return { bytes, byteRange }
}
