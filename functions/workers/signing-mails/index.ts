import { sending } from '#correspondence/sending.ts'
import { serviceMails } from '#correspondence/service-mail.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { mailReportFoundation } from '#foundation/mail-reports.ts'
import { canMailLinks, signingFoundation } from '#foundation/signing.ts'
import { composeMail } from '#mail/compose.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { sesSender } from '#mail/ses.ts'
import { envelopeMailing } from '#signing/mail/envelope-mailing.ts'
import { envelopeMailQueue } from '#signing/queues.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { endpointStore } from '#store/webhooks/endpoint-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { noticeMailing } from '#webhooks/notices.ts'

const base = announcingFoundation('signing-mails')
indexWakes(base)
const { clock, log } = base
const mail = correspondenceFoundation(base)
const { store } = signingFoundation(base)
const { delivery } = mailReportFoundation(base, { mails: mail.store, envelopes: store })
const users = userStore(base)
const workspaces = workspaceStore(base.db)
const { send } = sending({
  ...mail,
  users,
  workspaces,
  parties: partyStore(base),
  html: mailHtml,
  compose: composeMail,
  sendMail: sesSender(),
  clock,
  log,
})
const { send: sendMail } = serviceMails({ store: mail.store, send, clock })
const mailing = envelopeMailing({
  store,
  delivery,
  users,
  workspaces,
  documents: mail.documents,
  sendMail,
  clock,
  log,
  baseUrl,
  canMail: canMailLinks,
})

const notices = noticeMailing({
  endpoints: endpointStore(base),
  users,
  workspaces,
  sendMail,
  canMail: canMailLinks,
  baseUrl,
  log,
})

/** Sends the service mails: mails of envelopes, and notices about webhooks. */
export const handler = consumer(base, envelopeMailQueue, (mail) =>
  'endpoint_id' in mail ? notices.send(mail) : mailing.send(mail),
)

/** The base address of the links in mails. */
function baseUrl(): string {
  const url = process.env.SERVICE_BASE_URL
  if (!url) throw new Error('SERVICE_BASE_URL is not set: mails with links need the domain of the stage.')
  return url
}
