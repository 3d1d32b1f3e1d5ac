import { inboundProcessing } from '#correspondence/inbound-processing.ts'
import { messageKey } from '#correspondence/keys.ts'
import { mailTriage } from '#correspondence/mail-triage.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { JudgeMessage } from '#correspondence/reception-ports.ts'
import { attachedDocuments } from '#documents/attached-documents.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { inboundHtml } from '#mail/inbound-html.ts'
import { mailContent } from '#mail/mail-content.ts'
import { receivedMail } from './received-mail.ts'
import { sharedService } from './the-shared-service.ts'

/**
 * The worker's use cases on the real table and bucket, without the running worker: mail that arrives here is in no
 * queue.
 *
 * @param wrap changes the ports, by their names
 */
export async function arrivalsOnTable({
  judge,
  wrap = (port) => port,
}: {
  judge: JudgeMessage
  wrap?: <Port extends object>(port: Port) => Port
}) {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { documentFoundation } = await import('#foundation/documents.ts')
  const { correspondenceFoundation } = await import('#foundation/correspondence.ts')
  const { partyStore } = await import('#store/parties/party-store.ts')
  const { receptionStore } = await import('#store/correspondence/reception-store.ts')
  const { processArrivals } = await import('#inbox/arrival-schema.ts')
  const base = foundation('test')
  base.jobs.handle(processArrivals.handledBy(async () => {}))
  const documents = documentFoundation(base)
  const mail = correspondenceFoundation(base)
  const { clock, log } = base
  const [store, files] = [wrap(mail.store), wrap(mail.files)]
  const attachments = attachedDocuments({ store: wrap(documents.store), files, clock })
  const deps = { store, files, attachments, clock, log, timeZoneOf: async () => 'Europe/Berlin' }
  const processing = inboundProcessing({
    ...deps,
    parties: wrap(partyStore(base)),
    readContent: mailContent(inboundHtml),
  })
  const triage = mailTriage({ ...deps, judge })
  const signal = new AbortController().signal

  return {
    base,
    mail,
    documents,
    /** Stores a message and its record, as reception does. */
    receive: async (workspaceId: string, raw: Uint8Array, changes: Partial<CorrespondenceRecord> = {}) => {
      const header_message_id = `<${crypto.randomUUID()}@mueller.de>`
      const record = receivedMail(workspaceId, { status: 'received', header_message_id, ...changes })
      await mail.files.put(messageKey(record), raw, { mimeType: 'message/rfc822', sha256: hexDigest(raw) })
      const identity = {
        message_id: record.header_message_id,
        date: null,
        from: null,
        subject: record.subject,
      }
      await receptionStore(base).receive({ record, identity, token: null })
      return record
    },
    /** Processes a message of the queue as the worker does. */
    work: async ({ workspace_id, id }: { workspace_id: string; id: string }, by = signal): Promise<void> => {
      await processing.process(workspace_id, id, by)
      await triage.judge(workspace_id, id)
    },
  }
}
