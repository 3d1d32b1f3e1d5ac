import type { Evidence } from './schema.ts'

type Rule = { kind: Evidence['kind']; weight: number; reason: string }

/**
 * The weight of each piece of evidence for a case: how often a message with this evidence alone belongs to the case.
 * The weights of the pieces for one case are combined as 1 − ∏ (1 − weight).
 *
 * Weights only order suggestions and hide the weak ones. `certain.ts` alone decides which messages are filed without a
 * person, by kinds of evidence and not by weights.
 */
export const rules = {
  thread_parent: {
    kind: 'thread',
    weight: 0.97,
    reason: 'It answers a message of the case; nobody guesses message ids.',
  },
  thread_ancestor: {
    kind: 'thread',
    weight: 0.9,
    reason: 'An older message of its thread is in the case; threads drift to other subjects.',
  },
  number_ours: {
    kind: 'file_number',
    weight: 0.85,
    reason: 'The message calls the number ours (`Ihr Zeichen`); with a typing error it may be another case.',
  },
  number_reference: {
    kind: 'file_number',
    weight: 0.75,
    reason: 'The message calls the number a file, or writes it in full; it may be somebody else’s file.',
  },
  number_bare: {
    kind: 'file_number',
    weight: 0.5,
    reason: 'Nothing says what the number is; it may be a month or a page.',
  },
  number_theirs: {
    kind: 'file_number',
    weight: 0.1,
    reason: 'The sender calls the number his own.',
  },
  number_attached: {
    kind: 'file_number',
    weight: 0.55,
    reason: 'The number stands in an attachment, which may be a copy from another case.',
  },
  court_reference: {
    kind: 'court_reference',
    weight: 0.75,
    reason: 'A reference is unique at its court, and this one was learnt in the case.',
  },
  court_reference_attached: {
    kind: 'court_reference',
    weight: 0.55,
    reason: 'The reference stands in an attachment, which may be a copy from another case.',
  },
  sender_of_one_case: {
    kind: 'sender',
    weight: 0.55,
    reason: 'The sender is a party of this active case and of no other; a new matter is possible.',
  },
  sender_of_cases: {
    kind: 'sender',
    weight: 0.25,
    reason: 'The sender is a party of several cases.',
  },
  sender_shared: {
    kind: 'sender',
    weight: 0.5,
    reason: 'Several parties have the address of the sender; none is chosen, and all are named (I4).',
  },
  sender_of_closed_case: {
    kind: 'sender',
    weight: 0.2,
    reason: 'The sender is a party of a case that is not active.',
  },
  sender_of_filed_mail: {
    kind: 'sender',
    weight: 0.3,
    reason: 'Mail of the sender was filed in the case; courts and lawyers write about many cases.',
  },
  both_parties: {
    kind: 'party_name',
    weight: 0.7,
    reason: 'Both parties of the case are named against each other.',
  },
  party_called: {
    kind: 'party_name',
    weight: 0.55,
    reason: 'A party with this full name is called client, insured or accused; names repeat.',
  },
  party_named: {
    kind: 'party_name',
    weight: 0.5,
    reason: 'The full name of a party of this active case and of no other stands in the text; names repeat.',
  },
  case_named: {
    kind: 'party_name',
    weight: 0.5,
    reason: 'A full name in the text stands in the name of this active case and of no other; names repeat.',
  },
  party_mentioned: {
    kind: 'party_name',
    weight: 0.45,
    reason: 'The text names another party of a case of the sender, and of no other case of theirs.',
  },
  case_mentioned: {
    kind: 'party_name',
    weight: 0.35,
    reason: 'The text has a word of a name that only this one of the sender’s cases has.',
  },
  party_homonym: {
    kind: 'party_name',
    weight: 0.2,
    reason: 'Several parties or cases have the name.',
  },
  sender_has_party_name: {
    kind: 'party_name',
    weight: 0.3,
    reason: 'The sender has the name of a party but another address; names repeat.',
  },
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** The minimum confidence of a suggestion (I5). */
export const minConfidence = 0.5
