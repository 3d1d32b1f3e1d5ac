import { newId } from '#kernel/id.ts'
import type { PartyRecord } from '#parties/ports.ts'
import type { Db } from '#store/db.ts'
import { learntReference, learntSender } from '#store/inbox/learnt-entity.ts'
import { partyUse } from '#store/parties/party-entity.ts'
import { caseDraft } from './case-names.ts'

/** A court that has written in every case, and an insurer who is a party of every case. */
export const court = 'poststelle@lg-m1.bayern.de'
export const insurer = { name: 'Nordwall Versicherung AG', email: 'schaden@nordwall-versicherung.example' }

/** Every fifth case has a client of its own, with one of ten given names. */
const casesPerClient = 5
const givenNames = 'Anna Ben Clara David Eva Felix Greta Hans Ida Jan'.split(' ')

/** The insurer of a firm, which all of its cases name. */
export function insurerOf(workspace_id: string): PartyRecord {
  return { ...party(workspace_id, insurer.name), ...insurer, type: 'organization' }
}

/** The client of the case with this number, if it has one of its own. */
export function clientOf(workspace_id: string, at: number): PartyRecord | undefined {
  if (at % casesPerClient !== 0) return undefined
  const [name = ''] = caseDraft(at).name.split(' ./. ')
  return party(workspace_id, `${givenNames[(at / casesPerClient) % givenNames.length]} ${name}`)
}

const opponentNames = (
  'Alexander Andreas Barbara Bernd Birgit Christian Claudia Daniel Elisabeth Frank Gabriele Günter Heike Helga Jürgen ' +
  'Karin Klaus Manfred Maria Markus Martina Michael Monika Nicole Peter Petra Renate Sabine Stefan Susanne Thomas Ursula ' +
  'Uwe Werner Wolfgang'
).split(' ')

/** Somebody whom the case with this number has named, and names no more: a firm has many parties beside its clients. */
export function opponentOf(workspace_id: string, at: number): PartyRecord {
  const [name = ''] = caseDraft(at + 1_000_000).name.split(' ./. ')
  const isPerson = !/GmbH|AG|OHG/.test(name)
  const given = opponentNames[at % opponentNames.length]
  return isPerson
    ? party(workspace_id, `${given} ${name.split(' ').at(-1)}`)
    : { ...party(workspace_id, name), type: 'organization' }
}

function party(workspace_id: string, name: string): PartyRecord {
  const at = new Date().toISOString()
  const about = { name, email: null, phone: null, address: null }
  return {
    workspace_id,
    id: newId('party'),
    type: 'person',
    ...about,
    created_at: at,
    updated_at: at,
    version: 1,
  }
}

/** Operations of the table for the features that a case has learnt and the names of its parties. */
export function learntOf(db: Db, workspace_id: string, case_id: string, at: number, partyIds: string[]) {
  const learnt = { workspace_id, case_id, mailbox: court, mails: [newId('correspondence')], version: 1 }
  return [
    learntSender(db).put(learnt),
    learntReference(db).put({ ...learnt, reference: `${at + 1}o1/26` }),
    ...partyIds.map((party_id) => partyUse(db).put({ workspace_id, party_id, named_by: case_id })),
  ]
}
