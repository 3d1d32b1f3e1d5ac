import { describe, expect, it } from 'vitest'
import type { SendOutcome } from '#correspondence/sending-ports.ts'
import { serviceMails } from '#correspondence/service-mail.ts'
import { noticeMailing } from '#webhooks/notices.ts'
import { actor, mailInMemory, workspaceId } from '../correspondence/in-memory-mail.ts'

const notice = {
  workspace_id: workspaceId,
  endpoint_id: 'whe_1',
  user_id: actor.user_id,
  failing_since: '2026-11-18T14:00:00.000Z',
  number: 1,
}

/** The worker on stores in memory. The provider gives this answer to every mail. */
function mailing(answer: SendOutcome, { active = true } = {}) {
  const mail = mailInMemory()
  mail.answer(async () => answer)
  const worker = noticeMailing({
    endpoints: {
      find: async () => ({ id: notice.endpoint_id, url: 'https://kanzlei.example/hook' }) as never,
    },
    users: {
      find: async () => ({ id: actor.user_id, name: 'Dr. Jana Vogt', email: 'vogt@ex.de', active }),
    },
    workspaces: { find: async () => ({ time_zone: 'Europe/Berlin' }) },
    sendMail: serviceMails({ ...mail.deps, store: mail.store, send: mail.send }).send,
    canMail: () => true,
    baseUrl: () => 'https://akte.example.de',
    log: mail.deps.log,
  })
  const send = () =>
    worker.send(notice).then(
      () => 'done' as const,
      () => 'comes again' as const,
    )
  return { send, attempts: () => mail.calls.length, warnings: mail.warnings }
}

describe('a notice about an endpoint', () => {
  it('is sent once, however often its message comes', async () => {
    const { send, attempts } = mailing({ kind: 'accepted', provider_message_id: 'ses-1' })

    const outcomes = [await send(), await send()]

    expect([outcomes, attempts()]).toEqual([['done', 'done'], 1])
  })

  it('is not sent to an admin who was deactivated while its message waited', async () => {
    const answer = { kind: 'accepted', provider_message_id: 'ses-1' } as const
    const { send, attempts } = mailing(answer, { active: false })

    expect([await send(), attempts()]).toEqual(['done', 0])
  })

  it('that is refused for the moment comes again', async () => {
    const { send, attempts } = mailing({ kind: 'refused', refusal: { kind: 'other', message: 'Throttled.' } })

    const outcomes = [await send(), await send()]

    expect([outcomes, attempts()]).toEqual([['comes again', 'comes again'], 2])
  })

  it('to an address that is refused is done after one attempt, and logged without the text of the provider', async () => {
    const refusal = { kind: 'address', message: "Invalid domain name: 'Kanzlei_Vogt.example'." } as const
    const { send, attempts, warnings } = mailing({ kind: 'refused', refusal })

    const outcome = await send()

    expect([outcome, attempts()]).toEqual(['done', 1])
    expect(warnings).toEqual([expect.stringContaining('"refusal":"address"')])
    expect(warnings.join()).not.toContain('Vogt')
  })
})
