import { describe, expect, it } from 'vitest'
import { draftBodies } from '#correspondence/draft-bodies.ts'
import { type DraftDeps, type DraftService, draftService } from '#correspondence/drafts.ts'
import type { DraftRecord } from '#correspondence/ports.ts'
import { type Draft, DraftInput } from '#correspondence/schema.ts'
import type { Job } from '#jobs/job.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { actor } from './in-memory-mail.ts'

const began = '2026-11-20T14:00:00.000Z'

/** The use case on one draft, `minutes` after its send began at 14:00. The outcome of the send is unknown. */
function draftAfter(minutes: number) {
  let record: DraftRecord = {
    workspace_id: actor.workspace_id,
    id: 'draft_1',
    user_id: actor.user_id,
    to: ['anna@example.com'],
    cc: [],
    bcc: [],
    subject: 'Frist',
    attachments: [],
    attachments_as: 'files',
    warnings: [],
    case_id: null,
    in_reply_to: null,
    references: [],
    status: 'sending',
    correspondence_id: 'corr_1',
    sending_since: began,
    body_key: 'mails/ws/draft_1/old.html',
    created_at: began,
    updated_at: began,
    version: 2,
  }
  const files = new Map<string, Uint8Array>([
    ['mails/ws/draft_1/old.html', new TextEncoder().encode('<p>Alt</p>')],
  ])
  const jobs: Job[] = []
  let faultAfterChange: Error | undefined
  let whileDocumentsAreRead = async () => {}
  const newNames = new Map<string, string>()
  const drafts: DraftDeps['drafts'] = {
    find: async () => record,
    page: async () => ({ data: [record], pagination: { cursor: null, has_more: false } }),
    add: async ({ answer }) => unchanged(answer),
    change: async (_, id, decide) => {
      if (id !== record.id) throw notFound('DRAFT_NOT_FOUND')
      const decided = decide(record)
      if (decided.record === undefined) return unchanged(decided.answer)
      record = decided.record
      jobs.push(...(decided.jobs ?? []))
      if (faultAfterChange !== undefined) throw faultAfterChange
      return unchanged(decided.answer)
    },
    remove: async (_workspace, _id, decide) => void jobs.push(...(decide(record).jobs ?? [])),
  }
  const mailFiles = {
    put: async (key: string, bytes: Uint8Array) => void files.set(key, bytes),
    read: async (key: string) => files.get(key) ?? Promise.reject(new Error(`There is no ${key}.`)),
    stream: () => Promise.reject(new Error('Nothing is streamed here.')),
    remove: async (keys: string[]) => {
      for (const key of keys) files.delete(key)
    },
  }
  const html = {
    clean: async (text: string) => text,
    textOf: async (text: string) => text,
    withoutTokens: (text: string) => text,
  }
  const service = draftService({
    drafts,
    bodies: draftBodies({ files: mailFiles, html }),
    files: mailFiles,
    documents: {
      findAll: async (_, ids) => {
        await whileDocumentsAreRead()
        return ids.map((id) => ({
          id,
          filename: newNames.get(id) ?? `${id}.pdf`,
          mime_type: 'application/pdf',
          size_bytes: 1,
          is_complete: true,
          case_id: null,
          key: id,
        }))
      },
    },
    send: async (_sender, read) => {
      await read()
      throw new Error('Nothing is sent here.')
    },
    clock: { now: () => new Date(Date.parse(began) + minutes * 60_000) },
  })
  return {
    service,
    files,
    jobs,
    current: () => record,
    rename: (id: string, filename: string) => void newNames.set(id, filename),
    /** Runs once while documents are read the next time. */
    duringNextRead: (run: () => Promise<unknown>) => {
      whileDocumentsAreRead = async () => {
        whileDocumentsAreRead = async () => {}
        await run()
      }
    },
    /** From now on every change is stored, and then fails with this error. */
    failAfterChange: (fault: Error) => {
      faultAfterChange = fault
    },
  }
}

const anyState = () => {}

describe('a draft whose send has an unknown outcome', () => {
  it('is being sent for ten minutes, and can be neither changed nor deleted', async () => {
    const { service } = draftAfter(9.9)

    expect((await service.get(actor, 'draft_1')).status).toBe('sending')
    await expect(service.update(actor, 'draft_1', { subject: 'Neu' }, anyState)).rejects.toMatchObject({
      code: 'DRAFT_ALREADY_SENT',
    })
    await expect(service.remove(actor, 'draft_1', anyState)).rejects.toMatchObject({
      code: 'DRAFT_ALREADY_SENT',
    })
  })

  it('has failed after ten minutes; after it is saved again, even unchanged, its next send is a new mail', async () => {
    const { service, current } = draftAfter(10)

    const failed = (await service.get(actor, 'draft_1')).status
    const saved = await service.update(actor, 'draft_1', { subject: 'Frist' }, anyState)

    expect([failed, saved.status]).toEqual(['failed', 'draft'])
    expect(current()).toMatchObject({ correspondence_id: null, sending_since: null })
  })

  it('is sent again only by a caller who has seen it, before, during or after that send', async () => {
    const { service } = draftAfter(10)
    const seeing = (seen: Partial<Draft>) =>
      service.send(actor, 'draft_1', {
        baseUrl: '',
        precondition: (draft) => expect(draft).toMatchObject(seen),
      })

    for (const status of ['draft', 'sending', 'failed'] as const)
      await expect(seeing({ subject: 'Frist', status })).rejects.toThrow('Nothing is sent here.')
    await expect(seeing({ subject: 'Früher' })).rejects.toThrow('Früher')
  })
})

describe('a change of a draft', () => {
  const inputOf = (fields: object) => DraftInput.parse(fields)
  const [one, two] = [newId('document'), newId('document')]
  const attach = (service: DraftService, ...attachments: string[]) =>
    service.update(actor, 'draft_1', inputOf({ attachments }), anyState)

  it('of attachments_as keeps the documents that a concurrent change attaches', async () => {
    const { service, current, duringNextRead } = draftAfter(10)
    await attach(service, one)
    duringNextRead(() => attach(service, one, two))

    await service.update(actor, 'draft_1', inputOf({ attachments_as: 'links' }), anyState)

    expect(current().attachments_as).toBe('links')
    expect(current().attachments.map(({ document_id }) => document_id)).toEqual([one, two])
  })

  it('of its documents keeps the attachments_as of a concurrent change', async () => {
    const { service, current, duringNextRead } = draftAfter(10)
    await attach(service, one)
    duringNextRead(() => service.update(actor, 'draft_1', inputOf({ attachments_as: 'links' }), anyState))

    await attach(service, two)

    expect(current().attachments_as).toBe('links')
    expect(current().attachments.map(({ document_id }) => document_id)).toEqual([two])
  })
})

describe('a document that is renamed after it was attached', () => {
  const document = newId('document')
  const attachedIn = async (minutes: number) => {
    const draft = draftAfter(minutes)
    const input = DraftInput.parse({ attachments: [document] })
    const before = await draft.service.update(actor, 'draft_1', input, anyState)
    draft.rename(document, 'Klage.pdf')
    return { ...draft, before }
  }
  const namesOf = ({ attachments }: Pick<Draft, 'attachments'>) => attachments.map(({ filename }) => filename)

  it('has its new name in the draft and in the list', async () => {
    const { service } = await attachedIn(10)

    const { data } = await service.list(actor, { limit: 50 })

    expect(namesOf(await service.get(actor, 'draft_1'))).toEqual(['Klage.pdf'])
    expect(data.map(namesOf)).toEqual([['Klage.pdf']])
  })

  it('changes the ETag: a caller who saw the old name can neither save, delete nor send the draft', async () => {
    const { service, before } = await attachedIn(10)
    const seen = (draft: Draft) => expect(namesOf(draft).join()).toBe(namesOf(before).join())

    await expect(service.update(actor, 'draft_1', { subject: 'Neu' }, seen)).rejects.toThrow('Klage.pdf')
    await expect(service.remove(actor, 'draft_1', seen)).rejects.toThrow('Klage.pdf')
    await expect(service.send(actor, 'draft_1', { baseUrl: '', precondition: seen })).rejects.toThrow(
      'Klage.pdf',
    )
  })

  it('does not change the version of a draft that is saved without a change', async () => {
    const { service, before, current } = await attachedIn(10)
    const { version } = current()

    const after = await service.update(actor, 'draft_1', { subject: before.subject }, anyState)

    expect([namesOf(after), current().version]).toEqual([['Klage.pdf'], version])
  })

  it('keeps its old name in a mail that is being sent', async () => {
    const { service, current } = draftAfter(9.9)
    const attachment = { document_id: document, filename: 'Entwurf.pdf' }
    current().attachments.push(attachment)

    expect((await service.get(actor, 'draft_1')).attachments).toEqual([attachment])
  })
})

describe('the bodies of a draft', () => {
  it('have a new key for each save, and a job removes the previous body', async () => {
    const { service, current, jobs } = draftAfter(10)
    const keys = [current().body_key]

    for (const text of ['A', 'B', 'A']) {
      await service.update(actor, 'draft_1', { body_html: text }, anyState)
      keys.push(current().body_key)
    }

    expect(new Set(keys).size).toBe(4)
    expect(jobs.map(({ payload }) => payload)).toEqual(keys.slice(0, 3).map((key) => ({ keys: [key] })))
  })

  it('of a refused save are removed, and the draft keeps its previous body', async () => {
    const { service, files, current } = draftAfter(10)
    const refuse = () => {
      throw notFound('DRAFT_NOT_FOUND')
    }

    await expect(service.update(actor, 'draft_1', { body_html: 'Neu' }, refuse)).rejects.toThrow()

    expect([...files.keys()]).toEqual([current().body_key])
  })

  it.each([
    ['in time', new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'The store did not answer in time.')],
    ['with what can be read', new SyntaxError('Unexpected end of JSON input')],
  ])('of a save that the store did not answer %s stay: the draft may name them', async (_, fault) => {
    const { service, files, current, failAfterChange } = draftAfter(10)
    failAfterChange(fault)

    await expect(service.update(actor, 'draft_1', { body_html: 'Neu' }, anyState)).rejects.toBe(fault)

    expect([...files.keys()]).toContain(current().body_key)
  })
})
