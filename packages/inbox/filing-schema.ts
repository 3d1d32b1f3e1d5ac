import { isDeepStrictEqual } from 'node:util'
import type { Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { type FailureCode, failureOf, notFound } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import {
  type CaseTimelineEntry,
  type Changing,
  entriesIn,
  systemActor,
  type TimelineEntry,
  type UnansweredChange,
} from '#timeline/schema.ts'
import type { Judgement } from '#triage/schema.ts'
import { type FilingInput, type InboxItem, type InboxPlace, inboxAfter } from './schema.ts'
import type { InboxState } from './state-schema.ts'

/** The actor that files an item, and the time. `evidence`: the reasons of the triage, in German. */
export type FiledBy = { actor: TimelineEntry['actor']; at: string; evidence?: string[] }

/** The triage as an actor, when it files by itself (I5). */
export const triageActor = systemActor

/** An item that arrived and can be filed. */
export type FiledItem = { inbox: InboxState | null }

/** Where an item is put. An undefined field keeps its value. Null clears it. */
type Placement = FilingInput & { folder_id?: string | null | undefined }

/** How one kind of record is filed. */
type FilingKind<Item extends FiledItem, By extends FiledBy, Change> = {
  /** Whether it is filed: then dismissing it changes nothing. */
  isFiled: (item: Item & { inbox: InboxState }) => boolean
  placeOf: (item: Item) => InboxPlace
  /** The placement that reopening gives to the item. */
  reopened: (item: Item) => Placement
  /**
   * The change that puts an item there; undefined if nothing changes.
   *
   * @param inboxIn returns the item's state in the inbox for its new place
   */
  changed: (
    current: Item,
    to: Placement,
    inboxIn: (after: InboxPlace) => InboxState,
    by: By,
  ) => Change | undefined
}

export type Filing<Item, By extends FiledBy, Change> = {
  /**
   * The change by which an item is filed (I6, `inboxAfter`); undefined if nothing changes.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  filed: (current: Item, input: FilingInput, by: By) => Change | undefined
  /**
   * The change by which an item leaves the inbox without being filed; undefined if nothing changes. An item that is
   * filed stays filed: if one person files it and another dismisses it at the same moment, the filing prevails.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  dismissed: (current: Item, by: By) => Change | undefined
  /**
   * The change by which an item comes back into the inbox, out of the case where it was filed.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  reopened: (current: Item, by: By) => Change | undefined
}

/** Filing, dismissing and reopening records of one kind. */
export function filingOf<Item extends FiledItem, By extends FiledBy, Change>(
  kind: FilingKind<Item, By, Change>,
): Filing<Item, By, Change> {
  const { isFiled, placeOf, reopened, changed } = kind
  return {
    filed: (current, input, by) => {
      const inbox = requireInbox(current)
      const isPerson = by.actor.type === 'user'
      const before = placeOf(current)
      return changed(current, input, (after) => inboxAfter(inbox, { before, after, input, isPerson }), by)
    },
    dismissed: (current, by) => {
      const inbox = requireInbox(current)
      if (isFiled({ ...current, inbox })) return undefined
      return changed(current, {}, () => ({ ...inbox, state: 'dismissed', is_decided: true }), by)
    },
    reopened: (current, by) => {
      const inbox: InboxState = { ...requireInbox(current), state: 'open', is_decided: true }
      return changed(current, reopened(current), () => inbox, by)
    },
  }
}

/** @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox */
export function requireInbox({ inbox }: FiledItem): InboxState {
  if (inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
  return inbox
}

/** A kind of record that is an item of the inbox: its store, its changes (`Filing`), and how the inbox shows it. */
export type ItemKind<Item extends FiledItem, Change extends UnansweredChange<Item>> = {
  store: Changing<Item, Change> & { find: (workspaceId: string, id: string) => Promise<Item | undefined> }
  /** The code that the store throws if there is no such record. */
  missing: FailureCode
  filed: (current: Item, input: FilingInput, by: FiledBy, partyNames: PartyNames) => Change | undefined
  dismissed: (current: Item, by: FiledBy) => Change | undefined
  reopened: (current: Item, by: FiledBy) => Change | undefined
  /**
   * How the answer shows the item to this user, and the time of the change.
   *
   * @param read reads the current item, only at the first call. @throws Failure INBOX_ITEM_NOT_FOUND
   * @throws Failure if the user may not file it
   */
  opened: (
    actor: Actor,
    id: string,
    read: () => Promise<Item>,
  ) => Promise<{ view: (item: Item) => InboxItem; changedAt?: (now: string) => string }>
  /** The names of the parties that exist. */
  partyNames: (workspaceId: string, ids: string[]) => Promise<PartyNames>
  /** Runs `work`, after which the item names these parties. None of them can be deleted before `work` ends. */
  reserving?: <Result>(
    item: { workspace_id: string; id: string },
    partyIds: string[],
    work: () => Promise<Result>,
  ) => Promise<Result>
}

type PartyNames = ReadonlyMap<string, string>

/** A message that people and the triage file. */
type FiledMessage = FiledItem & {
  id: string
  case_id: string | null
  party_id: string | null
  teaches: Judgement['teaches']
  version: number
}

type MessageChange<Item> = UnansweredChange<Item>

/** How one kind of message is filed. */
type MessageKind<Item extends FiledMessage> = {
  /** The beginning of the types of its timeline entries: `mail` for `mail.filed`, `mail.unfiled` and `mail.assigned`. */
  type: string
  /** The type of the entries' `ref`. */
  ref: string
  /** The message as timelines name it, in German. */
  named: (message: Item) => string
  /** The jobs after a move into another case, out of `from`, or after a change of what its case learns from it. */
  followUps: (message: Item, from: string | null, at: string) => Job[]
  /** The placement that reopening gives to the message. */
  reopened: (message: Item) => Placement
  /** Further changes of the record when it changes. */
  completed?: (after: Item, before: Item, at: string) => Item
  /** Further entries in the case that the message enters, after the entry about its filing. */
  entriesOnEntering?: (message: Item, at: string) => CaseTimelineEntry[]
}

const maxReasonLength = 500

/**
 * Filing, dismissing, reopening and judging messages of one kind. The case that a message enters gets one entry, and so
 * does the case that it leaves, or the one that it stays in. The store checks that the case exists; its status does not
 * matter.
 */
export function messageFiling<Item extends FiledMessage>(kind: MessageKind<Item>) {
  const { type, ref, named, followUps, completed = (after: Item) => after } = kind

  const entriesOf = (message: Item, what: string, summary: string, { actor, at }: FiledBy) =>
    entriesIn(message.case_id, {
      type: `${type}.${what}`,
      occurred_at: at,
      actor,
      summary,
      ref: { type: ref, id: message.id },
    })

  const movedEntries = (before: Item, after: Item, by: FiledBy): CaseTimelineEntry[] => {
    const because = by.evidence?.length ? `: ${beginningOf(by.evidence.join('; '), maxReasonLength)}` : ''
    const how = by.actor.type === 'system' ? 'automatisch der Akte zugeordnet' : 'der Akte zugeordnet'
    return [
      ...entriesOf(before, 'unfiled', `${named(before)} aus der Akte genommen`, by),
      ...entriesOf(after, 'filed', `${named(after)} ${how}${because}`, by),
      ...(kind.entriesOnEntering?.(after, by.at) ?? []),
    ]
  }

  const stayedEntries = (before: Item, after: Item, by: FiledBy): CaseTimelineEntry[] => {
    const what = [
      ...(after.party_id !== before.party_id ? ['Beteiligter'] : []),
      ...(after.inbox?.assigned_to !== before.inbox?.assigned_to ? ['Zuständigkeit'] : []),
    ]
    const [was, is] = [before.inbox?.state, after.inbox?.state]
    const moved = is === 'open' ? 'wieder im Posteingang' : 'aus dem Posteingang genommen'
    const changes = [
      ...(what.length > 0 ? [`${what.join(' und ')} geändert`] : []),
      // A dismissed message is not in the inbox.
      ...(is !== was ? [was === 'dismissed' && is === 'filed' ? 'Zuordnung bestätigt' : moved] : []),
    ]
    if (changes.length === 0) return []
    return entriesOf(after, 'assigned', `${named(after)}: ${changes.join(', ')}`, by)
  }

  /** The change that puts a message into this place; undefined if nothing changes. */
  const replaced = (
    current: Item,
    { case_id = current.case_id, party_id = current.party_id }: Placement,
    inboxIn: (after: InboxPlace) => InboxState | null,
    by: FiledBy,
  ): MessageChange<Item> | undefined => {
    const record = { ...current, case_id, party_id, inbox: inboxIn({ case_id, party_id }) }
    if (isDeepStrictEqual(record, current)) return undefined
    const isMoved = case_id !== current.case_id
    return {
      record: { ...completed(record, current, by.at), version: current.version + 1 },
      timeline: isMoved ? movedEntries(current, record, by) : stayedEntries(current, record, by),
      jobs: isMoved ? followUps(record, current.case_id, by.at) : [],
    }
  }

  const filing = filingOf<Item, FiledBy, MessageChange<Item>>({
    isFiled: ({ inbox }) => inbox.state === 'filed',
    placeOf: (message) => message,
    reopened: kind.reopened,
    changed: replaced,
  })

  return {
    ...filing,

    /** Like `filed`, but also for a message that never came into the inbox. */
    assigned: (current: Item, input: FilingInput, by: FiledBy): MessageChange<Item> | undefined =>
      current.inbox === null ? replaced(current, input, () => null, by) : filing.filed(current, input, by),

    /**
     * The change by a judgement of the triage, which files the message if that is certain; undefined if the judgement
     * says nothing new. A message is never taken out of a case, nor filed after a person has decided.
     *
     * @param judged the message with what the triage found
     */
    judged: (
      current: Item,
      judged: Item,
      { triage, auto_file }: Pick<Judgement, 'triage' | 'auto_file'>,
      at: string,
    ): MessageChange<Item> | undefined => {
      const mayBeFiled =
        current.case_id === null && current.inbox?.state === 'open' && !current.inbox.is_decided
      if (auto_file !== null && mayBeFiled) {
        const evidence = triage.case_suggestions[0]?.evidence.map(({ text }) => text) ?? []
        return filing.filed(judged, { case_id: auto_file }, { actor: triageActor, at, evidence })
      }
      if (isDeepStrictEqual(judged, current)) return undefined
      const teachesOther = current.case_id !== null && !isDeepStrictEqual(judged.teaches, current.teaches)
      return {
        record: { ...judged, version: current.version + 1 },
        jobs: teachesOther ? followUps(current, null, at) : [],
      }
    },
  }
}

/** Judges a message, and judges it once more if the case for its filing was deleted meanwhile. */
export async function judgingAgain(judge: () => Promise<void>): Promise<void> {
  return judge().catch((error: unknown) => {
    // The case is not found any more, so the second judgement does not suggest it.
    if (failureOf(error)?.code === 'CASE_NOT_FOUND') return judge()
    throw error
  })
}
