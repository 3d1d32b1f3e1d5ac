import type { EnvelopeDocumentRecord, SigningFiles } from '../ports.ts'
import { type UnmergedReason, unmergedWords } from '../signer/unmerged-schema.ts'

type Bytes = Pick<SigningFiles, 'read' | 'head'>

/**
 * Finds PDFs that can change, or that look different in different readers or on paper (S11), and records the reasons in
 * `unmerged`. They will be attached to their certificates, and the envelope has a warning for each reason. Documents
 * that were examined before are not read again. If the bytes of a document are gone, it is returned unchanged.
 *
 * @throws errors of reading the bytes
 */
export async function examineDocuments(
  files: Bytes,
  documents: readonly EnvelopeDocumentRecord[],
): Promise<EnvelopeDocumentRecord[]> {
  const result: EnvelopeDocumentRecord[] = []
  // One at a time: together they may have 50 MiB.
  for (const document of documents) {
    const isKnown = document.unmerged !== undefined || document.mime_type !== 'application/pdf'
    const bytes = isKnown ? undefined : await bytesOf(files, document)
    result.push(bytes === undefined ? document : { ...document, unmerged: await reasonsOf(bytes) })
  }
  return result
}

async function bytesOf(files: Bytes, { key }: EnvelopeDocumentRecord): Promise<Uint8Array | undefined> {
  try {
    return await files.read(key)
  } catch (error) {
    if ((await files.head(key)) === undefined) return undefined
    throw error
  }
}

async function reasonsOf(bytes: Uint8Array): Promise<UnmergedReason[]> {
  // Loaded only if there is a PDF.
  const [{ changesOf }, { FormatFault }] = await Promise.all([
    import('#formats/changing-pdf.ts'),
    import('#formats/format-fault.ts'),
  ])
  try {
    return await changesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    return [error.kind === 'too_large' ? 'too_complex' : 'damaged']
  }
}

/** The warnings for the office about documents that will be attached unchanged. */
export function warningsOf(documents: readonly EnvelopeDocumentRecord[]): string[] {
  return documents.flatMap(({ filename, unmerged = [] }) =>
    unmerged.map(
      (reason) =>
        `“${filename}” will be attached to its certificate unchanged, not merged with it. ${unmergedWords.en[reason]}`,
    ),
  )
}
