import { describe, expect, it } from 'vitest'
import type { SharedLink } from '#correspondence/ports.ts'
import { sharedLinkPageService } from '#correspondence/shared-link-page.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { mailRecord } from '#test/support/mail-records.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'

const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'
const link: SharedLink = {
  token_sha256: hexDigest(token),
  workspace_id: 'ws_1',
  correspondence_id: 'corr_1',
  case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  documents: [{ document_id: 'doc_1', filename: 'Akte.pdf' }],
  expires_at: '2026-12-20T14:03:00.000Z',
}

const mail = mailRecord('ws_1')

/** The use case on one link in memory, at this time. */
function sharedAt(now: string) {
  const recorded: CaseTimelineEntry[] = []
  const order: string[] = []
  const service = sharedLinkPageService({
    store: {
      findLink: async (digest) => (digest === link.token_sha256 ? link : undefined),
      find: async () => ({ ...mail, case_id: link.case_id }),
      recordOpening: async (_, __, { timeline }) => {
        order.push('recorded')
        recorded.push(...timeline)
      },
    },
    documents: {
      findAll: async () => [
        {
          id: 'doc_1',
          filename: 'Umbenannt.pdf',
          mime_type: 'application/pdf',
          size_bytes: 3,
          is_complete: true,
          case_id: null,
          key: 'files/1',
        },
      ],
    },
    workspaces: {
      find: async () => ({ name: 'Kanzlei', inbound_address: 'a@b.de', time_zone: 'Europe/Berlin' }),
    },
    files: {
      stream: async () => {
        order.push('opened')
        return (async function* () {})()
      },
    },
    clock: { now: () => new Date(now) },
  })
  return { service, recorded, order }
}

describe('a shared link', () => {
  it('is valid until its last millisecond, and then unknown', async () => {
    const before = await sharedAt('2026-12-20T14:02:59.999Z').service.admit(token)

    expect(before).toEqual(link)
    await expect(sharedAt('2026-12-20T14:03:00.000Z').service.admit(token)).rejects.toMatchObject({
      code: 'SHARED_LINK_NOT_FOUND',
    })
  })

  it.each([undefined, '', 'x', hexDigest(token)])('does not open to %s', async (shown) => {
    await expect(sharedAt('2026-12-01T00:00:00.000Z').service.admit(shown)).rejects.toMatchObject({
      code: 'SHARED_LINK_NOT_FOUND',
    })
  })

  it('opens a document with the name with which it was sent, and records it before the first byte', async () => {
    const { service, recorded, order } = sharedAt('2026-12-01T00:00:00.000Z')

    const file = await service.download(link, 'doc_1')
    expect(recorded).toEqual([])
    await file.open(undefined)

    expect(file.filename).toBe('Akte.pdf')
    expect(order).toEqual(['recorded', 'opened'])
    expect(recorded).toMatchObject([{ case_id: link.case_id, entry: { actor: { type: 'external' } } }])
  })
})
