import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Answer, type Api, allOf, codeOf } from '#test/support/api.ts'
import { type FaultySes, faultySes, type MailFault } from '#test/support/faulty-ses.ts'
import { restarts } from '#test/support/restarts.ts'
import { envelopesIn, newAddress, outbound, sentTo, until } from '#test/support/sent-mail.ts'

afterEach(() => void vi.restoreAllMocks())

/** One action of a user: a direct send in either shape, or a draft's send. Every repetition is the same request. */
type Action = { to: string; ask: (owner: Api) => Promise<Answer>; answers: Answer[]; draftId?: string }

function directSend(case_id: string, to = newAddress()): Action {
  const key = { idempotency_key: crypto.randomUUID() }
  const shape = Math.random() < 0.5 ? { to: [to] } : { to_recipients: [to] }
  const body = { ...shape, ...key, subject: 'Frist läuft', body_html: '<p>Heute</p>', case_id }
  return { to, answers: [], ask: (owner) => owner('POST', `${outbound}/send`, { body }) }
}

async function draftSend(owner: Api, case_id: string, to = newAddress()): Promise<Action> {
  const body = { to: [to], subject: 'Entwurf', body_html: '<p>Heute</p>', case_id }
  const { id } = (await owner('POST', `${outbound}/drafts`, { body })).body
  return { to, answers: [], draftId: id, ask: (by) => by('POST', `${outbound}/drafts/${id}/send`) }
}

const newCase = async (owner: Api): Promise<string> =>
  (await owner('POST', '/api/v1/cases', { body: { name: 'Absturz' } })).body.id

type Mail = { id: string; status: string; to: string[]; sent_at: string; message_id: string | null }

/** The line went dead, or the answer took too long: the caller does not know what became of its request. */
const isLostAnswer = (error: unknown) =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')

describe('a service killed while it sends', () => {
  const { dataDir, started, kill } = restarts()
  const kills = 2
  // If the test is repeated, what it has sent before counts as well.
  const actions: Action[] = []
  let case_id = ''

  it('has sent what it accepted once, shows as sent what went out and nothing else, and repeats nothing', async () => {
    for (let round = 0; round < kills; round += 1) {
      const { owner } = await started()
      case_id ||= await newCase(owner)
      let answered = 0
      let isKilled = false
      // Each caller sends new mail, and now and then repeats what it or another sent before, until the line goes dead.
      const callers = Array.from({ length: 5 }, async (_, caller) => {
        while (!isKilled) {
          const old = actions[Math.floor(Math.random() * actions.length)]
          const isNew = old === undefined || Math.random() < 0.7
          const fresh = caller < 2 ? () => draftSend(owner, case_id) : () => directSend(case_id)
          try {
            const action = isNew ? await fresh() : old
            if (isNew) actions.push(action)
            action.answers.push(await action.ask(owner))
            answered += 1
          } catch (error) {
            if (!isLostAnswer(error)) throw error
          }
        }
      })
      const dead = Promise.allSettled(callers)
      await vi.waitFor(() => expect(answered).toBeGreaterThan(2), { timeout: 120_000 })
      await sleep(Math.random() * 400)
      isKilled = true
      await kill()
      for (const one of await dead) expect(one.status).toBe('fulfilled')
    }

    const { owner } = await started()
    const taken = new Set((await envelopesIn(dataDir)).map(({ tags }) => tags.correspondence))
    // The events of what was taken are emitted again.
    const mails: Mail[] = await vi.waitFor(
      async () => {
        const found: Mail[] = await allOf(owner, '/api/v1/correspondence')
        expect(found.filter(({ id, status }) => taken.has(id) && status !== 'sent')).toEqual([])
        return found
      },
      { timeout: 120_000, interval: 500 },
    )

    const sent = mails.filter(({ status }) => status === 'sent')
    expect(new Set(sent.map(({ id }) => id))).toEqual(taken)
    expect((await envelopesIn(dataDir)).length).toBe(taken.size)
    expect(mails.map(({ status }) => status).filter((one) => one !== 'sent' && one !== 'sending')).toEqual([])
    const accepted = actions.filter(({ answers }) => answers.some(({ status }) => status === 200))
    expect(accepted.length).toBeGreaterThanOrEqual(kills)
    const byAddress = new Map(mails.map((mail) => [mail.to[0], mail]))
    expect(byAddress.size).toBe(mails.length)
    for (const { to, answers } of actions) {
      const { id, sent_at, status } = byAddress.get(to) ?? {}
      for (const answer of answers.filter((one) => one.status === 200)) {
        expect([status, answer.body.sent_at]).toEqual(['sent', sent_at])
        expect(`corr_${answer.body.email_id}` === id || answer.body.id === id).toBe(true)
      }
      expect(answers.map(({ status: one }) => one).filter((one) => one !== 200 && one !== 409)).toEqual([])
    }
    const entries = await allOf(owner, `/api/v1/cases/${case_id}/timeline`)
    const told = entries.filter(({ type }) => type === 'mail.sent').map(({ ref }) => ref.id)
    expect(told.toSorted()).toEqual([...taken].toSorted())

    // Repeated, each is what it was; what had not begun is sent now.
    for (const { to, ask, draftId } of actions) {
      const known = byAddress.get(to)
      expect(codeOf(await ask(owner))).toEqual(
        known?.status === 'sending' ? [409, 'SEND_IN_PROGRESS'] : [200, undefined],
      )
      expect(await sentTo(to, dataDir)).toHaveLength(known?.status === 'sending' ? 0 : 1)
      if (draftId === undefined) continue
      const { body } = await owner('GET', `${outbound}/drafts/${draftId}`)
      expect(body.status).toBe(known?.status === 'sending' ? 'sending' : 'sent')
    }
  }, 600_000)
})

describe('a service killed while SES holds its answer', () => {
  let ses: FaultySes
  beforeAll(async () => {
    ses = await faultySes()
  })
  afterAll(() => ses.close())
  const { dataDir, started, kill } = restarts()

  it('knows nothing until the event comes, and asks SES nothing again', async () => {
    // Prepare
    // It says which events it keeps.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const ours = { AWS_ENDPOINT_URL_SES: ses.url }
    const before = await started(ours)
    await ses.serve(before.service, { keepEvents: true })
    const case_id = await newCase(before.owner)
    const held = (take: boolean): MailFault => ({ take, answer: 'none' })
    ses.fault = ([address = '']) => held(address.startsWith('taken'))
    const [taken, lost] = await Promise.all(
      ['taken', 'lost'].map(async (name) => [
        directSend(case_id, newAddress(name)),
        await draftSend(before.owner, case_id, newAddress(name)),
      ]),
    )
    const actions = [...(taken ?? []), ...(lost ?? [])]

    // Act
    const asking = Promise.allSettled(actions.map(({ ask }) => ask(before.owner)))
    await vi.waitFor(() => expect(ses.asked).toHaveLength(4), { timeout: 60_000 })
    await vi.waitFor(async () => expect(await envelopesIn(dataDir)).toHaveLength(2), { timeout: 60_000 })
    await kill()
    await asking
    const { service, owner } = await started(ours)
    await ses.serve(service)
    const statuses = async () =>
      Promise.all(
        actions.map(async ({ to, draftId }) => {
          const mails: Mail[] = await allOf(owner, `/api/v1/correspondence?search=${encodeURIComponent(to)}`)
          const draft = draftId && (await owner('GET', `${outbound}/drafts/${draftId}`)).body.status
          return [...mails.map(({ status }) => status), ...(draft ? [draft] : [])]
        }),
      )

    // Assess: nobody knows yet.
    const sending = [['sending'], ['sending', 'sending']]
    expect(await statuses()).toEqual([...sending, ...sending])
    for (const { ask, draftId } of actions) {
      const answer = await ask(owner)
      expect(codeOf(answer)).toEqual([409, 'SEND_IN_PROGRESS'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      if (draftId === undefined) continue
      const path = `${outbound}/drafts/${draftId}`
      const changes = [await owner('PUT', path, { body: { subject: 'Neu' } }), await owner('DELETE', path)]
      expect(changes.map(codeOf)).toEqual(changes.map(() => [409, 'DRAFT_ALREADY_SENT']))
    }

    // The events come, and come again.
    await ses.emitAgain()
    await until(
      owner,
      `/api/v1/correspondence?limit=100`,
      ({ data }) => data.filter(({ status }: Mail) => status === 'sent').length === 2,
    )
    await ses.emitAgain()
    expect(await statuses()).toEqual([['sent'], ['sent', 'sent'], ...sending])
    for (const { ask } of taken ?? []) expect(codeOf(await ask(owner))).toEqual([200, undefined])
    for (const { ask } of lost ?? []) expect(codeOf(await ask(owner))).toEqual([409, 'SEND_IN_PROGRESS'])
    expect(ses.asked).toHaveLength(4)
    expect(await envelopesIn(dataDir)).toHaveLength(2)
    const entries = await allOf(owner, `/api/v1/cases/${case_id}/timeline`)
    expect(entries.filter(({ type }) => type === 'mail.sent')).toHaveLength(2)
  })
})
