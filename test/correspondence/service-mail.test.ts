import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { delivery } from '#correspondence/delivery.ts'
import { bodyKey, messageKey } from '#correspondence/keys.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { serviceMails } from '#correspondence/service-mail.ts'
import type { ServiceMail } from '#correspondence/service-mail-schema.ts'
import { Failure } from '#kernel/failure.ts'
import { actor, mailInMemory, workspaceId } from './in-memory-mail.ts'

const accepted = { kind: 'accepted', provider_message_id: 'ses-1' } as const
const refused = { kind: 'refused', refusal: { kind: 'other', message: 'Throttled.' } } as const
const unknown = { kind: 'unknown', cause: new Error('The connection was lost.') } as const

/** Service mails in memory. Each call to `sendLink` creates a new link, as the worker does. */
function serviceMailsInMemory() {
  const mail = mailInMemory()
  const activated: (string | null)[] = []
  let activation: (record: CorrespondenceRecord) => Promise<void> = async () => {}
  let links = 0
  const service = serviceMails({ ...mail.deps, store: mail.store, send: mail.send })
  const sendLink = (changes: Partial<ServiceMail> = {}) => {
    links += 1
    const link = `link-${links}`
    return service.send(
      {
        workspace_id: workspaceId,
        user_id: actor.user_id,
        key: 'env_1 invitation',
        case_id: mail.content.case_id,
        to: 'Jörg Weber <weber@example.com>',
        subject: 'Bitte unterschreiben: Vollmacht für Jörg Weber',
        html: `<p>Bitte: <a href="https://akte.example.de/sign/${link}">unterschreiben</a></p>`,
        recordedHtml: '<p>Bitte: unterschreiben</p>',
        attachments: [],
        attachments_as: 'files',
        about: {
          type: 'envelope',
          id: 'env_1',
          signer_id: 'signer_1',
          mail: 'invitation',
          link_sha256: link,
        },
        beforeSending: async (record) => {
          await activation(record)
          activated.push(record.about?.link_sha256 ?? null)
        },
        ...changes,
      },
      { baseUrl: 'https://akte.example.de' },
    )
  }
  return {
    ...mail,
    sendLink,
    activated,
    /** Sets a step that runs from now on before the provider is called. */
    whenActivated: (then: typeof activation) => {
      activation = then
    },
    recorded: () => [...mail.records.values()],
    /** The links in the messages that the provider was given. */
    sentLinks: () =>
      mail.calls.map(({ raw }) => /sign\/(link-\d+)/.exec(Buffer.from(raw).toString())?.[1] ?? null),
  }
}

describe('a service mail', () => {
  it('is sent once for its key, on behalf of the user, and its record has its topic', async () => {
    const mails = serviceMailsInMemory()

    const outcomes = [await mails.sendLink(), await mails.sendLink()]

    const [record, ...others] = mails.recorded()
    expect(outcomes).toEqual(
      outcomes.map(() => ({ id: record?.id, state: 'sent', refusal: null, isFinal: true })),
    )
    expect(others).toEqual([])
    expect(record).toMatchObject({
      user_id: actor.user_id,
      from: { name: 'Dr. Jana Vogt', email: 'vogt@mail.example.de' },
      to: ['Jörg Weber <weber@example.com>'],
      about: { type: 'envelope', id: 'env_1', signer_id: 'signer_1', mail: 'invitation' },
    })
    expect([mails.calls.length, mails.activated, mails.timeline.length]).toEqual([1, ['link-1'], 1])
  })

  it('has its link only in the message', async () => {
    const mails = serviceMailsInMemory()

    await mails.sendLink({ about: { ...about, link_sha256: 'digest' } })

    const [record] = mails.recorded()
    if (record === undefined) throw new Error('Nothing was recorded.')
    const text = (key: string) => Buffer.from(mails.files.get(key) ?? []).toString()
    expect(text(messageKey(record))).toContain('/sign/link-1')
    expect(JSON.parse(text(bodyKey(record))).body_html).toBe('<p>Bitte: unterschreiben</p>')
    expect(text(bodyKey(record)) + JSON.stringify([record, mails.timeline, mails.warnings])).not.toContain(
      'link-1',
    )
  })

  it('does not collide with the same key of a user', async () => {
    const mails = serviceMailsInMemory()
    await mails.sendWith('env_1 invitation')

    const outcome = await mails.sendLink()

    expect([outcome.state, mails.calls.length]).toEqual(['sent', 2])
  })

  it('of twenty concurrent calls is passed to the provider once, with the link that was made valid', async () => {
    const mails = serviceMailsInMemory()
    mails.answer(() => setTimeout(20, accepted))

    const outcomes = await Promise.all(Array.from({ length: 20 }, () => mails.sendLink()))

    expect(mails.calls.length).toBe(1)
    expect(mails.sentLinks()).toEqual(mails.activated)
    expect(new Set(outcomes.map(({ id }) => id)).size).toBe(1)
    expect(outcomes.map(({ state }) => state).toSorted()).toEqual([
      ...Array.from({ length: 19 }, () => 'sending'),
      'sent',
    ])
  })

  it('makes its link valid after the intent is recorded and before the provider is called', async () => {
    const mails = serviceMailsInMemory()
    const order: string[] = []
    mails.whenActivated(async ({ id }) => {
      order.push(`${mails.records.get(id)?.status} ${mails.calls.length}`)
    })

    await mails.sendLink()

    expect(order).toEqual(['sending 0'])
  })

  it('is not sent if its link cannot be made valid, and is tried again with its key', async () => {
    const mails = serviceMailsInMemory()
    mails.whenActivated(() => Promise.reject(new Error('The table does not answer.')))
    const first = await mails.sendLink()
    const callsBefore = mails.calls.length
    mails.whenActivated(async () => {})

    const second = await mails.sendLink()

    expect([first.state, callsBefore]).toEqual(['refused', 0])
    expect([second.state, second.id]).toEqual(['sent', first.id])
    expect(mails.sentLinks()).toEqual(['link-1'])
    expect(mails.activated).toEqual(['link-1'])
  })

  it('that was refused is sent with the stored message, whose link is made valid again', async () => {
    const mails = serviceMailsInMemory()
    mails.answer(async () => refused)
    const first = await mails.sendLink()
    mails.answer(async () => accepted)

    const second = await mails.sendLink()

    expect(first).toMatchObject({
      state: 'refused',
      refusal: { kind: 'other', message: 'Throttled.' },
      isFinal: false,
    })
    expect(second.state).toBe('sent')
    expect(mails.sentLinks()).toEqual(['link-1', 'link-1'])
    expect(mails.activated).toEqual(['link-1', 'link-1'])
  })

  it('is in progress for ten minutes if its answer is lost, is lost after that, and is never sent again', async () => {
    const mails = serviceMailsInMemory()
    mails.answer(async () => unknown)
    const states = [(await mails.sendLink()).state]
    mails.answer(async () => accepted)
    states.push((await mails.sendLink()).state)
    mails.passMinutes(10)
    states.push((await mails.sendLink()).state)
    mails.passMinutes(60 * 24 * 399)
    states.push((await mails.sendLink()).state)

    expect(states).toEqual(['sending', 'sending', 'lost', 'lost'])
    expect([mails.calls.length, mails.activated]).toEqual([1, ['link-1']])
  })

  it.each([
    ['was recorded, before its link was made valid', 0],
    ['made its link valid, before the provider was asked', 1],
  ])('is not sent on a guess if its process died after it %s', async (_, activated) => {
    const mails = serviceMailsInMemory()
    // A step that never ends simulates a process that died.
    if (activated === 0) mails.whenActivated(() => new Promise(() => {}))
    else mails.answer(() => new Promise(() => {}))
    void mails.sendLink()
    await setTimeout(5)
    mails.whenActivated(async () => {})
    mails.answer(async () => accepted)

    const before = (await mails.sendLink()).state
    mails.passMinutes(10)
    const after = (await mails.sendLink()).state

    expect([before, after]).toEqual(['sending', 'lost'])
    expect([mails.calls.length, mails.activated.length]).toEqual([activated, activated])
  })

  it('that an event proves sent is sent', async () => {
    const mails = serviceMailsInMemory()
    mails.answer(async () => unknown)
    const { id } = await mails.sendLink()
    await delivery({ store: mails.store, log: { warn: () => {} } }).record({
      eventType: 'Send',
      mail: {
        timestamp: '2026-11-20T14:03:01.000Z',
        messageId: 'ses-event',
        tags: { workspace: [workspaceId], correspondence: [id] },
      },
    })

    expect(await mails.sendLink()).toEqual({ id, state: 'sent', refusal: null, isFinal: true })
    expect(mails.calls.length).toBe(1)
  })

  it('of a deleted case has no case', async () => {
    const mails = serviceMailsInMemory()
    mails.deleteCase()

    const outcome = await mails.sendLink()

    expect(outcome.state).toBe('sent')
    expect(mails.recorded().map(({ case_id }) => case_id)).toEqual([null])
    expect(mails.sentLinks()).toEqual(mails.activated)
    // The message that was composed for the case was removed.
    expect(mails.files.size).toBe(2)
  })

  it('that could not be recorded fails, and the next call starts again', async () => {
    const mails = serviceMailsInMemory()
    mails.failBegin(new Failure('unavailable', 'SERVICE_UNAVAILABLE', ''))
    await expect(mails.sendLink()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    mails.failBegin(undefined)

    const outcome = await mails.sendLink()

    expect([outcome.state, mails.activated]).toEqual(['sent', ['link-2']])
    expect(mails.sentLinks()).toEqual(['link-2'])
  })

  it('with a document that was deleted is not begun', async () => {
    const mails = serviceMailsInMemory()
    await expect(mails.sendLink({ attachments: ['doc_1'] })).rejects.toMatchObject({
      code: 'ATTACHMENT_GONE',
    })
    expect([mails.recorded(), mails.activated]).toEqual([[], []])
  })
})

const about = { type: 'envelope', id: 'env_1', signer_id: 'signer_1', mail: 'invitation' } as const
