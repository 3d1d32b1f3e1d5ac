import { inboundProcessing } from '#correspondence/inbound-processing.ts'
import { attachedDocuments } from '#documents/attached-documents.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { arrivals } from '#inbox/arrival-schema.ts'
import { arrivalProcessing } from '#inbox/arrivals.ts'
import { consume } from '#jobs/consume.ts'
import { mailContent } from '#mail/mail-content.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { messageHider } from '#queue/sqs.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'

const base = foundation('inbound')
const { clock, log } = base
const documents = documentFoundation(base)
const mail = correspondenceFoundation(base)
const workspaces = workspaceStore(base.db)
const attachments = attachedDocuments({ ...documents, clock })
const processing = inboundProcessing({
  ...mail,
  attachments,
  parties: partyStore(base),
  readContent: mailContent((html) => mailHtml.clean(html).catch(() => '')),
  timeZoneOf: async (id) => (await workspaces.find(id))?.time_zone ?? 'Europe/Berlin',
  clock,
  log,
})

/** Reads the mail that arrived, and judges mail and documents (I3, I5). */
export const handler = consume(arrivals, {
  work: arrivalProcessing({
    mail: async ({ workspace_id, id }, signal) => {
      await processing.process(workspace_id, id, signal)
    },
    document: async () => {},
  }),
  hide: messageHider(arrivals),
  log,
})
