import type { Found, FoundCase, FoundParty, LookUp, NameSignal } from '#triage/ports.ts'
import { chunks, fieldsById, readEach } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { messageIds } from '../correspondence/message-ids.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { nameWords } from '../parties/name-words.ts'
import { partyNamings } from '../parties/party-namings.ts'
import { searchableList } from '../search.ts'
import { learntReference, learntSender } from './learnt-entity.ts'

/**
 * The limits of the reads. A number, a reference or a message id that names more than is allowed identifies nothing,
 * and is left out as a whole. With only a part of it, the triage would take one of several cases for the only one.
 */
const most = {
  casesOfNumber: 5,
  teachersOfReference: 50,
  mailsOfMessageId: 4,
  casesOfSender: 20,
  partiesOfSender: 10,
  partiesOfName: 5,
  casesOfParty: 25,
  casesOfName: 5,
  /** Names that no party has, for which the names of cases are searched. */
  namesOfCases: 4,
  /** Cases read at most, including cases that are only likely. */
  cases: 100,
} as const

/** The fields of a party in the list of parties. */
type PartySummary = Pick<FoundParty, 'id' | 'name' | 'email'>

type NamedParties = { items: PartySummary[]; isAll: boolean }

type SenderCases = { ids: string[]; isAll: boolean }

/**
 * Finds what a message names, in one workspace (I5). It reads single items and the newest entries of lists, so a look-up
 * costs the same in a firm with a hundred cases and with a hundred thousand. Cases and parties that were deleted are not
 * found.
 */
export function triageLookUp({ db, cursors }: { db: Db; cursors: Cursors }): LookUp {
  const caseList = searchableList(db, cursors, 'cases')
  const partyList = searchableList(db, cursors, 'parties')
  const cases = caseEntity(db)
  const mails = correspondenceEntity(db)
  const namings = partyNamings(db)
  const references = learntReference(db)
  const senders = learntSender(db)
  const ids = messageIds(db)

  const casesOfNumber = async (workspaceId: string, number: string): Promise<Found['file_numbers']> => {
    const { items, isAll } = await caseList.newest<{ id: string }>(
      workspaceId,
      { number },
      most.casesOfNumber,
    )
    return isAll ? items.map(({ id }) => ({ key: number, case_id: id })) : []
  }

  const casesOfReference = async (
    workspaceId: string,
    reference: string,
  ): Promise<Found['court_references']> => {
    const { data } = await references.query
      .cases({ workspace_id: workspaceId, reference })
      .go({ limit: most.teachersOfReference + 1, ...strongly })
    if (data.length > most.teachersOfReference) return []
    return [...Map.groupBy(data, ({ case_id }) => case_id)].map(([case_id, taught]) => ({
      key: reference,
      case_id,
      learnt_from: taught.map(({ mailbox }) => mailbox),
    }))
  }

  const casesOfThreads = async (workspaceId: string, messages: string[]): Promise<Found['threads']> => {
    const known = [...(await ids.findAll(workspaceId, messages))].filter(
      ([, found]) => found.length <= most.mailsOfMessageId,
    )
    const wanted = new Set(known.flatMap(([, found]) => found))
    const filed = await fieldsById(db, mails, workspaceId, [...wanted], ['case_id'])
    return known.flatMap(([message_id, found]) => {
      const caseIds = new Set(found.flatMap((id) => filed.get(id)?.case_id ?? []))
      return [...caseIds].map((case_id) => ({ message_id, case_id }))
    })
  }

  /** The newest cases that know the sender. `isAll`: there are no others. */
  const newestCasesOfSender = async (workspaceId: string, mailbox: string | null): Promise<SenderCases> => {
    if (mailbox === null) return { ids: [], isAll: true }
    const { data } = await senders.query
      .cases({ workspace_id: workspaceId, mailbox })
      .go({ order: 'desc', limit: most.casesOfSender, ...strongly })
    return { ids: data.map(({ case_id }) => case_id), isAll: data.length < most.casesOfSender }
  }

  /** Which of these cases know the sender. */
  const knowing = async (
    workspaceId: string,
    mailbox: string | null,
    { ids, isAll }: SenderCases,
    caseIds: string[],
  ): Promise<Set<string>> => {
    if (mailbox === null || isAll) return new Set(ids)
    const items = await readEach(
      db,
      caseIds,
      (case_id) => senders.get({ workspace_id: workspaceId, mailbox, case_id }),
      ['case_id'],
    )
    return new Set(items.map(({ case_id }) => case_id as string))
  }

  const partiesOfSender = async (workspaceId: string, email: string | null): Promise<PartySummary[]> =>
    email === null
      ? []
      : (await partyList.newest<PartySummary>(workspaceId, { email }, most.partiesOfSender)).items

  /** The parties whose names have all words of this one; none if too many have them. `isAll`: there are no others. */
  const partiesOfName = async (workspaceId: string, { name }: NameSignal): Promise<NamedParties> => {
    const word = nameWords(name)
    if (word.length === 0) return { items: [], isAll: true }
    const [exact, alike] = await Promise.all(
      [{ name: word.join(' ') }, { word }].map((filter) =>
        partyList.newest<PartySummary>(workspaceId, filter, most.partiesOfName),
      ),
    )
    const none = { items: [], isAll: false }
    if (exact === undefined || alike === undefined || !exact.isAll) return none
    if (alike.items.length === most.partiesOfName && !alike.isAll) return none
    return { items: [...exact.items, ...alike.items], isAll: alike.isAll }
  }

  /** The cases whose own names have all words of this one, or of both of `X ./. Y`; none if too many may have them. */
  const casesOfName = async (workspaceId: string, signal: NameSignal): Promise<Found['named_cases']> => {
    const { name, versus } = signal
    const words = nameWords(`${name} ${versus ?? ''}`)
    if (words.length < 2) return []
    const { items, isAll } = await caseList.newest<{ id: string; name: string }>(
      workspaceId,
      {},
      most.casesOfName,
      words.join(' '),
    )
    return isAll ? withWords(items, words.join(' ')).map(({ id }) => ({ name, versus, case_id: id })) : []
  }

  /** The newest cases that name, or once named, this party. */
  const casesOfParty = async (workspaceId: string, partyId: string): Promise<string[]> => {
    const query = namings.query(workspaceId, partyId, 'case')
    const { data } = await query.go({ order: 'desc', limit: most.casesOfParty, ...strongly })
    return data.map(({ named_by }) => named_by)
  }

  const readCases = async (workspaceId: string, caseIds: string[]): Promise<FoundCase[]> => {
    const fields = ['id', 'file_number', 'name', 'status', 'parties', 'staff', 'deleted_at'] as const
    const items = await Promise.all(
      chunks(caseIds, most.cases).map((some) => fieldsById(db, cases, workspaceId, some, fields)),
    )
    return items
      .flatMap((some) => [...some.values()])
      .flatMap(({ deleted_at, ...found }) => (deleted_at ? [] : [found]))
  }

  return async (workspaceId, signals) => {
    const { sender } = signals
    const [numbers, taught, threads, ofSender, senderParties, namedParties] = await Promise.all([
      each(keysOf(signals.file_numbers), (key) => casesOfNumber(workspaceId, key)),
      each(keysOf(signals.court_references), (key) => casesOfReference(workspaceId, key)),
      casesOfThreads(workspaceId, signals.message_ids),
      newestCasesOfSender(workspaceId, sender),
      partiesOfSender(workspaceId, sender),
      Promise.all(signals.names.map((name) => partiesOfName(workspaceId, name))),
    ])
    const allParties = [...senderParties, ...namedParties.flatMap(({ items }) => items)]
    const parties = [...new Map(allParties.map((party) => [party.id, party])).values()]
    // Of `X ./. Y` both names are signals, and one search finds the cases of both.
    const ofNobody = signals.names.filter(
      (name, at) =>
        isOfNobody(name, namedParties[at]) &&
        !signals.names.slice(0, at).some((other) => other.versus === name.name),
    )
    const meant = new Set(
      [...senderParties, ...signals.names.flatMap((name) => partiesMeant(name, parties))].map(({ id }) => id),
    )
    const [ofParties, ofNames] = await Promise.all([
      each([...meant], (partyId) => casesOfParty(workspaceId, partyId)),
      each(ofNobody.slice(0, most.namesOfCases), (name) => casesOfName(workspaceId, name)),
    ])
    const named = new Set([...numbers, ...taught, ...threads, ...ofNames].map(({ case_id }) => case_id))
    const likely = new Set([...ofSender.ids, ...ofParties].filter((id) => !named.has(id)))
    const caseIds = [...named, ...[...likely].slice(0, Math.max(0, most.cases - named.size))]
    const [found, known] = await Promise.all([
      readCases(workspaceId, caseIds),
      knowing(workspaceId, sender, ofSender, caseIds),
    ])
    const present = new Set(found.map(({ id }) => id))
    const isThere = ({ case_id }: { case_id: string }) => present.has(case_id)
    return {
      cases: found,
      file_numbers: numbers.filter(isThere),
      court_references: taught.filter(isThere),
      threads: threads.filter(isThere),
      senders: [...known].map((case_id) => ({ case_id })).filter(isThere),
      named_cases: ofNames.filter(isThere),
      parties: parties.map(({ id, name, email }) => ({
        id,
        name,
        email,
        cases: found.flatMap((one) =>
          one.parties
            .filter((party) => party.id === id)
            .map(({ role, side }) => ({ case_id: one.id, role, side })),
        ),
      })),
    }
  }
}

/**
 * The parties whose cases a name may suggest: the only one that has it; of `X ./. Y` all with that name, if one with
 * the other is known. The cases of the others are not read. A name that several parties have suggests no case by itself
 * (`rules.ts` of the triage). In a case that is read for another reason it counts all the same.
 */
function partiesMeant({ name, versus, form }: NameSignal, parties: PartySummary[]): PartySummary[] {
  const named = withWords(parties, name)
  if (versus === null) return named.length === 1 || form === 'family' ? named : []
  return withWords(parties, versus).length > 0 ? named : []
}

/** Those whose names have all words of this one, however they are written. */
function withWords<Named extends { name: string }>(all: Named[], name: string): Named[] {
  const words = nameWords(name)
  return words.length === 0
    ? []
    : all.filter((one) => {
        const ofOne = new Set(nameWords(one.name))
        return words.every((word) => ofOne.has(word))
      })
}

/** Whether a case may be called by this name in the text, or by the pair, because no party of it was entered. */
function isOfNobody({ place, form, versus }: NameSignal, parties: NamedParties | undefined): boolean {
  if (place === 'sender' || form === 'family') return false
  return versus !== null || (parties?.isAll === true && parties.items.length === 0)
}

function keysOf(numbers: { key: string }[]): string[] {
  return [...new Set(numbers.map(({ key }) => key))]
}

async function each<Item, Result>(items: Item[], work: (item: Item) => Promise<Result[]>): Promise<Result[]> {
  return (await Promise.all(items.map(work))).flat()
}
