import { bodyKey } from './keys.ts'
import type { CorrespondenceRecord, MailBody, MailFiles } from './ports.ts'

/** The bodies of a mail. Empty if a received mail is not read yet, or could not be read. */
export async function readBody(
  files: Pick<MailFiles, 'read'>,
  record: CorrespondenceRecord,
): Promise<MailBody> {
  if (record.direction === 'inbound' && record.status !== 'processed')
    return { body_text: '', body_html: '', inline_images: [] }
  return JSON.parse(new TextDecoder().decode(await files.read(bodyKey(record))))
}
