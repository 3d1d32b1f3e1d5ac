import { messageTriage } from '#bea/messages/message-triage.ts'
import { inboundProcessing } from '#correspondence/inbound-processing.ts'
import { mailTriage } from '#correspondence/mail-triage.ts'
import { attachedDocuments } from '#documents/attached-documents.ts'
import { documentTriage } from '#documents/document-triage.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaFilingFoundation, beaMessageFoundation } from '#foundation/bea-messages.ts'
import { consumer } from '#foundation/consumer.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { filingFoundation } from '#foundation/filing.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { arrivalQueue } from '#inbox/arrival-schema.ts'
import { arrivalProcessing } from '#inbox/arrivals.ts'
import { inboundHtml } from '#mail/inbound-html.ts'
import { mailContent } from '#mail/mail-content.ts'
import { triageLookUp } from '#store/inbox/triage-lookups.ts'
import { triageSettings } from '#store/inbox/triage-settings.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { judge } from '#triage/judge.ts'
import { workerSeconds } from '../time-limits.ts'

/**
 * After this time, another queue message continues with the attachments of a beA message: so filing one is never cut
 * off.
 */
const filingMilliseconds = (workerSeconds.inbound * 1_000) / 2

/** The text of a message or letter is read in milliseconds. A file that takes longer counts as having no text. */
const maxReadingMilliseconds = 10_000

const withoutOcr = { readPages: async () => new Map<number, string>() }

const base = announcingFoundation('inbound')
indexWakes(base)
const { clock, log } = base
const documents = documentFoundation(base)
const mail = correspondenceFoundation(base)
filingFoundation(base, { mails: mail.store, documents: documents.store })
const messages = beaMessageFoundation(base)
const filing = beaFilingFoundation(base, { messages: messages.store, documents: documents.store })

const judging = {
  judge: judge({ lookUp: triageLookUp(base), findSettings: triageSettings(base) }),
  attachments: attachedDocuments({ ...documents, clock }),
  timeZoneOf: workspaceStore(base.db).timeZoneOf,
  clock,
}
/** The text of a machine-written PDF, from its text layer. The reader is loaded only for beA messages with a PDF. */
const readText = async (bytes: Uint8Array, signal: AbortSignal): Promise<string | null> => {
  const { extract } = await import('#extraction/extract.ts')
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxReadingMilliseconds)])
  try {
    const read = await extract(bytes, 'application/pdf', { ocr: withoutOcr, signal: limited })
    return 'text' in read ? read.text : null
  } catch (error) {
    if (!limited.aborted || signal.aborted) throw error
    log.warn('the text of a beA message was not read in time', {})
    return null
  }
}

const ofMail = mailTriage({ ...mail, ...judging })
const ofMessages = messageTriage({ ...messages, ...judging, readText })
const ofDocuments = documentTriage({ ...documents, ...judging })
const processing = inboundProcessing({
  ...mail,
  ...judging,
  parties: partyStore(base),
  readContent: mailContent(inboundHtml),
  log,
})

const work = arrivalProcessing({
  mail: async ({ workspace_id, id }, signal) => {
    await processing.process(workspace_id, id, signal)
    await ofMail.judge(workspace_id, id)
  },
  document: ({ workspace_id, id }) => ofDocuments.judge(workspace_id, id),
  bea: async ({ workspace_id, id, filing: filed }, signal, receptions) => {
    if (filed === undefined) return ofMessages.judge(workspace_id, id, signal, receptions)
    const until = performance.now() + filingMilliseconds
    const isOver = () => performance.now() > until
    if (!(await filing.follow({ workspace_id, message_id: id, ...filed }, isOver)))
      await filing.send({ workspace_id, id, filing: filed })
  },
})

/** Reads arrived mail, and judges mail, beA messages and documents (I3, I5). */
export const handler = consumer(base, arrivalQueue, work)
