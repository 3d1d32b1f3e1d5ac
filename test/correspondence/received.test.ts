import { describe, expect, it } from 'vitest'
import { correspondenceService } from '#correspondence/correspondence.ts'
import { bodyKey } from '#correspondence/keys.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { replyService } from '#correspondence/replies.ts'
import { receivedMail } from '#test/support/received-mail.ts'
import { actor, mailInMemory, workspaceId } from './in-memory-mail.ts'

const body = { body_text: 'Guten Tag', body_html: '<p>Guten Tag</p>', inline_images: [] }

function mailsWith(changes: Partial<CorrespondenceRecord>) {
  const record = receivedMail(workspaceId, changes)
  const { deps } = mailInMemory()
  const noList = () => Promise.reject(new Error('There is no list here.'))
  const headerDate = async () => '2026-03-13T16:59:00.000Z'
  const store = { find: async () => record, headerDate, page: noList, changes: noList }
  const bodies = new Map([[bodyKey(record), Buffer.from(JSON.stringify(body))]])
  const files = {
    ...deps.files,
    read: async (key: string) => bodies.get(key) ?? Promise.reject(new Error(`There is no ${key}.`)),
    head: async () => undefined,
  }
  return {
    bodies,
    service: correspondenceService({ store, files, withoutLinks: (raw) => raw, clock: deps.clock }),
    replies: replyService({
      ...deps,
      store,
      files,
      drafts: { add: () => Promise.reject(new Error('There are no drafts here.')) },
      bodies: { clean: async (html) => html, store: async () => null, read: async () => '' },
      providerDomain: 'eu-central-1.amazonses.com',
      areAddressesOfOneOrganization: async () => true,
    }),
    record,
  }
}

describe('a received mail', () => {
  it.each(['received', 'failed'] as const)('that is %s is shown with empty bodies', async (status) => {
    const { service, bodies, record } = mailsWith({ status, status_reason: 'unreadable' })
    bodies.clear()

    expect(await service.get(actor, record.id)).toMatchObject({
      status,
      status_reason: 'unreadable',
      body_text: '',
      body_html: '',
      inline_images: [],
    })
  })

  it('that is read is shown with its bodies, its verdicts and its protection', async () => {
    const verdicts = { spam: 'pass', virus: 'pass', spf: 'fail', dkim: 'gray', dmarc: 'unknown' } as const
    const { service, record } = mailsWith({ verdicts, protection: 'signed' })

    expect(await service.get(actor, record.id)).toMatchObject({
      ...body,
      verdicts,
      protection: 'signed',
      dated_at: '2026-03-13T16:59:00.000Z',
    })
  })

  it('cannot be downloaded if its message is not stored', async () => {
    const { service, record } = mailsWith({})

    await expect(service.raw(actor, record.id)).rejects.toMatchObject({ code: 'CORRESPONDENCE_NOT_FOUND' })
  })

  it('that is not read yet cannot be replied to or forwarded, because its text and its attachments would be missing', async () => {
    const { replies, record } = mailsWith({ status: 'received' })
    const input = { correspondence_id: record.id }

    for (const answer of [
      replies.reply(actor, { ...input, reply_all: false }),
      replies.forward(actor, input),
    ])
      await expect(answer).rejects.toMatchObject({ code: 'EXTRACTION_PENDING', retryAfterSeconds: 2 })
  })

  it('with more attachments than a mail may have is not forwarded without some of them', async () => {
    const attachments = Array.from({ length: 101 }, (_, at) => ({
      document_id: `doc_${at}`,
      filename: `${at}.pdf`,
      mime_type: 'application/pdf',
      size_bytes: 1,
      content_id: null,
    }))
    const { replies, record } = mailsWith({ attachments })

    await expect(replies.forward(actor, { correspondence_id: record.id })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })
})
