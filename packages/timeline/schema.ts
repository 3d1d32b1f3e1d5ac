import * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { newId, shownId } from '#kernel/id.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

/** An entry in the timeline of a case. Every change adds one, in its own transaction (C6). */
export const TimelineEntry = z.lazy(() =>
  z
    .object({
      id: shownId('timelineEntry'),
      type: z.string().meta({
        description: 'What happened, for programs: `case.created`, `parties.added`, …',
      }),
      occurred_at: Timestamp,
      actor: z.object({
        type: z.enum(['user', 'system', 'external']),
        id: NullableText,
        name: Text,
      }),
      summary: z.string().meta({ description: 'What happened, for people, in German.' }),
      ref: z.object({ type: Text, id: Text }).nullable().meta({ description: 'What it happened to.' }),
    })
    .meta({ id: 'TimelineEntry' }),
)

export type TimelineEntry = z.infer<typeof TimelineEntry>

/** An entry with the case that it belongs to. */
export type CaseTimelineEntry = { case_id: string; entry: TimelineEntry }

/** The entry for something that a user, or another actor, did now. */
export function entryOf(
  clock: Clock,
  actor: Actor | TimelineEntry['actor'],
  what: Pick<TimelineEntry, 'type' | 'summary' | 'ref'>,
): TimelineEntry {
  return {
    id: newId('timelineEntry'),
    occurred_at: timestamp(clock),
    actor: 'user_id' in actor ? { type: 'user', id: actor.user_id, name: actor.user_name } : actor,
    ...what,
  }
}
