import type { SealedFile } from '#signing/ports.ts'
import { entity, jsonOf, recordKey, text } from '../entity.ts'

/** The public facts about a sealed file (S9). Its digest is enough to ask for them, so the key has no workspace. */
export const sealedFile = entity('sealedfile', recordKey('sealed_file#${sha256}'), {
  /** The workspace that had the file sealed (S9, W8). */
  workspace_id: text,
  /** The answer, without the office: its name is read when somebody verifies the file. */
  answer: jsonOf<SealedFile['answer']>(),
})
