import { entity, json, recordKey, text } from '../entity.ts'

/** What anybody who has a sealed file may know of it (S9). Who asks shows its digest alone; the key has no workspace. */
export const sealedFile = entity('sealedfile', recordKey('sealed_file#${sha256}'), {
  /** SHA-256 of the file, hexadecimal. */
  sha256: text,
  /** Whose file it is, for the operator alone (W8). */
  workspace_id: text,
  /** The answer, as it was when the file was sealed. */
  answer: json,
})
