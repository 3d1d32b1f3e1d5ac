import { describe, expect, it } from 'vitest'
import {
  type SendEvent,
  type SendState,
  sendTransitions,
  shownStatus,
  stateAfter,
} from '#bea/sending/send-state.ts'

/** The states of a send (B7), each with each event. */

const states: SendState[] = ['draft', 'queued', 'preparing', 'confirming', 'sent', 'failed', 'unknown']

const events: SendEvent[] = [
  'save',
  'send',
  'claim',
  'last_step',
  'accepted',
  'refused',
  'postponed',
  'lost',
  'found',
  'absent',
  'resolved_sent',
  'resolved_not_sent',
]

/** All transitions. Every other pair of state and event changes nothing. */
const expected = new Set([
  'draft save draft',
  'draft send queued',
  'queued claim preparing',
  'queued refused failed',
  'preparing claim preparing',
  'preparing last_step confirming',
  'preparing refused failed',
  'preparing postponed queued',
  'confirming claim unknown',
  'confirming last_step confirming',
  'confirming accepted sent',
  'confirming refused failed',
  'confirming postponed queued',
  'confirming lost unknown',
  'unknown accepted sent',
  'unknown refused failed',
  'unknown found sent',
  'unknown absent failed',
  'unknown resolved_sent sent',
  'unknown resolved_not_sent failed',
  'failed save draft',
  'failed send queued',
  'failed accepted sent',
])

it('each state has exactly these transitions', () => {
  const found = states.flatMap((state) =>
    events.flatMap((event) => {
      const after = stateAfter(state, event)
      return after === undefined ? [] : [`${state} ${event} ${after}`]
    }),
  )

  expect(new Set(found)).toEqual(expected)
  expect(Object.keys(sendTransitions).toSorted()).toEqual(states.toSorted())
})

/** All sequences of events from a state to the first state that `until` accepts. No state occurs twice in one. */
function paths(
  from: SendState,
  until: (state: SendState) => boolean,
  passed: SendState[] = [],
): SendEvent[][] {
  return events.flatMap((event) => {
    const after = stateAfter(from, event)
    if (after === undefined || passed.includes(after)) return []
    if (until(after)) return [[event]]
    return paths(after, until, [...passed, from]).map((rest) => [event, ...rest])
  })
}

describe('a message that may be sent already', () => {
  it.each([
    'confirming',
    'unknown',
  ] as const)('is sent again from %s only after a proof or a decision that it was not sent', (state) => {
    const certain: SendEvent[] = ['refused', 'postponed', 'absent', 'resolved_not_sent']

    const ways = paths(state, (after) => after === 'preparing' || after === 'queued')

    expect(ways.length).toBeGreaterThan(0)
    for (const way of ways) expect(way.some((event) => certain.includes(event))).toBe(true)
  })

  it('stays `sent` once it is `sent`, whatever happens', () => {
    expect(events.map((event) => stateAfter('sent', event))).toEqual(events.map(() => undefined))
  })
})

it('a send that crashed before its last step is repeated; after that, its outcome is unknown', () => {
  expect(stateAfter('preparing', 'claim')).toBe('preparing')
  expect(stateAfter('confirming', 'claim')).toBe('unknown')
})

it('shows a send under way as `sending`', () => {
  expect(states.map(shownStatus)).toEqual([
    'draft',
    'sending',
    'sending',
    'sending',
    'sent',
    'failed',
    'unknown',
  ])
})
