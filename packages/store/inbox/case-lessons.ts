import type { CaseLessons } from '#correspondence/reception-ports.ts'
import { idPrefixes } from '#kernel/id.ts'
import type { Teaching } from '#triage/schema.ts'
import { byKey, nameOf, readEach } from '../batch.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, demand, erase, put, retryStale, transact } from '../transact.ts'
import { learntReference, learntSender } from './learnt-entity.ts'

/**
 * The number of mails that are noted as teachers of the same fact. A case forgets what it learnt when all of these have
 * left it, even if others are still there: the triage then abstains.
 */
const maxTeachers = 20

/** The facts that one mail teaches a case, as an item of the table. */
type Lesson = {
  get: { params: () => unknown }
  write: (mails: string[], before: Noted) => Action
}

/** A longer mailbox, which no real sender has, does not fit into a sort key of 1,024 bytes beside the case. */
const maxMailboxBytes = 900

/** Whether cases learn from mail of a sender. */
export function isTeacher(mailbox: string | null): mailbox is string {
  return mailbox !== null && Buffer.byteLength(mailbox) <= maxMailboxBytes
}

/** The mails that are noted; version 0: there is no item. */
type Noted = { mails: string[]; version: number }

/**
 * The facts that cases learn from the mail that is filed there. Every change is made on the condition that the mail is,
 * or is not, in the case at that time. So calls may come twice, late and in any order, and the last filing counts.
 */
export function caseLessons(db: Db): CaseLessons {
  const ofMail = placesOf(correspondenceEntity(db))
  const ofBea = placesOf(beaMessageEntity(db))
  const references = learntReference(db)
  const senders = learntSender(db)

  /** Nothing is learnt without a sender, because a reference is known by who uses it. */
  const lessonsOf = (
    workspace_id: string,
    case_id: string,
    { references: keys, sender: mailbox }: Teaching,
  ): Lesson[] => {
    if (!isTeacher(mailbox)) return []
    const ofSender = { workspace_id, case_id, mailbox }
    return [
      lessonIn(senders, ofSender),
      ...[...new Set(keys)].map((reference) => lessonIn(references, { ...ofSender, reference })),
    ]
  }

  const read = async (lessons: Lesson[]): Promise<{ lesson: Lesson; noted: Noted }[]> => {
    const there = byKey(await readEach(db, lessons, ({ get }) => get))
    return lessons.map((lesson) => {
      const { Key } = lesson.get.params() as { Key: Record<string, unknown> }
      const noted = there.get(nameOf(Key)) as Noted | undefined
      return { lesson, noted: noted ?? { mails: [], version: 0 } }
    })
  }

  /** Changes what the case learnt of the mail, while the mail is in the case or, with `isThere` false, is not. */
  const change = (
    workspace_id: string,
    case_id: string,
    { correspondence_id: id, teaches }: { correspondence_id: string; teaches: Teaching },
    isThere: boolean,
  ): Promise<void> =>
    retryStale(async () => {
      const lessons = lessonsOf(workspace_id, case_id, teaches)
      if (lessons.length === 0) return
      const places = id.startsWith(idPrefixes.beaMessage) ? ofBea : ofMail
      const key = { workspace_id, id }
      const current = await places.caseOf(key)
      if (current === undefined || (current === case_id) !== isThere) return
      const place = isThere ? places.isIn(key, case_id) : places.isNotIn(key, case_id)
      const actions = (await read(lessons)).flatMap(({ lesson, noted }) => {
        const isNoted = noted.mails.includes(id)
        if (isNoted === isThere || (isThere && noted.mails.length >= maxTeachers)) return []
        const after = isThere ? [...noted.mails, id] : noted.mails.filter((other) => other !== id)
        return [lesson.write(after, noted)]
      })
      if (actions.length > 0) await transact(db, [place, ...actions])
    })

  return {
    async follow(workspaceId, { from, to, ...lesson }) {
      if (from !== null) await change(workspaceId, from, lesson, false)
      if (to !== null) await change(workspaceId, to, lesson, true)
    },
  }
}

type LearntKey = { workspace_id: string; case_id: string; mailbox: string; reference?: string }

/** A lesson that is noted under this key. */
function lessonIn(
  learnt: ReturnType<typeof learntSender> | ReturnType<typeof learntReference>,
  key: LearntKey,
): Lesson {
  // Both have the same attributes beside their keys; the union of their types cannot be called.
  const items = learnt as ReturnType<typeof learntReference>
  const named = key as Required<LearntKey>
  return {
    get: items.get(named),
    write: (mails, before) => {
      const item = { ...named, mails, version: before.version + 1 }
      if (before.version === 0) return put(items.create(item))
      return mails.length === 0
        ? erase(items.delete(named).where(asRead(before)))
        : rewrite(items, items.put(item).where(asRead(before)), {})
    },
  }
}

type Named = { workspace_id: string; id: string }

/** Where messages of a kind are filed, with the conditions of a transaction on it. */
function placesOf(messages: ReturnType<typeof correspondenceEntity> | ReturnType<typeof beaMessageEntity>) {
  // Both kinds have the same key and the same attribute; the union of their types cannot be called.
  const records = messages as ReturnType<typeof correspondenceEntity>
  return {
    /** The case of a message, null if it is in none; undefined if there is no such message. */
    caseOf: async (key: Named): Promise<string | null | undefined> => {
      const { data } = await records.get(key).go(strongly)
      return data === null ? undefined : (data.case_id ?? null)
    },
    isIn: (key: Named, caseId: string): Action =>
      demand(records.remove(key).where(({ case_id }, { eq }) => eq(case_id, caseId))),
    isNotIn: (key: Named, caseId: string): Action =>
      demand(
        records
          .remove(key)
          .where(({ case_id }, { ne, notExists }) => `${notExists(case_id)} OR ${ne(case_id, caseId)}`),
      ),
  }
}
