import type { Files } from '#kernel/files.ts'
import { textKey } from './keys.ts'
import type { DocumentRecord } from './ports.ts'
import { StoredText } from './schema.ts'

/** Reads the stored text of a `processed` document. */
export async function readStoredText(
  files: Pick<Files, 'read'>,
  record: Pick<DocumentRecord, 'workspace_id' | 'id'>,
): Promise<StoredText> {
  return StoredText.parse(JSON.parse(Buffer.from(await files.read(textKey(record))).toString()))
}
