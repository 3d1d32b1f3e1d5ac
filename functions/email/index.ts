import { directSendService } from '#correspondence/direct-sends.ts'
import { draftBodies } from '#correspondence/draft-bodies.ts'
import { draftService } from '#correspondence/drafts.ts'
import { replyService } from '#correspondence/replies.ts'
import { sending } from '#correspondence/sending.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { serve } from '#http/serve.ts'
import { composeMail } from '#mail/compose.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { sesSender } from '#mail/ses.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('email')
indexWakes(base)
const mail = correspondenceFoundation(base)
const deps = {
  ...mail,
  bodies: draftBodies({ files: mail.files, html: mailHtml }),
  users: userStore(base),
  workspaces: workspaceStore(base.db),
  parties: partyStore(base),
  html: mailHtml,
  compose: composeMail,
  sendMail: sesSender(),
  providerDomain: messageIdDomain(),
  // The Public Suffix List is loaded only if a reply needs it.
  areAddressesOfOneOrganization: async (one: string, other: string) =>
    (await import('#mail/organizations.ts')).areAddressesOfOneOrganization(one, other),
  clock: base.clock,
  log: base.log,
}
const { send } = sending(deps)

export const handler = serve(endpoints, {
  ...base,
  services: {
    drafts: draftService({ ...deps, send }),
    direct: directSendService({ ...deps, send }),
    replies: replyService(deps),
  },
})
