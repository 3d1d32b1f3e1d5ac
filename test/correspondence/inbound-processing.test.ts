import { describe, expect, it } from 'vitest'
import { followFiling } from '#correspondence/jobs.ts'
import { bodyKey, factsKey } from '#correspondence/keys.ts'
import { openInbox } from '#test/support/received-mail.ts'
import { arrivalsInMemory, content } from './in-memory-arrivals.ts'
import { workspaceId } from './in-memory-mail.ts'

const file = (filename: string, content_id: string | null = null) => ({
  filename,
  mime_type: 'application/pdf',
  content_id,
  bytes: Buffer.from('%PDF'),
})

describe('reading a received mail', () => {
  it('stores its bodies and facts, creates documents from its files, and then makes it processed', async () => {
    const mail = arrivalsInMemory()
    mail.given.read = async () => ({
      ...content,
      protection: 'signed',
      files: [file('Klage.pdf'), file('Bild.png', 'bild@1')],
    })

    await mail.process()

    const record = mail.current()
    expect(record).toMatchObject({ status: 'processed', status_reason: null, protection: 'signed' })
    expect(record.attachments).toMatchObject([
      { document_id: 'doc_0', filename: 'Klage.pdf', content_id: null },
      { document_id: 'doc_1', filename: 'Bild.png', content_id: 'bild@1' },
    ])
    const json = (key: string) => JSON.parse(String(mail.files.get(key)))
    expect(json(bodyKey(record))).toEqual(content.body)
    expect(json(factsKey(record))).toMatchObject({ received_on: '2026-03-16', verdict: 'unknown' })
    expect(record.inbox?.is_judged).toBe(false)
  })

  it('happens once: a second message of the queue changes nothing', async () => {
    const mail = arrivalsInMemory()
    await mail.process()
    const { version } = mail.current()

    await mail.process()

    expect(mail.current().version).toBe(version)
  })

  it('sets the party with the address of the sender, and none if several have it', async () => {
    const [one, several] = [arrivalsInMemory(), arrivalsInMemory()]
    one.parties.set('max@mueller.de', ['pty_1'])
    several.parties.set('max@mueller.de', ['pty_1', 'pty_2'])

    await Promise.all([one.process(), several.process()])

    expect([one.current().party_id, several.current().party_id]).toEqual(['pty_1', null])
  })

  it('keeps the party that a person chose, also the choice of none', async () => {
    const chosen = arrivalsInMemory({ party_id: 'pty_9', inbox: openInbox({ is_decided: true }) })
    const none = arrivalsInMemory({ party_id: null, inbox: openInbox({ is_decided: true }) })
    for (const mail of [chosen, none]) mail.parties.set('max@mueller.de', ['pty_1'])

    await Promise.all([chosen.process(), none.process()])

    expect([chosen.current().party_id, none.current().party_id]).toEqual(['pty_9', null])
  })

  it('moves its attachments to the case in which a person filed it meanwhile', async () => {
    const mail = arrivalsInMemory()
    mail.given.read = async () => {
      mail.change({ case_id: 'case_1', inbox: openInbox({ state: 'filed', is_decided: true }) })
      return { ...content, files: [file('Klage.pdf')] }
    }

    await mail.process()

    expect(mail.current()).toMatchObject({ status: 'processed', case_id: 'case_1' })
    expect(mail.jobs).toEqual([
      followFiling.of({
        workspace_id: workspaceId,
        correspondence_id: mail.id,
        from: null,
        at: '2026-11-20T14:03:00.000Z',
      }),
    ])
  })
})

describe('a message that cannot be read', () => {
  it('has failed with a reason, and stays in the inbox with a notice', async () => {
    const mail = arrivalsInMemory()
    mail.given.read = async () => ({ refused: 'too_large' })

    await mail.process()

    expect(mail.current()).toMatchObject({
      status: 'failed',
      status_reason: 'too_large',
      inbox: { state: 'open', is_judged: true, notice: expect.stringContaining('nicht gelesen') },
    })
  })

  it('has failed after three errors of the parser; the queue repeats each attempt', async () => {
    const mail = arrivalsInMemory()
    mail.given.read = async () => {
      throw new RangeError('Maximum call stack size exceeded')
    }

    await expect(mail.process()).rejects.toThrow('call stack')
    await expect(mail.process()).rejects.toThrow('call stack')
    expect(mail.current().status).toBe('received')
    await mail.process()

    expect(mail.current()).toMatchObject({ status: 'failed', status_reason: 'unreadable' })
    expect(mail.errors).toHaveLength(3)
  })

  it('has failed after three crashes of the worker', async () => {
    const mail = arrivalsInMemory()
    mail.given.read = () => new Promise(() => {})
    for (let death = 0; death < 3; death += 1) {
      void mail.process()
      await new Promise(setImmediate)
    }
    expect(mail.current()).toMatchObject({ status: 'received', attempts: 3 })

    await mail.process()

    expect(mail.current()).toMatchObject({ status: 'failed', status_reason: 'out_of_resources' })
  })

  it('is processed if an attempt succeeds after it had timed out', async () => {
    const mail = arrivalsInMemory()
    const { promise, resolve } = Promise.withResolvers<typeof content>()
    mail.given.read = () => promise
    const slow = Array.from({ length: 3 }, () => mail.process())
    await new Promise(setImmediate)
    await mail.process()
    expect(mail.current().status).toBe('failed')

    resolve(content)
    await Promise.all(slow)

    expect(mail.current()).toMatchObject({
      status: 'processed',
      status_reason: null,
      inbox: { notice: null },
    })
  })

  it('counts a timeout as an attempt, but not an outage of a service', async () => {
    const [late, out] = [arrivalsInMemory(), arrivalsInMemory()]
    const time = new AbortController()
    late.given.read = async () => {
      time.abort(new Error('The time is over.'))
      return { ...content, files: [file('a.pdf')] }
    }
    late.deps.files.put = async () => time.signal.throwIfAborted()
    out.deps.files.put = async () => Promise.reject(new Error('S3 does not answer.'))

    await expect(late.process(time.signal)).rejects.toThrow('time is over')
    await expect(out.process()).rejects.toThrow('S3')

    expect([late.current().attempts, out.current().attempts]).toEqual([1, 0])
    expect([late.current().status, out.current().status]).toEqual(['received', 'received'])
  })
})
