import type { SealedFile } from '#signing/ports.ts'
import { entity, jsonOf, recordKey, text } from '../entity.ts'

/**
 * The facts that anybody who has a sealed file may know of it (S9). To ask, only its digest is needed, so the key has
 * no workspace.
 */
export const sealedFile = entity('sealedfile', recordKey('sealed_file#${sha256}'), {
  /** The owner of the file, for the operator alone (W8). */
  workspace_id: text,
  /** The answer, as it was when the file was sealed. */
  answer: jsonOf<SealedFile['answer']>(),
})
