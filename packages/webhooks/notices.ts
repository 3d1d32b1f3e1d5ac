import { writeMailAddress } from '#correspondence/address-schema.ts'
import type { SendServiceMail } from '#correspondence/service-mail-schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { everyItem } from '#kernel/every-item.ts'
import type { LogOf } from '#kernel/log.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Scope } from '#kernel/scope.ts'
import { disabledAt, type HealthNotice } from './deliveries/health.ts'
import type { EndpointStore } from './endpoint-ports.ts'
import type { WebhookNotice } from './notice-schema.ts'

type User = { id: string; name: string; email: string; active: boolean }

/**
 * Asks for a notice to each admin of a firm: an active user who has a key with `workspace:admin` (E10). The same notice
 * may be asked for twice.
 */
export function noticeRequests(deps: {
  users: { page: (workspaceId: string, request: PageRequest) => Promise<Page<User>> }
  keys: { hasScope: (workspaceId: string, userId: string, scope: Scope, at: string) => Promise<boolean> }
  send: (notice: WebhookNotice) => Promise<void>
  clock: Clock
}) {
  return async (notice: HealthNotice): Promise<void> => {
    const { workspace_id } = notice
    const at = deps.clock.now().toISOString()
    for await (const { id, active } of everyItem((request) => deps.users.page(workspace_id, request)))
      if (active && (await deps.keys.hasScope(workspace_id, id, 'workspace:admin', at)))
        await deps.send({ ...notice, user_id: id })
  }
}

/** Sends notices about endpoints. */
export function noticeMailing(deps: {
  endpoints: Pick<EndpointStore, 'find'>
  users: { find: (workspaceId: string, id: string) => Promise<User | undefined> }
  workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
  sendMail: SendServiceMail
  canMail: () => boolean
  baseUrl: () => string
  log: LogOf<'warn'>
}) {
  const { endpoints, users, workspaces, sendMail, canMail, baseUrl, log } = deps

  return {
    /**
     * Sends a notice once, however often its message comes. If it is lost or its address was refused, it is not tried
     * again.
     *
     * @throws if the message must come again
     */
    async send(notice: WebhookNotice): Promise<void> {
      const { workspace_id, endpoint_id, user_id, failing_since, number } = notice
      const [endpoint, user, workspace] = await Promise.all([
        endpoints.find(workspace_id, endpoint_id),
        users.find(workspace_id, user_id),
        workspaces.find(workspace_id),
      ])
      if (endpoint === undefined || !user?.active || workspace === undefined) return
      if (!canMail())
        return log.warn('a notice is not sent: the stage sends no mails', { endpoint_id, number })
      const { subject, html } = noticeText(endpoint, failing_since, workspace.time_zone)
      const { id, state, refusal, isFinal } = await sendMail(
        {
          workspace_id,
          user_id,
          key: `webhook/${endpoint_id}/${failing_since}/${number}/${user_id}`,
          case_id: null,
          to: writeMailAddress(user),
          subject,
          html,
          recordedHtml: html,
          attachments: [],
          attachments_as: 'files',
          about: { type: 'webhook', id: endpoint_id, signer_id: null, mail: 'failing', link_sha256: null },
          beforeSending: async () => {},
        },
        { baseUrl: baseUrl() },
      )
      if (state === 'sent') return
      if (!isFinal) throw new Error(`The mail ${id} is ${state}: ${refusal?.message ?? 'no answer yet'}`)
      log.warn('a notice may not have been sent', {
        endpoint_id,
        correspondence_id: id,
        state,
        refusal: refusal?.kind,
      })
    },
  }
}

/** The text of a notice. The mail is recorded, so it names the address without path and query, which may hold a token. */
function noticeText(
  { id, url }: { id: string; url: string },
  failingSince: string,
  timeZone: string,
): { subject: string; html: string } {
  const written = (locale: string, at: string) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
      Date.parse(at),
    )
  const address = `<b>${escapeHtml(new URL(url).origin)}</b> (${id})`
  const end = disabledAt(failingSince)
  return {
    subject: 'Ein Webhook nimmt keine Ereignisse an',
    html: `<div style="font-family: Arial, sans-serif; font-size: 15px; line-height: 1.5"><div lang="de"><p>Die Adresse ${address} hat seit ${written('de-DE', failingSince)} kein Ereignis angenommen. Bleibt es dabei, wird sie am ${written('de-DE', end)} abgeschaltet. Nichts geht verloren: Nach dem Einschalten wird gesendet, was inzwischen geschehen ist, soweit es nicht älter als 30 Tage ist.</p></div><hr><div lang="en"><p>The address ${address} has taken no event since ${written('en-GB', failingSince)}. If that does not change, it is disabled at ${written('en-GB', end)}. Nothing is lost: once it is enabled, it gets what has happened meanwhile, up to 30 days back.</p></div></div>`,
  }
}
