import * as z from 'zod'
import { idOf } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { emailText, nameText, Text } from '#kernel/text.ts'
import { Party } from './schema.ts'
import { ShownSide } from './side-schema.ts'

/** The maximum number of names, and of e-mail addresses, in one check, which then stays well within the time limit. */
export const maxChecked = 100

/** The maximum number of parties in the answer for each name or address: the most certain ones. */
export const maxParties = 25

/**
 * The maximum number of cases of each party in the answer: the newest ones. The ones that make it a conflict are added.
 */
export const maxCasesOfParty = 20

/**
 * The maximum number of cases in an answer: `ofName` times the number of names and addresses, but at most `inAll`. All parties share
 * this number. Cases that make a conflict are added to it.
 */
export const maxCases = { ofName: 50, inAll: 1_000 }

/**
 * How many cases of a client of the requested case are compared with the cases of another party: the newest in which the
 * client is on the sides in question.
 */
export const maxCompared = 200

/** The limits of the answer, in words. */
export const conflictBounds = `An answer has up to ${maxParties} parties for each name or address, up to ${maxCasesOfParty} cases of each party, and in all up to ${maxCases.ofName} cases times the number of names and addresses, at most ${maxCases.inAll}. Cases that make a conflict are added to these. \`more\` and \`more_cases\` say where there are others. \`conflict\` considers every case of the party, whether or not the answer contains it. For a conflict with the clients of \`case_id\`, it considers the newest ${maxCompared} cases of each client.`

/** The input of a conflict check (C10). Nothing of it is stored. */
export const ConflictCheckInput = z.lazy(() =>
  z
    .object({
      names: orDefault(
        z
          .array(nameText())
          .max(maxChecked, `At most ${maxChecked} names. Send the others in further requests.`),
        [],
      ).meta({ description: 'Names of people or firms, as they are written.' }),
      emails: orDefault(
        z
          .array(emailText())
          .max(maxChecked, `At most ${maxChecked} addresses. Send the others in further requests.`),
        [],
      ),
      case_id: idOf('case')
        .nullable()
        .default(null)
        .meta({ description: 'The case in which these people are to take part.' }),
    })
    .refine(({ names, emails }) => names.length + emails.length > 0, {
      path: ['names'],
      message: 'Give at least one name or e-mail address.',
    })
    .meta({ id: 'ConflictCheckInput', minProperties: 1 }),
)

export type ConflictCheckInput = z.infer<typeof ConflictCheckInput>

/** A party that may be one of the requested people, with its cases (C10). */
export const ConflictMatch = namedObject('ConflictMatch', () => ({
  party: Party.unwrap().pick({ id: true, name: true, type: true }).meta({ id: 'ConflictParty' }),
  cases: z.array(
    z
      .object({ id: z.uuid(), file_number: Text, name: Text, role: Text, side: ShownSide })
      .meta({ id: 'ConflictCase', description: 'A case of the party, once for each of its roles.' }),
  ),
  more_cases: z.boolean().meta({
    description:
      'The party has more cases than the answer contains: `GET /parties/{id}/cases` lists all. `cases` has every case that makes it a conflict.',
  }),
  searched: z.array(Text).meta({ description: 'The names and addresses of the request that it matches.' }),
  match: z.enum(['exact', 'likely', 'possible']).meta({
    description:
      '`exact`: the same name. `likely`: another spelling that sounds the same, another order, a missing second given name, one of the names of several people, or the same e-mail address. `possible`: a given name or a word of the firm is missing, or the names only sound alike.',
  }),
  reason: Text.meta({ description: 'Why it matches, and which cases make it a conflict, in German.' }),
  conflict: z.boolean().meta({
    description:
      'It is a client in some case. With `case_id`, also: it is an opponent of a client of that case in another case, or that client is its opponent (§ 43a Abs. 4 BRAO). Also true if this is only possible because the role of a party does not say its side.',
  }),
  conflict_certainty: z.enum(['certain', 'possible']).nullable().meta({
    description:
      '`certain`: the sides of all parties concerned are known. `possible`: some are not; give these parties a `side`. Null if `conflict` is false.',
  }),
}))

export type ConflictMatch = z.infer<typeof ConflictMatch>

export const ConflictReport = namedObject('ConflictReport', () => ({
  data: z.array(ConflictMatch),
  more: z.array(Text).meta({
    description:
      'Names and addresses that may match more parties than the answer contains. Ask for the full name.',
  }),
}))

export type ConflictReport = z.infer<typeof ConflictReport>
