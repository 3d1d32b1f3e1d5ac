import { beforeEach, describe, expect, it } from 'vitest'
import { type EebDeps, eebService, recordingEebs } from '#bea/eeb/eeb.ts'
import type { BeaEebInput } from '#bea/eeb/eeb-schema.ts'
import { assigned } from '#bea/messages/filing.ts'
import { notAuthenticated } from '#bea/network/gateway-ports.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'
import type { BeaRight } from '#bea/rights/right-schema.ts'
import { newId } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'
import { actor, court, sendingSetup, workspace_id } from './sending-setup.ts'

/** Answers to requests for an electronic receipt (B9), over stores and a network in memory. */

const case_id = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const deadline = 'evt_01993f64-8a1b-7c2d-9e3f-4a5b6c7d8e9f'
const elsewhere = 'evt_01993f64-0000-7c2d-9e3f-4a5b6c7d8e9f'

/** The day from which the deadline is counted. */
const countedFrom = '2026-11-20'

const confirm = (fields: Partial<Extract<BeaEebInput, { action: 'confirm' }>> = {}): BeaEebInput => ({
  action: 'confirm',
  date: '2026-11-20',
  deadline_id: deadline,
  override_reason: null,
  ...fields,
})
const reject: BeaEebInput = { action: 'reject', code: 'not_party', reason: 'Nicht unser Verfahren.' }

/** A message that a court sent on the 19th of November, late in the evening in Berlin. */
function setUp(fields: Partial<BeaMessageRecord> = {}) {
  const setup = sendingSetup()
  let message = {
    workspace_id,
    id: newId('beaMessage'),
    account_id: setup.account.id,
    direction: 'inbound',
    subject: 'Zustellung Urteil',
    recipients: [],
    sender: { name: 'Landgericht', bea_id: court },
    received_at: '2026-11-18T23:30:00.000Z',
    reference_sender: '3 O 45/26',
    reference_recipient: '0001/26',
    eeb_requested: true,
    eeb: { status: 'requested', date: null },
    eeb_foreign_id: 'xj-4711',
    case_id,
    version: 1,
    ...fields,
  } as BeaMessageRecord
  const timeline: CaseTimelineEntry[] = []
  const noted: unknown[] = []
  const state = { isStruck: false }
  const messages = {
    find: async (_: string, id: string) => (id === message.id ? message : undefined),
    change: (async (_, __, decide) => {
      const change = decide(message)
      if (change.record !== undefined) {
        message = change.record
        timeline.push(...(change.timeline ?? []))
      }
      return unchanged(change.answer)
    }) satisfies EebChange,
  }
  const deps: EebDeps = {
    ...setup.deps,
    messages,
    deadlines: {
      find: async (_, id, date) => {
        if (id !== deadline && id !== elsewhere) return undefined
        const other_day = date === countedFrom ? null : countedFrom
        return { case_id: id === deadline ? case_id : newId('case'), other_day }
      },
    },
    timeZoneOf: async () => 'Europe/Berlin',
  }
  const recordReceipt = async (_: unknown, id: string, receipt: { message_id: string }) => {
    if (state.isStruck) return false
    if (!noted.some((one) => (one as { message_id: string }).message_id === receipt.message_id))
      noted.push({ id, ...receipt })
    return true
  }
  const record = recordingEebs({ drafts: setup.store, messages, deadlines: { recordReceipt } })
  const service = eebService(deps)
  return {
    ...setup,
    service,
    state,
    granted: setup.state,
    noted,
    ofCase: timeline,
    message: () => message,
    answer: (input: BeaEebInput) => service.answer(actor, message.id, input),
    refusal: (input: BeaEebInput) =>
      service.answer(actor, message.id, input).then(String, ({ code }) => code),
    resolve: (outcome: 'sent' | 'not_sent') => service.resolve(actor, message.id, { outcome }),
    /** Runs the worker, then the job that follows. */
    async work() {
      for (const id of setup.records.keys()) {
        await setup.run(id)
        await record(workspace_id, id)
      }
    },
  }
}

type EebChange = Parameters<typeof recordingEebs>[0]['messages']['change']

describe('a receipt that is given', () => {
  it('is sent to the sender with the stated date, and is recorded in the message and at the deadline', async () => {
    const { answer, work, network, message, noted, ofCase } = setUp()

    const accepted = await answer(confirm())
    await work()
    await work()

    expect(accepted).toEqual({ status: 'sending', date: '2026-11-20', warnings: [] })
    expect(network.sends).toBe(1)
    expect(network.taken[0]).toMatchObject({
      recipients: [{ safe_id: court }],
      reference_sender: '0001/26',
      reference_recipient: '3 O 45/26',
    })
    expect(message().eeb).toEqual({ status: 'confirmed', date: '2026-11-20' })
    expect(noted).toEqual([
      { id: deadline, message_id: message().id, date: '2026-11-20', override_reason: null },
    ])
    expect(ofCase).toEqual([])
  })

  it('needs a reason if it names no deadline, and the timeline of the case shows the reason', async () => {
    const { answer, refusal, work, ofCase, noted } = setUp()

    const refused = await refusal(confirm({ deadline_id: null }))
    await answer(confirm({ deadline_id: null, override_reason: 'Nur zur Kenntnis.' }))
    await work()
    await work()

    expect(refused).toBe('EEB_DEADLINE_REQUIRED')
    expect(noted).toEqual([])
    expect(ofCase.map(({ entry }) => [entry.type, entry.summary])).toEqual([
      [
        'bea.eeb_confirmed',
        'Empfangsbekenntnis für „Zustellung Urteil“ abgegeben mit Datum 20.11.2026, ohne Frist: Nur zur Kenntnis.',
      ],
    ])
  })

  it('comes with a warning if its deadline is counted from another day', async () => {
    const { answer, work, message } = setUp()

    const accepted = await answer(confirm({ date: '2026-11-19' }))
    await work()

    expect(accepted).toMatchObject({
      warnings: [
        'Die Frist ist ab dem 20.11.2026 gerechnet, das Empfangsbekenntnis nennt den 19.11.2026: Bitte prüfen Sie die Frist.',
      ],
    })
    expect(message().eeb).toEqual({ status: 'confirmed', date: '2026-11-19' })
  })

  it('is in the timeline even if its deadline was struck meanwhile', async () => {
    const { answer, work, ofCase, state } = setUp()
    await answer(confirm())
    state.isStruck = true

    await work()

    expect(ofCase.map(({ entry }) => entry.type)).toEqual(['bea.eeb_confirmed'])
  })

  it('is in the timeline once, even if a newer release has stored more about it', async () => {
    const { answer, work, message, ofCase } = setUp()
    await answer(reject)
    await work()
    Object.assign(message().eeb ?? {}, { newer: true })

    await work()

    expect(ofCase).toHaveLength(1)
    expect(message().eeb).toHaveProperty('newer')
  })

  it('can be a refusal, with its reason', async () => {
    const { answer, work, message, ofCase } = setUp()

    await answer(reject)
    await work()

    expect(message().eeb).toEqual({ status: 'rejected', date: null })
    expect(ofCase.map(({ entry }) => entry.type)).toEqual(['bea.eeb_rejected'])
  })
})

describe('a receipt that is given before the message is filed', () => {
  const by = {
    actor: { type: 'system' as const, id: null, name: 'Aktenlage' },
    at: '2026-11-21T09:00:00.000Z',
  }
  const unfiled = { case_id: null, party_id: null, inbox: null, attachments: [], confidential: false }
  const entriesAtFiling = (message: BeaMessageRecord) =>
    assigned(message, { case_id }, by)?.timeline?.filter(({ entry }) => entry.type !== 'bea.filed')

  it.each([
    [
      confirm({ deadline_id: null, override_reason: 'Nur zur Kenntnis.' }),
      'Empfangsbekenntnis für „Zustellung Urteil“ abgegeben mit Datum 20.11.2026, ohne Frist: Nur zur Kenntnis.',
    ],
    [reject, 'Empfangsbekenntnis für „Zustellung Urteil“ zurückgewiesen: Nicht unser Verfahren.'],
  ])('is in the timeline of the case after the filing, with the user who gave it (%#)', async (input, summary) => {
    const { answer, work, message, ofCase } = setUp(unfiled as Partial<BeaMessageRecord>)
    await answer(input)
    await work()

    const entries = entriesAtFiling(message())

    expect(ofCase).toEqual([])
    expect(entries).toMatchObject([
      { case_id, entry: { summary, actor: { type: 'user', id: actor.user_id, name: actor.user_name } } },
    ])
  })

  it('is in the timeline even if only its status is stored', () => {
    const { message } = setUp({
      ...unfiled,
      eeb: { status: 'confirmed', date: '2026-10-02' },
    } as Partial<BeaMessageRecord>)
    expect(entriesAtFiling(message())?.map(({ entry }) => entry.summary)).toEqual([
      'Empfangsbekenntnis für „Zustellung Urteil“ abgegeben mit Datum 02.10.2026',
    ])
  })

  it.each([
    'requested',
    'sending',
    'failed',
    'unknown',
  ] as const)('is not in the timeline while it is %s', (status) => {
    const { message } = setUp({ ...unfiled, eeb: { status, date: null } } as Partial<BeaMessageRecord>)
    expect(entriesAtFiling(message())).toEqual([])
  })

  it('is in the timeline without the subject of a confidential message', async () => {
    const { answer, work, message, granted } = setUp({
      ...unfiled,
      confidential: true,
    } as Partial<BeaMessageRecord>)
    granted.rights = new Set(['11', '13', '14'])
    await answer(reject)
    await work()
    expect(
      entriesAtFiling(message())
        ?.map(({ entry }) => entry.summary)
        .join(),
    ).not.toContain('Urteil')
  })
})

describe('a request is answered once', () => {
  it('even if twenty users answer at once', async () => {
    const { refusal, work, network } = setUp()

    const answers = await Promise.all(Array.from({ length: 20 }, () => refusal(confirm())))
    await work()

    expect(answers.filter((one) => one === 'EEB_ANSWERED')).toHaveLength(19)
    expect(network.sends).toBe(1)
  })

  it('and again only after the first answer certainly failed, and the message says why', async () => {
    const { answer, refusal, network, work, message } = setUp()
    const { Failure } = await import('#kernel/failure.ts')
    network.at.begin = () => {
      throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'No answer.')
    }
    await answer(confirm())
    await work()
    const failed = message().eeb
    network.at = {}

    await answer(confirm())
    await work()

    expect(failed).toEqual({ status: 'failed', date: '2026-11-20', error: 'BEA_GATEWAY_ERROR: No answer.' })
    expect([message().eeb, network.sends]).toEqual([{ status: 'confirmed', date: '2026-11-20' }, 1])
    expect(await refusal(confirm())).toBe('EEB_ANSWERED')
  })
})

describe('an answer whose outcome is unknown', () => {
  it('is found among the sent messages, or a person decides; nobody sends it again', async () => {
    for (const outcome of ['found', 'sent', 'not_sent'] as const) {
      const { answer, refusal, resolve, work, network, message, wait } = setUp()
      network.at.answer = () => 'lost'
      await answer(confirm())
      await work()
      const unknown = [message().eeb?.status, await refusal(confirm())]
      network.at = {}
      wait(1)
      if (outcome !== 'found') {
        network.taken.length = 0
        await resolve(outcome)
      }
      await work()

      expect(unknown).toEqual(['unknown', 'EEB_ANSWERED'])
      expect(message().eeb?.status).toBe(outcome === 'not_sent' ? 'failed' : 'confirmed')
      expect(network.sends).toBe(1)
    }
  })
})

describe('giving a receipt', () => {
  let setup: ReturnType<typeof setUp>
  beforeEach(() => {
    setup = setUp()
  })

  it.each([
    ['2026-11-18', 'VALIDATION_ERROR'],
    ['2026-11-21', 'VALIDATION_ERROR'],
  ])('is refused with the day %s, which is before the reception or after today in Berlin', async (date, code) => {
    expect(await setup.refusal(confirm({ date }))).toBe(code)
  })

  it.each(['2026-11-19', '2026-11-20'])('is accepted with the day %s', async (date) => {
    expect(await setup.refusal(confirm({ date }))).toBe('[object Object]')
  })

  it.each([
    [
      'with only a time of sending',
      { received_at: null, sent_at: '2026-11-19T08:00:00.000Z' },
      '2026-11-18',
      '2026-11-19',
    ],
    ['without any time', { received_at: null, sent_at: null }, '2026-07-22', '2026-07-23'],
    [
      'with only a time of sending, at night',
      { received_at: null, sent_at: '2026-11-18T23:59:00.000Z' },
      '2026-11-18',
      '2026-11-19',
    ],
  ] as [
    string,
    Partial<BeaMessageRecord>,
    string,
    string,
  ][])('is refused with a day on which a message %s cannot have been received', async (_, times, tooEarly, possible) => {
    const of = (date: string) =>
      setUp({ ...times, imported_at: '2026-11-20T09:00:00.000Z' }).refusal(confirm({ date }))
    expect([await of(tooEarly), await of(possible)]).toEqual(['VALIDATION_ERROR', '[object Object]'])
  })

  it.each([
    ['the right to read', false, ['13', '14', '01', '08'], 'BEA_RIGHT_MISSING'],
    ['the right to read confidential messages', true, ['13', '14', '06', '07'], 'BEA_RIGHT_MISSING'],
    ['the right to send receipts', true, ['11', '13'], 'BEA_RIGHT_MISSING'],
    ['the right 06, which 07 includes', false, ['07', '13', '14'], '[object Object]'],
    ['the right 11, which 12 includes', true, ['12', '13', '14'], '[object Object]'],
  ] as [
    string,
    boolean,
    BeaRight[],
    string,
  ][])('needs the rights to read and to send receipts: without %s', async (_, confidential, rights, code) => {
    const { refusal, resolve, granted } = setUp({ confidential })
    granted.rights = new Set(rights)
    expect(await refusal(reject)).toBe(code)
    const message = `This needs the rights ${confidential ? '11' : '06'}, 13, 14 of the beA account. A user with the scope bea:admin can give them to you.`
    if (code === 'BEA_RIGHT_MISSING') await expect(resolve('sent')).rejects.toMatchObject({ code, message })
  })

  it('is refused with a deadline of another case, or one that does not exist', async () => {
    expect(await setup.refusal(confirm({ deadline_id: elsewhere }))).toBe('DEADLINE_NOT_FOUND')
    expect(await setup.refusal(confirm({ deadline_id: 'evt_x' }))).toBe('DEADLINE_NOT_FOUND')
  })

  it('is refused if nobody requested one, the sender is not known, or there is no session', async () => {
    const quiet = setUp({ eeb_requested: false, eeb: null, eeb_foreign_id: null })
    const nameless = setUp({ sender: { name: 'Gericht', bea_id: null } })
    const closed = setUp()
    closed.deps.sessions.requireActive = async () => {
      throw notAuthenticated()
    }

    expect(await quiet.refusal(confirm())).toBe('EEB_NOT_REQUESTED')
    expect(await nameless.refusal(confirm())).toBe('BEA_PREFLIGHT_FAILED')
    expect(await closed.refusal(confirm())).toBe('BEA_NOT_AUTHENTICATED')
  })

  it('is refused for a disconnected account, and not with the advice to log in', async () => {
    setup.account.disconnected_at = '2026-11-20T10:01:00.000Z'

    const message = 'The beA account of this message is disconnected: connect it again.'
    await expect(setup.answer(confirm())).rejects.toMatchObject({ code: 'BEA_NOT_AUTHENTICATED', message })
  })

  it('is refused without both rights, and for a message that does not exist', async () => {
    setup.deps.access.rightsOf = async () => new Set(['13', '06', '11'])

    expect(await setup.refusal(confirm())).toBe('BEA_RIGHT_MISSING')
    expect(await setup.service.answer(actor, newId('beaMessage'), reject).catch(({ code }) => code)).toBe(
      'BEA_MESSAGE_NOT_FOUND',
    )
  })
})
