import type { CaseRecord } from '#cases/ports.ts'
import type { Job } from '#jobs/job.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { ErasureStep, KeptBy, Redact, Redacting, StoredParty } from '#parties/erasure-ports.ts'
import { sideOf } from '#parties/side-schema.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { caseLink } from '../cases/case-link-entity.ts'
import { timelineEntry } from '../cases/timeline-entity.ts'
import { changeLog } from '../change-log.ts'
import { allPages } from '../db.ts'
import { deadlineEntity } from '../deadlines/deadline-entity.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { quotedInTriage, redactTriage } from '../inbox/redact-triage.ts'
import { withoutNulls } from '../nulls.ts'
import { caseContents } from '../retention/case-contents.ts'
import type { CaseNoun } from '../retention/case-noun.ts'
import { withdrawPushes } from '../retention/case-nouns.ts'
import { caseTexts, mayHoldData, type TextDeps } from '../retention/case-texts.ts'
import { linksOf } from '../retention/link-entries.ts'
import { type NamedRecord, readItems } from '../retention/record-removal.ts'
import { redactLeft } from '../retention/redacted-entries.ts'
import { change, isMade, retryStale, transact } from '../transact.ts'
import { casesAround, type StoredCase } from './cases-around.ts'

/** The changes of records by their stores, which keep the lists right. */
export type Changing<Stored> = {
  change: (
    workspaceId: string,
    id: string,
    decide: (before: Stored) => { record?: Stored; jobs?: Job[]; events: []; answer: undefined },
  ) => Promise<unknown>
}

/**
 * The step that takes a party out of the cases around it that need not be kept: their names, timelines and records.
 * Timelines of cases that are linked, or once were, quote these names, also former ones. The quotations are replaced too,
 * even in a case that must be kept: they are not its content. Only in a case on which a hold stands nothing is changed
 * (R2).
 */
export function erasureInCases(
  deps: TextDeps & { cases: Changing<CaseRecord>; nouns: readonly CaseNoun[]; withoutParty: Redacting },
): ErasureStep {
  const { db, cases, nouns, withoutParty } = deps
  const items = caseEntity(db)
  const entries = timelineEntry(db)
  const links = caseLink(db)
  const around = casesAround(db)
  const contents = caseContents(db, nouns)
  const redactTexts = caseTexts(deps)

  /** Changes the entries of a timeline. @param isOf which of them */
  const redactTimeline = async (
    workspace_id: string,
    case_id: string,
    redact: Redact,
    isOf: (ref: unknown) => boolean = () => true,
  ): Promise<void> => {
    const { data } = await entries.query.newest({ workspace_id, case_id }).go(allPages)
    await inParallel(data, async ({ id, summary, actor, ref }) => {
      const { name } = actor as { name: string }
      const after = { summary: redact(summary), actor: { ...(actor as object), name: redact(name) } }
      if (!isOf(ref) || (after.summary === summary && after.actor.name === name)) return
      await isMade(transact(db, [change(entries.patch({ workspace_id, case_id, id }).set(after))]))
    })
  }

  const leaveLinks = async (
    { workspace_id, id }: StoredCase,
    { redact, redactName, keptBy }: { redact: Redact; redactName: Redact; keptBy: KeptBy },
  ): Promise<void> => {
    const { data } = await links.query.newest({ workspace_id, case_id: id }).go(allPages)
    const linked = data.map(({ linked_case_id }) => linked_case_id)
    const all = await linksOf(db, workspace_id, id, linked)
    const quoted = (text: string) => {
      const [from, to] = [text.indexOf('„'), text.lastIndexOf('“')]
      if (from < 0 || to < from) return text
      return `${text.slice(0, from)}${redactName(text.slice(from, to))}${text.slice(to)}`
    }
    const isOfLink = (ref: unknown) => all.links.has((ref as { id?: string } | undefined)?.id ?? '')
    for (const case_id of [id, ...all.cases]) {
      const other = await around.find(workspace_id, case_id)
      if (other === undefined || keptBy(other) !== 'LEGAL_HOLD')
        await redactTimeline(workspace_id, case_id, quoted, isOfLink)
    }
    for (const { id: linkId, linked_case_id, type, note } of data) {
      const texts = { ...(type && { type: redact(type) }), ...(note && { note: redact(note) }) }
      if (texts.type === type && texts.note === note) continue
      const other = await around.find(workspace_id, linked_case_id)
      const sides = other !== undefined && keptBy(other) !== null ? [id] : [id, linked_case_id]
      for (const case_id of sides) {
        const redacted = links.patch({ workspace_id, case_id, id: linkId }).set(texts)
        await isMade(transact(db, [change(redacted)]))
      }
    }
  }

  /**
   * Reads a record again if somebody changed it meanwhile.
   *
   * @param how.isRenamed whether the name of the case loses the party: calendars show it at each of its deadlines
   */
  const redactRecord = (
    { workspace_id, id }: StoredCase,
    record: NamedRecord,
    { redact, keptBy, isRenamed }: { redact: Redact; keptBy: KeptBy; isRenamed: boolean },
  ): Promise<void> =>
    retryStale(async () => {
      const [found] = await readItems(db, nouns, workspace_id, [record])
      if (found === undefined) return
      // To change the records of a case takes minutes. Meanwhile a hold may be set, or a record be moved to another case.
      for (const caseId of new Set([id, found.noun.caseOf(found.item)])) {
        const one = typeof caseId === 'string' ? await around.find(workspace_id, caseId) : undefined
        if (one !== undefined && keptBy(one) !== null) return
      }
      if (record.kind === documentEntity.entityName) await redactTriage(db, workspace_id, record.id, redact)
      if (isRenamed && record.kind === deadlineEntity.entityName)
        await withdrawPushes(db, workspace_id, record.id)
      await redactTexts(found.noun, found.item, redact)
    })

  /**
   * Yields after each record that it may have changed, since a case may have more records than one run can change. The next
   * run begins the case again, and passes over the records that have lost the data. It looks again at beA drafts, whose text
   * is in the bucket, and at deadlines of a renamed case: of these, one run must be able to look at all.
   */
  async function* leaveCase(
    party: StoredParty,
    one: StoredCase,
    keptBy: KeptBy,
  ): AsyncGenerator<undefined, void> {
    const { workspace_id, id } = one
    const isNamed = one.parties.some((named) => named.id === party.id)
    const redact = withoutParty(party)
    // The name of a case, `Meier ./. Schulze`, has the family name alone, and stands in its timeline too.
    const redactName = withoutParty(party, { familyName: isNamed })
    // The entries about links keep the file numbers of the other cases: these are found by them, also by a later disposal.
    const isOfLink = (ref: unknown) => (ref as { type?: string } | undefined)?.type === 'link'
    const isRenamed = redactName(one.name) !== one.name
    await redactTimeline(workspace_id, id, redactName, (ref) => !isOfLink(ref))
    await leaveLinks(one, { redact, redactName, keptBy })
    for await (const page of contents(workspace_id, id)) {
      const records = page.map(({ noun, item }) => ({ noun, item, kind: noun.kind, id: String(item.id) }))
      const idsOf = (some: NamedRecord[]) => some.map((record) => record.id)
      await redactLeft(db, workspace_id, idsOf(records), redact)
      const documents = records.filter(({ kind }) => kind === documentEntity.entityName)
      const quoted = await quotedInTriage(db, workspace_id, idsOf(documents), redact)
      for (const { noun, item, ...record } of records) {
        const isShownAnew = isRenamed && record.kind === deadlineEntity.entityName
        if (!isShownAnew && !quoted.has(record.id) && !mayHoldData(noun, item, redact)) continue
        await redactRecord(one, record, { redact, keptBy, isRenamed })
        yield undefined
      }
    }
    const without = (of: StoredCase | CaseRecord) => ({
      name: redactName(of.name),
      type: of.type && redact(of.type),
      description: of.description && redact(of.description),
      dezernat: of.dezernat && redact(of.dezernat),
      holds: of.holds?.map((hold) => ({ ...hold, reason: redact(hold.reason) })) ?? null,
      // The role of another party may name it: `Ehemann der Anna Meier`.
      parties: of.parties.filter((named) => named.id !== party.id).map((named) => withRole(named, redact)),
      staff: of.staff.map((one) => ({ ...one, role: redact(one.role) })),
    })
    if (one.deleted_at === null)
      await cases.change(workspace_id, id, (before) => {
        const changed = without(before)
        const isAlike = JSON.stringify({ ...before, ...changed }) === JSON.stringify(before)
        if (isAlike || keptBy({ ...before, deleted_at: null }) !== null)
          return { events: [], answer: undefined }
        return {
          record: { ...before, ...changed, version: before.version + 1 },
          events: [],
          answer: undefined,
        }
      })
    // A hold may have been set since the case was read: to change its records takes minutes.
    else
      await retryStale(async () => {
        const before = await around.find(workspace_id, id)
        if (before === undefined || keptBy(before) !== null) return
        const written = items
          .patch({ workspace_id, id })
          .set({ ...withoutNulls(without(before)), version: before.version + 1 })
          .where(({ version }, { eq }) => eq(version, before.version))
        await transact(db, [change(written)])
      })
  }

  return async function* (party, after, keptBy) {
    const { workspace_id } = party
    const ids = await around.ids(party)
    let done = after ?? ''
    for (const id of ids) {
      if (id <= done) continue
      const one = await around.find(workspace_id, id)
      if (one !== undefined && keptBy(one) === null)
        for await (const _ of leaveCase(party, one, keptBy)) yield done
      done = id
      yield done
    }
    // The log of changes has former types and departments.
    const left = new Set<string>()
    for (const id of ids) {
      const one = await around.find(workspace_id, id)
      if (one !== undefined && keptBy(one) === null) left.add(id)
    }
    const redact = withoutParty(party)
    await changeLog(db, 'cases').leaveOut(
      workspace_id,
      (id) => left.has(id),
      (filter) => redact(filter) !== filter,
    )
    return undefined
  }
}

/** A party of a case, with its role redacted. It keeps its side, which the words of the role may have said. */
function withRole(named: CaseRecord['parties'][number], redact: Redact): CaseRecord['parties'][number] {
  const [role, side] = [redact(named.role), sideOf(named)]
  return role === named.role ? named : { ...named, role, ...(side !== null && { side }) }
}
