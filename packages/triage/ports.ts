import type { MailAddress } from '#correspondence/address-schema.ts'
import type { Side } from '#parties/side-schema.ts'
import type { ContentRuleName } from './content-rules.ts'
import type { MessageFacts, XJustizFacts } from './facts-schema.ts'
import type { Letterhead } from './letterhead.ts'
import type { Findings } from './schema.ts'

/** `stated`: the reference fields of a beA message. */
export type Place = 'subject' | 'body' | 'attachment' | 'xjustiz' | 'stated'

/**
 * A number that may name a case. `quote` is the line, or the part of the line, in which it stands.
 *
 * - `label`: what the message calls it: `ours` (`Ihr Zeichen`), `theirs` (`unser Zeichen`), `reference` (`Az.`, or
 *   written in full as we write ours), or `none`.
 * - `counts`: it may file the message; other numbers only suggest cases.
 * - `is_own`: a reference that the sender gives as its own, in the subject, a head, an XJustiz record or a field of a
 *   beA message. A case learns no other references.
 * - `is_meant`: it is neither denied nor forwarded nor the sender's own number, so it may show that another case is
 *   meant.
 * - `beside`: the folded words around a number without an owner that may name its owner. The number files a message
 *   only into a case that has each of these words in its name or in the names of its parties.
 */
export type NumberSignal = {
  key: string
  suffix: string | null
  place: Place
  label: 'ours' | 'theirs' | 'reference' | 'none'
  counts: boolean
  is_own: boolean
  is_meant: boolean
  beside: string[]
  quote: string
}

/**
 * The name of somebody who may be a party. `versus`: the other name of `X ./. Y`. `form`: `called` if the message calls
 * the person client, accused or the like, `family` for the family name of a couple, otherwise `named`.
 */
export type NameSignal = {
  name: string
  place: 'subject' | 'body' | 'attachment' | 'sender'
  versus: string | null
  form: 'called' | 'named' | 'family'
  quote: string
}

/** The signals of a message, which the caller looks up. Every list is bounded (`limits.ts`). */
export type Signals = {
  /** Ids of the messages that it answers: its direct parents, then older ones. */
  message_ids: string[]
  /**
   * The mailbox of its sender as `mailboxOf` writes it, or its SAFE-ID (`safeIdKey`); null for documents and messages
   * without a sender.
   */
  sender: string | null
  /** Keys of `fileNumberKey`. */
  file_numbers: NumberSignal[]
  /** Keys of `courtReferenceKey`. */
  court_references: NumberSignal[]
  /** Names to look up among the parties. The caller folds them as a search does. */
  names: NameSignal[]
  reading: Reading
}

/** The facts of the message that `decide` needs besides numbers and names. */
export type Reading = {
  kind: MessageFacts['kind']
  sender: MailAddress | null
  /** Whether anything can be certain: the sender is verified, and it is not spam, a virus or encrypted. */
  is_trustworthy: boolean
  /** A program sent it, and no letter is attached. */
  is_automatic: boolean
  /** It has the file of a report that a mail did not arrive, or is late (RFC 3464). */
  is_delivery_report: boolean
  is_bulk: boolean
  /** The receiving service takes it for spam, or found a virus. */
  is_spam: boolean
  /** It is served formally: a beA message whose sender asks for an acknowledgement of receipt (§ 173 Abs. 3 ZPO). */
  is_served: boolean
  /** The sender says that the mail is about a new matter. */
  is_new_matter: boolean
  /** The number of direct parents, which come first in `message_ids`; the others are older. */
  parents: number
  /** Names of the content rules whose words stand in the message (`content-rules.ts`). */
  content: ContentRuleName[]
  /** The kind of the sender of the first XJustiz record; null if there is no record. */
  xjustiz_sender: XJustizFacts['sender']['kind'] | null
  deadline_hints: Findings['deadline_hints']
  /** The texts in which names of known cases are looked for: subject, own lines and letters. */
  texts: { place: 'subject' | 'body' | 'attachment'; text: string }[]
  /** The writer of the first letter (the document itself, or an attachment), by its head. */
  letterhead: Letterhead
  /** Whether the head of the first letter names the office. */
  is_letter_to_office: boolean
}

/**
 * The records that were found for the signals. Deleted cases and parties are absent. A signal that names too many
 * records finds none.
 */
export type Found = {
  /** Every case that the lists below name. */
  cases: FoundCase[]
  file_numbers: { key: string; case_id: string }[]
  /** `learnt_from`: mailboxes of the senders whose mail with this reference was filed in this case. */
  court_references: { key: string; case_id: string; learnt_from: string[] }[]
  threads: { message_id: string; case_id: string }[]
  /** The cases in which mail of the sender was filed. */
  senders: { case_id: string }[]
  /** Parties with the sender's address, or with one of the names. */
  parties: FoundParty[]
  /** The cases whose own names contain a name that no party has, or both names of `X ./. Y`. */
  named_cases: (Pick<NameSignal, 'name' | 'versus'> & { case_id: string })[]
}

export type FoundCase = {
  id: string
  file_number: string
  name: string
  status: 'active' | 'closed' | 'archived'
  /** `name` as stored in the case. */
  parties: { id: string; role: string; name?: string; side?: Side | undefined }[]
  staff: { id: string; role: string }[]
}

export type FoundParty = {
  id: string
  name: string
  email: string | null
  /** `side`: only if it was given; otherwise the role decides. */
  cases: { case_id: string; role: string; side?: Side | undefined }[]
}

export type TriageSettings = {
  /** Mailboxes of the workspace: its inbound address and its users' (`mailboxOf`). */
  own_mailboxes: string[]
  /** The ids of its deactivated users. They may still be staff of cases. */
  deactivated_users: string[]
  auto_file: 'certain' | 'off'
  /** An example of the file numbers of the office: `0010/26` or `0010/26 AL`. */
  file_number_form: string
}

/** The triage of a message, and the case into which it is filed without a person (I5). */
export type Decision = Findings & { auto_file: string | null }

/** Finds the records for the signals of a message, in one workspace. Its reads do not grow with the workspace. */
export type LookUp = (workspaceId: string, signals: Signals) => Promise<Found>

/** The triage settings of a workspace. */
export type FindTriageSettings = (workspaceId: string) => Promise<TriageSettings>
