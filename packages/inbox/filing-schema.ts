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
import { type FilingInput, type FilingPlace, type InboxItem, inboxAfter } from './schema.ts'
import type { InboxState } from './state-schema.ts'

/** The actor and the time of a change. `evidence`: the reasons of the triage for filing it, in German. */
export type FiledBy = { actor: TimelineEntry['actor']; at: string; evidence?: string[] }

/** The actor of a filing by the triage (I5). */
export const triageActor = systemActor

/** A record that can be filed. Its `inbox` is null if it never came into the inbox. */
export type FileableItem = { inbox: InboxState | null }

/** Where to put an item. An undefined field keeps its value; null clears it. */
type Placement = FilingInput & { folder_id?: string | null | undefined }

/** How one kind of record is filed. */
type FilingKind<Item extends FileableItem, By extends FiledBy, Change> = {
  /** Whether the item is filed. Then dismissing it changes nothing. */
  isFiled: (item: Item & { inbox: InboxState }) => boolean
  placeOf: (item: Item) => FilingPlace
  /** Where reopening puts the item. */
  reopened: (item: Item) => Placement
  /**
   * The change that puts an item into a place; undefined if nothing changes.
   *
   * @param inboxStateAt returns the inbox state of the item for its new place
   */
  changed: (
    current: Item,
    to: Placement,
    inboxStateAt: (after: FilingPlace) => InboxState,
    by: By,
  ) => Change | undefined
}

export type Filing<Item, By extends FiledBy, Change> = {
  /**
   * The change that files an item (I6, `inboxAfter`); undefined if nothing changes.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  filed: (current: Item, input: FilingInput, by: By) => Change | undefined
  /**
   * The change that takes an item out of the inbox without filing it; undefined if nothing changes. A filed item stays
   * filed: if one person files an item and another dismisses it at the same moment, it is filed.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  dismissed: (current: Item, by: By) => Change | undefined
  /**
   * The change that brings an item back into the inbox (`FilingKind.reopened`); undefined if nothing changes.
   *
   * @throws Failure INBOX_ITEM_NOT_FOUND if it never came into the inbox
   */
  reopened: (current: Item, by: By) => Change | undefined
}

/** The functions that file, dismiss and reopen records of one kind. */
export function filingOf<Item extends FileableItem, By extends FiledBy, Change>(
  kind: FilingKind<Item, By, Change>,
): Filing<Item, By, Change> {
  const { isFiled, placeOf, reopened, changed } = kind
  return {
    filed: (current, input, by) => {
      const inbox = requireInbox(current)
      const isByPerson = by.actor.type === 'user'
      const before = placeOf(current)
      return changed(current, input, (after) => inboxAfter(inbox, { before, after, input, isByPerson }), by)
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
export function requireInbox({ inbox }: FileableItem): InboxState {
  if (inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
  return inbox
}

/** A kind of records in the inbox: their store, their changes (`Filing`), and how the inbox shows them. */
export type ItemKind<Item extends FileableItem, Change extends UnansweredChange<Item>> = {
  store: Changing<Item, Change> & { find: (workspaceId: string, id: string) => Promise<Item | undefined> }
  /** The code of the failure that the store throws if there is no such record. */
  notFoundCode: FailureCode
  filed: (current: Item, input: FilingInput, by: FiledBy, partyNames: PartyNames) => Change | undefined
  dismissed: (current: Item, by: FiledBy) => Change | undefined
  reopened: (current: Item, by: FiledBy) => Change | undefined
  /**
   * Checks that the user may file the item.
   *
   * @param read returns the current item, which it reads at the first call. @throws Failure INBOX_ITEM_NOT_FOUND
   * @returns `view`: makes the item as this user sees it. `changedAt`: returns the time that the change gets: now, or
   * later if the item already has a later time
   * @throws Failure if the user may not file the item
   */
  accessOf: (
    actor: Actor,
    id: string,
    read: () => Promise<Item>,
  ) => Promise<{ view: (item: Item) => InboxItem; changedAt?: (now: string) => string }>
  /** The names of the parties that exist. */
  partyNames: (workspaceId: string, ids: string[]) => Promise<PartyNames>
  /** Runs `work`, which adds these parties to the item. None of them can be deleted before `work` ends. */
  reserving?: <Result>(
    item: { workspace_id: string; id: string },
    partyIds: string[],
    work: () => Promise<Result>,
  ) => Promise<Result>
}

type PartyNames = ReadonlyMap<string, string>

/** A mail or a beA message. */
type FileableMessage = FileableItem & {
  id: string
  case_id: string | null
  party_id: string | null
  teaches: Judgement['teaches']
  version: number
}

/** How one kind of message is filed. */
type MessageKind<Item extends FileableMessage> = {
  /** The prefix of the types of its timeline entries: `mail` for `mail.filed`, `mail.unfiled` and `mail.assigned`. */
  type: string
  /** The type of the `ref` of these entries. */
  ref: string
  /** The name of the message in timelines, in German. */
  named: (message: Item) => string
  /**
   * The jobs that follow a change of a message. `from` is the case that it left. It is null if the message was in no
   * case before, or if it stays in its case and the case can learn something new from it.
   */
  followUps: (message: Item, from: string | null, at: string) => Job[]
  /** Where reopening puts the message. */
  reopened: (message: Item) => Placement
  /** Sets further fields of a record that changes. */
  completed?: (after: Item, before: Item, at: string) => Item
  /** Further timeline entries for the case that the message enters. They follow the entry about the filing. */
  entriesOnEntering?: (message: Item, at: string) => CaseTimelineEntry[]
}

const maxReasonLength = 500

/**
 * The functions that file, dismiss, reopen and judge messages of one kind. If a message moves, the case that it leaves
 * and the case that it enters each get a timeline entry. If it stays in its case, that case gets one. The store checks
 * that the case exists; the status of the case does not matter.
 */
export function messageFiling<Item extends FileableMessage>(kind: MessageKind<Item>) {
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

  /** The change that puts a message into a place; undefined if nothing changes. */
  const placed = (
    current: Item,
    { case_id = current.case_id, party_id = current.party_id }: Placement,
    inboxStateAt: (after: FilingPlace) => InboxState | null,
    by: FiledBy,
  ): UnansweredChange<Item> | undefined => {
    const record = { ...current, case_id, party_id, inbox: inboxStateAt({ case_id, party_id }) }
    if (isDeepStrictEqual(record, current)) return undefined
    const isMoved = case_id !== current.case_id
    return {
      record: { ...completed(record, current, by.at), version: current.version + 1 },
      timeline: isMoved ? movedEntries(current, record, by) : stayedEntries(current, record, by),
      jobs: isMoved ? followUps(record, current.case_id, by.at) : [],
    }
  }

  const filing = filingOf<Item, FiledBy, UnansweredChange<Item>>({
    isFiled: ({ inbox }) => inbox.state === 'filed',
    placeOf: (message) => message,
    reopened: kind.reopened,
    changed: placed,
  })

  return {
    ...filing,

    /** Like `filed`, but also for a message that never came into the inbox. */
    assigned: (current: Item, input: FilingInput, by: FiledBy): UnansweredChange<Item> | undefined =>
      current.inbox === null ? placed(current, input, () => null, by) : filing.filed(current, input, by),

    /**
     * The change after the triage has judged a message; undefined if its result is not new. The change files the
     * message if the triage is certain (`auto_file`), unless it is in a case or a person has decided.
     *
     * @param judged the message with the result of the triage
     */
    judged: (
      current: Item,
      judged: Item,
      { triage, auto_file }: Pick<Judgement, 'triage' | 'auto_file'>,
      at: string,
    ): UnansweredChange<Item> | undefined => {
      const mayBeFiled =
        current.case_id === null && current.inbox?.state === 'open' && !current.inbox.is_decided
      if (auto_file !== null && mayBeFiled) {
        const evidence = triage.case_suggestions[0]?.evidence.map(({ text }) => text) ?? []
        return filing.filed(judged, { case_id: auto_file }, { actor: triageActor, at, evidence })
      }
      if (isDeepStrictEqual(judged, current)) return undefined
      const teachesSomethingNew =
        current.case_id !== null && !isDeepStrictEqual(judged.teaches, current.teaches)
      return {
        record: { ...judged, version: current.version + 1 },
        jobs: teachesSomethingNew ? followUps(current, null, at) : [],
      }
    },
  }
}

/** Judges a message. If the case that the triage chose was deleted meanwhile, it judges the message once more. */
export async function judgeWithRetry(judge: () => Promise<void>): Promise<void> {
  return judge().catch((error: unknown) => {
    // The second time, the triage does not find the deleted case.
    if (failureOf(error)?.code === 'CASE_NOT_FOUND') return judge()
    throw error
  })
}
