// Aktenlage 1.0.0: the client, generated from the description of the interface. Do not edit.

export type CaseSummary = {
  /** Its id. */
  id: string
  /** The name of the case, such as `Weber ./. Stadtwerke Neustadt`. */
  name: string
  /** The firm’s Aktenzeichen, unique in the workspace. */
  file_number: string
  /** Whether the case is worked on, closed, or archived. */
  status: 'active' | 'closed' | 'archived'
}

/** What was deleted, or has left the filters of the list. */
export type DeletedRecord = {
  /** Its id. */
  id: string
  /** ISO 8601, UTC, with milliseconds. */
  deleted_at: string
}

export type Pagination = {
  /** Send it as `cursor` to get the next page; null on the last. */
  cursor: string | null
  /** Whether there are more items. */
  has_more: boolean
}

export type CaseInput = {
  /** The name of the case, such as `Weber ./. Stadtwerke Neustadt`. */
  name: string
  /** Omitted, it is the next of the year: `0001/26`. */
  file_number?: string | null
  /** The kind of case, in free words. */
  type?: string | null
  /** A longer text about it. */
  description?: string | null
  /** The department of the firm (Dezernat). */
  dezernat?: string | null
}

export type Case = {
  /** Its id. */
  id: string
  /** The name of the case, such as `Weber ./. Stadtwerke Neustadt`. */
  name: string
  /** The firm’s Aktenzeichen, unique in the workspace. */
  file_number: string
  /** Whether the case is worked on, closed, or archived. */
  status: 'active' | 'closed' | 'archived'
  /** The kind of case, in free words. */
  type: string | null
  /** A longer text about it. */
  description: string | null
  /** The department of the firm (Dezernat). */
  dezernat: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
  /** The people and organizations that take part. */
  parties: CaseParty[]
  /** The users who work on the case. */
  staff: CaseStaff[]
}

/** A party of a case in one role. */
export type CaseParty = {
  /** Its id. */
  id: string
  /** The role in the case, in free words. */
  role: string
  /** On which side the party stands: as it was given, otherwise as its role says. Null: unknown. A conflict check then counts the party as a possible client. If omitted or null, the words of the role decide, in every inflection and gender form, also with a procedural role beside them (`Mandant (Kläger)`). `client`: Mandant, Mandantschaft, Auftraggeber, Klient, Vollmachtgeber, eigene Partei, client; `opponent`: Gegner, Gegenseite, Gegenpartei, Prozess-, Verfahrens-, Unfall- or Streitgegner, gegnerische Partei, opponent, opposing party; `other`: Zeuge, Sachverständiger, Gutachter, Gericht, Richter, Rechtspfleger, Gerichtsvollzieher, Notar, Rechtsanwalt, Prozess- or Verfahrensbevollmächtigter, Verteidiger, Staatsanwaltschaft, Polizei, Dolmetscher, Übersetzer, Mediator, Steuerberater, Rechtsschutzversicherung, witness, expert, court, counsel. Other roles say nothing: Kläger, Beklagter, Antragsteller, Antragsgegner, Schuldner, Streithelfer, Nebenkläger and the like may be on either side. */
  side: 'client' | 'opponent' | 'other' | null
  /** The name. */
  name: string
}

/** A user who works on a case, in one role. */
export type CaseStaff = {
  /** The user, by id. */
  id: string
  /** The name of the user. */
  name: string
  /** The role in the case, in free words. */
  role: string
}

export type CaseChanges = {
  /** The name of the case, such as `Weber ./. Stadtwerke Neustadt`. */
  name?: string
  /** The file number of the case (Aktenzeichen of the firm). */
  file_number?: string
  /** Whether the case is worked on, closed, or archived. */
  status?: 'active' | 'closed' | 'archived'
  /** The kind of case, in free words. */
  type?: string | null
  /** A longer text about it. */
  description?: string | null
  /** The department of the firm (Dezernat). */
  dezernat?: string | null
}

export type CaseDeletion = {
  /** German: how many deadlines of the case are open, and the day of the first. */
  warnings: string[]
}

export type CaseLink = {
  /** Its id. */
  id: string
  /** The case (Akte), by its id. */
  case_id: string
  /** The other case, by its id. */
  linked_case_id: string
  /** How the cases are related, in free words. */
  type: string | null
  /** A remark on the link. */
  note: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type CaseLinkInput = {
  /** The other case. */
  case_id: string
  /** How the cases are related, in free words. */
  type?: string | null
  /** A remark on the link. */
  note?: string | null
}

export type CasePartiesInput = (NewCaseParty | KnownCaseParty)[] | {
  /** The people and organizations that take part. */
  parties: (NewCaseParty | KnownCaseParty)[]
}

export type NewCaseParty = {
  /** Whether it is a person or an organization. */
  type?: 'person' | 'organization'
  /** The name of the new party. */
  name: string
  /** The e-mail address. */
  email?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The postal address, in one text. */
  address?: string | null
  /** Left out or null: the party is new. */
  id?: null
  /** The role in the case, in free words. */
  role: string
  /** On which side the party stands: `client` is yours. If omitted or null, the words of the role decide, in every inflection and gender form, also with a procedural role beside them (`Mandant (Kläger)`). `client`: Mandant, Mandantschaft, Auftraggeber, Klient, Vollmachtgeber, eigene Partei, client; `opponent`: Gegner, Gegenseite, Gegenpartei, Prozess-, Verfahrens-, Unfall- or Streitgegner, gegnerische Partei, opponent, opposing party; `other`: Zeuge, Sachverständiger, Gutachter, Gericht, Richter, Rechtspfleger, Gerichtsvollzieher, Notar, Rechtsanwalt, Prozess- or Verfahrensbevollmächtigter, Verteidiger, Staatsanwaltschaft, Polizei, Dolmetscher, Übersetzer, Mediator, Steuerberater, Rechtsschutzversicherung, witness, expert, court, counsel. Other roles say nothing: Kläger, Beklagter, Antragsteller, Antragsgegner, Schuldner, Streithelfer, Nebenkläger and the like may be on either side. */
  side?: 'client' | 'opponent' | 'other' | null
}

export type KnownCaseParty = {
  /** `pty_` and a UUID; the prefix may be omitted. */
  id: string
  /** The role in the case, in free words. */
  role: string
  /** On which side the party stands: `client` is yours. If omitted or null, the words of the role decide, in every inflection and gender form, also with a procedural role beside them (`Mandant (Kläger)`). `client`: Mandant, Mandantschaft, Auftraggeber, Klient, Vollmachtgeber, eigene Partei, client; `opponent`: Gegner, Gegenseite, Gegenpartei, Prozess-, Verfahrens-, Unfall- or Streitgegner, gegnerische Partei, opponent, opposing party; `other`: Zeuge, Sachverständiger, Gutachter, Gericht, Richter, Rechtspfleger, Gerichtsvollzieher, Notar, Rechtsanwalt, Prozess- or Verfahrensbevollmächtigter, Verteidiger, Staatsanwaltschaft, Polizei, Dolmetscher, Übersetzer, Mediator, Steuerberater, Rechtsschutzversicherung, witness, expert, court, counsel. Other roles say nothing: Kläger, Beklagter, Antragsteller, Antragsgegner, Schuldner, Streithelfer, Nebenkläger and the like may be on either side. */
  side?: 'client' | 'opponent' | 'other' | null
}

export type CasePartiesAnswer = {
  /** The parties of the case. */
  data: CaseParty[]
  /** Parties that were added with a role that does not say their side, or with a `side` other than that of the role. Also other parties with exactly or very likely the same name as one that was added, and whether a party that was added is on the other side elsewhere: these only for a key with `contacts:read` and `cases:read`. */
  warnings: ConflictMatch[]
}

export type ConflictMatch = {
  /** The party. */
  party: ConflictParty
  /** The cases in which the party takes part. */
  cases: ConflictCase[]
  /** The party has further cases, which are not answered: `GET /parties/{id}/cases` lists all. Those that make it a conflict are among `cases`. */
  more_cases: boolean
  /** The names and addresses of the request that it matches. */
  searched: string[]
  /** `exact`: the same name. `likely`: another spelling that sounds the same, another order, a missing second given name, or the same e-mail address. `possible`: a given name or a word of the firm is missing, or the names only sound alike. */
  match: 'exact' | 'likely' | 'possible'
  /** Why it matches, and which cases make it a conflict, in German. */
  reason: string
  /** It is a client in some case. With `case_id`, also: it stands against a client of that case elsewhere, or that client against it (§ 43a Abs. 4 BRAO). Also true where this is only possible, since the role of a party does not say its side. */
  conflict: boolean
  /** `certain`: the sides of all parties concerned are known. `possible`: some are not; give these parties a `side`. Null where `conflict` is false. */
  conflict_certainty: 'certain' | 'possible' | null
}

export type ConflictParty = {
  /** Its id. */
  id: string
  /** The name. */
  name: string
  /** Whether it is a person or an organization. */
  type: 'person' | 'organization'
}

/** A case of the party, once for each of its roles. */
export type ConflictCase = {
  /** Its id. */
  id: string
  /** The file number of the case (Aktenzeichen of the firm). */
  file_number: string
  /** The name of the case. */
  name: string
  /** The role of the party in the case. */
  role: string
  /** On which side the party stands: as it was given, otherwise as its role says. Null: unknown. A conflict check then counts the party as a possible client. If omitted or null, the words of the role decide, in every inflection and gender form, also with a procedural role beside them (`Mandant (Kläger)`). `client`: Mandant, Mandantschaft, Auftraggeber, Klient, Vollmachtgeber, eigene Partei, client; `opponent`: Gegner, Gegenseite, Gegenpartei, Prozess-, Verfahrens-, Unfall- or Streitgegner, gegnerische Partei, opponent, opposing party; `other`: Zeuge, Sachverständiger, Gutachter, Gericht, Richter, Rechtspfleger, Gerichtsvollzieher, Notar, Rechtsanwalt, Prozess- or Verfahrensbevollmächtigter, Verteidiger, Staatsanwaltschaft, Polizei, Dolmetscher, Übersetzer, Mediator, Steuerberater, Rechtsschutzversicherung, witness, expert, court, counsel. Other roles say nothing: Kläger, Beklagter, Antragsteller, Antragsgegner, Schuldner, Streithelfer, Nebenkläger and the like may be on either side. */
  side: 'client' | 'opponent' | 'other' | null
}

export type CaseEnvelope = {
  /** Its id. */
  id: string
  /** The title. */
  title: string
  /** How far signing has come. */
  status: 'draft' | 'sent' | 'in_progress' | 'completed' | 'declined' | 'expired' | 'voided'
  /** The people who sign, agree, or get a copy. */
  signers: {
    /** The name. */
    name: string
    /** The status. */
    status: 'pending' | 'signed' | 'declined'
    /** When it was signed. */
    signed_at: string | null
  }[]
}

export type EnvelopeInput = {
  /** The title that signers see. */
  title: string
  /** 1 to 20, each once; 50 MiB together. */
  document_ids: string[]
  /** The people who sign, agree, or get a copy. */
  signers: EnvelopeSignerInput[]
  /** Whether all sign at once (`parallel`) or one after the other (`sequential`). */
  signing_order?: 'parallel' | 'sequential' | null
  /** Sends it at once; otherwise it is a draft. */
  send_emails?: boolean | null
  /** A message of the office to the signers. */
  message?: string | null
  /** When it ends. Null if it does not. */
  expires_at?: string | null
  /** When signers are reminded. Null for never. */
  reminders?: EnvelopeReminders | null
}

export type EnvelopeSignerInput = {
  /** The name. */
  name: string
  /** The e-mail address. */
  email: string
  /** `signer` signs, `approver` agrees without a signature, `cc` gets the sealed copy. */
  role?: 'signer' | 'approver' | 'cc' | null
  /** The page asks for it before it shows anything. Tell it to the signer by another way. Never shown. */
  access_code?: string | null
}

/** When those who have not acted are reminded by themselves. */
export type EnvelopeReminders = {
  /** Days from sending to the first reminder. */
  first_after_days: number
  /** Days between reminders. */
  repeat_every_days: number
}

export type Envelope = {
  /** Its id. */
  id: string
  /** The case (Akte), by its id. */
  case_id: string
  /** The title that signers see. */
  title: string
  /** How far signing has come. */
  status: 'draft' | 'sent' | 'in_progress' | 'completed' | 'declined' | 'expired' | 'voided'
  /** Why it is not completed although everybody has signed: `bytes_missing` and `bytes_damaged` (of a document or a drawn signature; a person must restore them), `sealing_failed` (it is tried again). Null otherwise. */
  status_reason: 'bytes_missing' | 'bytes_damaged' | 'sealing_failed' | null
  /** `parallel`: all may sign at once. `sequential`: one after the other, in the order of `signers`. */
  signing_order: 'parallel' | 'sequential'
  /** A message of the office to the signers. */
  message: string | null
  /** The documents. */
  documents: EnvelopeDocument[]
  /** Documents that can change, or differ between readers or between screen and paper: they are attached to their certificates unchanged, not merged with them, and the signers are told. */
  warnings: string[]
  /** The people who sign, agree, or get a copy. */
  signers: EnvelopeSigner[]
  /** When signers are reminded. Null for never. */
  reminders: EnvelopeReminders | null
  /** Null for a draft that names no time. */
  expires_at: string | null
  /** The user who created it, by id. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** When it was sent. */
  sent_at: string | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** When it was declined. */
  declined_at: string | null
  /** When the office withdrew it. */
  voided_at: string | null
  /** Why the office withdrew it. */
  void_reason: string | null
}

export type EnvelopeDocument = {
  /** Its id. */
  id: string
  /** The document, by its id. */
  document_id: string
  /** The name of the file. */
  filename: string
  /** Of the bytes when the envelope was created. Exactly these are signed. */
  sha256: string
  /** The sealed copy, once the envelope is completed. */
  sealed_document_id: string | null
}

export type EnvelopeSigner = {
  /** Its id. */
  id: string
  /** The name. */
  name: string
  /** The e-mail address. */
  email: string
  /** `approver` agrees and draws nothing; `cc` does nothing and gets the sealed copies. */
  role: 'signer' | 'approver' | 'cc'
  /** Whether this person has signed. */
  status: 'pending' | 'signed' | 'declined'
  /** Counts from 1, in the order in which signers were given. */
  order: number
  /** When it was signed. */
  signed_at: string | null
  /** When the first mail with a link went out. */
  sent_at: string | null
  /** When it was first opened. */
  opened_at: string | null
  /** When it was declined. */
  declined_at: string | null
  /** Why the signer declined. */
  decline_reason: string | null
  /** What became of the newest mail to this person. `bounced`: it came back, its address was refused, or it was never confirmed. Null where none was sent. */
  delivery: 'queued' | 'sent' | 'bounced' | null
  /** Whether five wrong access codes locked the link. Only a new link from `POST …/signers/{signer_id}/link` ends that; a reminder does not. */
  locked: boolean
}

export type CaseStaffAssignments = CaseStaffInput[] | {
  /** The users who work on the case. */
  staff: CaseStaffInput[]
}

export type CaseStaffInput = {
  /** `usr_` and a UUID; the prefix may be omitted. */
  id: string
  /** The role in the case, in free words. */
  role: string
}

export type CaseStaffRemoval = {
  /** The users to remove, by id. */
  staff_ids: string[]
}

export type TimelineEntry = {
  /** Its id. */
  id: string
  /** What happened, for programs: `case.created`, `parties.added`, … */
  type: string
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string
  /** Who did it. */
  actor: {
    /** Whether a user, the service or somebody outside did it. */
    type: 'user' | 'system' | 'external'
    /** The user, by id. Null for all others. */
    id: string | null
    /** The name. */
    name: string
  }
  /** What happened, for people, in German. */
  summary: string
  /** What it happened to. */
  ref: {
    /** The kind of record. */
    type: string
    /** The id of the record. */
    id: string
  } | null
}

export type Document = {
  /** Its id. */
  id: string
  /** The name of the file. */
  filename: string
  /** By the content, never by the name. */
  mime_type: string
  /** The size in bytes. */
  size_bytes: number
  /** `pending` until it is read; `failed` keeps the bytes, and `status_reason` says why. */
  status: 'pending' | 'processed' | 'failed'
  /** `password_protected`, `corrupt`, `empty`, `too_many_pages`, `too_complex` (a page takes longer to read than any real one), `out_of_resources`, `bytes_damaged`, … */
  status_reason: string | null
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The folder, by its id. */
  folder_id: string | null
  /** The people and organizations that take part. */
  parties: DocumentParty[]
  /** In characters; null until processed. */
  extracted_text_length: number | null
  /** The number of pages. Null until the text is extracted. */
  page_count: number | null
  /** Of the bytes; until they have arrived as it was announced, or null. */
  sha256: string | null
  /** Other documents of the workspace with the same bytes, at most 100, the oldest first. */
  duplicate_of: string[]
  /** What the system that sent it told of it. */
  metadata: Record<string, unknown> | null
  /** How the document arrived. */
  source: 'upload' | 'inbox' | 'email' | 'webhook' | 'bea' | 'signing'
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type DocumentParty = {
  /** Its id. */
  id: string
  /** The name. */
  name: string
  /** Whether this is the primary party of the document. */
  is_primary: boolean
}

export type BulkAssignment = {
  /** The documents, by id. */
  document_ids: string[]
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The folder, by its id. */
  folder_id?: string | null
  /** Replaces all parties; the first is the primary one. */
  party_ids?: string[] | null
  /** The primary party, by its id. It must be one of the parties. */
  primary_party_id?: string | null
}

export type UploadInput = {
  /** The name of the file. */
  filename: string
  /** The media type. */
  mime_type: string
  /** The size in bytes. */
  size_bytes: number
  /** The SHA-256 of the bytes, in hexadecimal. */
  sha256?: string | null
  /** The folder, by its id. */
  folder_id?: string | null
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The parties, by id. The first is the primary one. */
  party_ids?: string[] | null
}

export type AnnouncedUpload = {
  /** The document, which waits for its bytes. */
  document: Document
  /** Where the bytes are sent, with nothing but these headers. */
  upload: {
    /** The HTTP method. */
    method: 'PUT'
    /** The address. */
    url: string
    /** To be sent exactly so. */
    headers: Record<string, string>
    /** ISO 8601, UTC, with milliseconds. */
    expires_at: string
  }
}

export type DocumentChanges = {
  /** The name of the file. */
  filename?: string
  /** A JSON object of the system that sent the document. */
  metadata?: Record<string, unknown> | null
}

export type Assignment = {
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The folder, by its id. */
  folder_id?: string | null
  /** Replaces all parties; the first is the primary one. */
  party_ids?: string[] | null
  /** The primary party, by its id. It must be one of the parties. */
  primary_party_id?: string | null
}

export type ExtractedText = {
  /** The whole text. */
  text: string
  /** 1 where the format has no pages. */
  page_count: number
  /** The number of words. */
  word_count: number
}

export type SharedLink = {
  /** Its id. */
  id: string
  /** The mail that holds the address. */
  correspondence_id: string
  /** The case of the mail when it was sent. */
  case_id: string | null
  /** The documents that it opens now. */
  documents: SharedLinkDocumentsItem[]
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  expires_at: string
}

export type Folder = {
  /** Its id. */
  id: string
  /** The name of the folder. */
  name: string
  /** The folder that holds this one, by its id. Null at the top. */
  parent_id: string | null
  /** The case (Akte), by its id. */
  case_id: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type FolderInput = {
  /** The name of the folder. */
  name: string
  /** The folder that holds this one, by its id. Null at the top. */
  parent_id?: string | null
  /** The case (Akte), by its id. */
  case_id?: string | null
}

export type FolderChanges = {
  /** The name of the folder. */
  name?: string
  /** The folder that holds this one, by its id. Null at the top. */
  parent_id?: string | null
  /** The case (Akte), by its id. */
  case_id?: string | null
}

export type InboxItem = {
  /** The id of the record itself. */
  id: string
  /** A mail, a document, or a beA message. */
  kind: 'correspondence' | 'document' | 'bea'
  /** Whether it is still in the inbox. */
  state: 'open' | 'filed' | 'dismissed'
  /** Of a document its file name; null where the right to open a beA message is missing. */
  subject: string | null
  /** The sender. Null for documents. Of a beA message its name, without an e-mail address: its SAFE-ID stands in `bea`. */
  from: {
    /** The name. */
    name: string | null
    /** The e-mail address. */
    email: string | null
  } | null
  /** Of a beA message its account and its sender with the SAFE-ID. */
  bea: {
    /** The beA account, by its id. */
    account_id: string
    /** The name of the sender. */
    name: string | null
    /** The SAFE-ID of a beA postbox. */
    bea_id: string | null
    /** Whether only users with the right 11 may read it. */
    confidential: boolean
  } | null
  /** Of a beA message when the network received it, not when it was imported. Of mail that came back when it came back. */
  received_at: string
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The party, by its id. */
  party_id: string | null
  /** The user who is responsible, by id. */
  assigned_to: string | null
  /** Why it is here, where it is not new: a mail of ours that could not be delivered. */
  notice: string | null
  /** Null until it was judged. */
  triage: Triage | null
}

export type Triage = {
  /** Who or what it comes from. */
  category: 'court' | 'authority' | 'opponent' | 'client' | 'insurance' | 'invoice' | 'newsletter' | 'other'
  /** How urgent it is. */
  priority: 'high' | 'normal' | 'low'
  /** A user who works on the first case suggested. */
  suggested_assignment: string | null
  /** The likeliest first. */
  case_suggestions: CaseSuggestion[]
  /** Of the first case suggested; 0 where there is none. */
  confidence: number
  /** Periods and dates that the text names. They never become deadlines by themselves. */
  deadline_hints: DeadlineHint[]
  /** Whether its attachments are judged too. Until then the judgement may change, and nothing is filed by it. */
  final: boolean
}

export type CaseSuggestion = {
  /** The case (Akte), by its id. */
  case_id: string
  /** How certain this is, from 0 to 1. */
  confidence: number
  /** The reasons for this case. */
  evidence: TriageEvidence[]
}

export type TriageEvidence = {
  /** The kind of evidence. */
  kind: 'thread' | 'file_number' | 'court_reference' | 'sender' | 'party_name' | 'text'
  /** The evidence, quoted from the text. */
  text: string
}

/** Exactly one of `date` and `period` is set. */
export type DeadlineHint = {
  /** The sentence as it stands in the message. */
  text: string
  /** The day that the text names. */
  date: string | null
  /** The period that the text names. */
  period: {
    /** The unit of the period. */
    unit: 'day' | 'week' | 'month' | 'year'
    /** How many units. */
    count: number
  } | null
  /** How certain this is, from 0 to 1. */
  confidence: number
}

export type RelatedItems = {
  /** Mails of the same sender, thread or case. */
  emails: {
    /** Its id. */
    id: string
    /** The subject. */
    subject: string
    /** The sender. */
    from: RelatedItemsEmailsItemFrom
    /** ISO 8601, UTC, with milliseconds. */
    received_at: string
  }[]
  /** Documents of the same case, mail or content. */
  documents: {
    /** Its id. */
    id: string
    /** The name of the file. */
    filename: string
    /** The case (Akte), by its id. */
    case_id: string | null
  }[]
}

export type InboxUpload = {
  /** The files that were stored. */
  uploaded: {
    /** The document, by its id. */
    document_id: string
    /** The name of the file. */
    filename: string
    /** The status. */
    status: 'processing'
  }[]
}

export type FilingInput = {
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The party, by its id. */
  party_id?: string | null
  /** Alone it leaves the item in the inbox. */
  assigned_to?: string | null
}

export type PushedUploadInput = {
  /** The name of the file. */
  filename: string
  /** The media type. */
  mime_type: string
  /** The size in bytes. */
  size_bytes: number
  /** The SHA-256 of the bytes, in hexadecimal. */
  sha256?: string | null
  /** The folder, by its id. */
  folder_id?: string | null
  /** A JSON object, or its text as in the form of the webhook. */
  metadata?: Record<string, unknown> | string | null
}

export type Ingested = {
  /** Always `ok`. */
  status: 'ok'
  /** The document, by its UUID without prefix. */
  document_id: string
  /** The name of the file. */
  filename: string
}

export type ConflictCheckInput = {
  /** Names of people or firms, as they are written. */
  names?: string[]
  /** E-mail addresses to look for. */
  emails?: string[]
  /** The case in which these people are to take part. */
  case_id?: string | null
}

export type ConflictReport = {
  /** The parties that may be the same. */
  data: ConflictMatch[]
  /** Names and addresses for which more parties may match than are answered. Ask for the full name. */
  more: string[]
}

export type Party = {
  /** Its id. */
  id: string
  /** Whether it is a person or an organization. */
  type: 'person' | 'organization'
  /** The name of the person or organization. */
  name: string
  /** The e-mail address. */
  email: string | null
  /** The telephone number. */
  phone: string | null
  /** The postal address, in one text. */
  address: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type PartyInput = {
  /** Whether it is a person or an organization. */
  type?: 'person' | 'organization'
  /** The name of the person or organization. */
  name: string
  /** The e-mail address. */
  email?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The postal address, in one text. */
  address?: string | null
}

export type PartyChanges = {
  /** Whether it is a person or an organization. */
  type?: 'person' | 'organization'
  /** The name of the person or organization. */
  name?: string
  /** The e-mail address. */
  email?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The postal address, in one text. */
  address?: string | null
}

export type PartyCase = {
  /** Its id. */
  id: string
  /** The name of the case. */
  name: string
  /** The file number of the case (Aktenzeichen of the firm). */
  file_number: string
  /** Whether the case is worked on, closed, or archived. */
  status: 'active' | 'closed' | 'archived'
  /** Its role in the case; several are separated by commas. */
  role: string
}

export type InvoiceSummary = {
  /** Its id. */
  id: string
  /** `R-2026-0001`, given when it is issued, without gaps. */
  number: string | null
  /** The case (Akte), by its id. */
  case_id: string
  /** The party, by its id. */
  party_id: string | null
  /** Whether it is a draft, issued, paid, or cancelled. */
  status: 'draft' | 'issued' | 'paid' | 'cancelled'
  /** Of a draft without a given date: the day of its creation, until it is issued. */
  invoice_date: string
  /** The day on which it is due. */
  due_date: string | null
  /** The first day of the services (§ 14 Abs. 4 Nr. 6 UStG). Where none is given, issuing sets that of the time entries, or the invoice date. */
  service_from: string | null
  /** The last day of the services. */
  service_to: string | null
  /** Who receives the invoice. */
  buyer: Buyer
  /** Leitweg-ID or another reference (BT-10). */
  buyer_reference: string | null
  /** By rate, the highest first. */
  taxes: InvoiceTax[]
  /** Euros with two places. */
  net: string
  /** Euros with two places. */
  tax: string
  /** Euros with two places. */
  gross: string
  /** The currency, always `EUR`. */
  currency: 'EUR'
  /** The invoice that this one cancels. */
  cancels: string | null
  /** The invoice that cancels this one. */
  cancelled_by: string | null
  /** When the invoice was issued. An issued invoice never changes. */
  issued_at: string | null
  /** When the invoice was paid. */
  paid_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type Buyer = {
  /** The name. */
  name: string | null
  /** Street and number. */
  street: string | null
  /** The postal code. */
  postcode: string | null
  /** The town. */
  city: string | null
  /** ISO 3166-1 alpha-2, `DE`. */
  country: string | null
  /** The e-mail address. */
  email: string | null
  /** The VAT identification number. */
  vat_id: string | null
}

export type InvoiceTax = {
  /** The tax rate in percent. */
  tax_rate: string
  /** Euros with two places. */
  net: string
  /** Euros with two places. */
  tax: string
}

export type InvoiceInput = {
  /** A UUID. */
  case_id: string
  /** The party, by its id. */
  party_id?: string | null
  /** The day of issue if omitted. */
  invoice_date?: string | null
  /** The day on which it is due. */
  due_date?: string | null
  /** The first day of the services. */
  service_from?: string | null
  /** The last day of the services. */
  service_to?: string | null
  /** Name and e-mail address are those of the party if omitted. */
  buyer?: BuyerInput | null
  /** The reference of the recipient, such as a Leitweg-ID of an authority. */
  buyer_reference?: string | null
  /** The items of the invoice. */
  lines?: InvoiceLineInput[] | null
}

export type BuyerInput = {
  /** The name. */
  name?: string | null
  /** Street and number. */
  street?: string | null
  /** The postal code. */
  postcode?: string | null
  /** The town. */
  city?: string | null
  /** The country, as an ISO 3166-1 code such as `DE`. */
  country?: string | null
  /** The e-mail address. */
  email?: string | null
  /** The VAT identification number. */
  vat_id?: string | null
}

export type InvoiceLineInput = {
  /** Required without a time entry. */
  text?: string | null
  /** The hours of the time entry if omitted, or `"1"`. Negative for what is taken off: a discount is a line of quantity `"-1"`. */
  quantity?: string | null
  /** `hour` where hours or rate are those of the time entry, otherwise `piece`. */
  unit?: 'hour' | 'piece' | null
  /** Euros, required without a time entry that has a rate. Never negative (EN 16931, BR-27). */
  unit_price?: string | null
  /** Percent: `"19"` (default), `"7"` or `"0"`. */
  tax_rate?: string | null
  /** The time entry that this item charges, by id. */
  time_entry_id?: string | null
}

export type Invoice = {
  /** Its id. */
  id: string
  /** `R-2026-0001`, given when it is issued, without gaps. */
  number: string | null
  /** The case (Akte), by its id. */
  case_id: string
  /** The party, by its id. */
  party_id: string | null
  /** Whether it is a draft, issued, paid, or cancelled. */
  status: 'draft' | 'issued' | 'paid' | 'cancelled'
  /** Of a draft without a given date: the day of its creation, until it is issued. */
  invoice_date: string
  /** The day on which it is due. */
  due_date: string | null
  /** The first day of the services (§ 14 Abs. 4 Nr. 6 UStG). Where none is given, issuing sets that of the time entries, or the invoice date. */
  service_from: string | null
  /** The last day of the services. */
  service_to: string | null
  /** Who receives the invoice. */
  buyer: Buyer
  /** Leitweg-ID or another reference (BT-10). */
  buyer_reference: string | null
  /** The items of the invoice. */
  lines: InvoiceLine[]
  /** By rate, the highest first. */
  taxes: InvoiceTax[]
  /** Euros with two places. */
  net: string
  /** Euros with two places. */
  tax: string
  /** Euros with two places. */
  gross: string
  /** The currency, always `EUR`. */
  currency: 'EUR'
  /** The invoice that this one cancels. */
  cancels: string | null
  /** The invoice that cancels this one. */
  cancelled_by: string | null
  /** When the invoice was issued. An issued invoice never changes. */
  issued_at: string | null
  /** When the invoice was paid. */
  paid_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type InvoiceLine = {
  /** What is charged. */
  text: string
  /** A decimal with up to four places. */
  quantity: string
  /** Whether hours or pieces are charged. */
  unit: 'hour' | 'piece'
  /** Euros, up to four places. */
  unit_price: string
  /** Percent: `"19"`, `"7"`, `"0"`. */
  tax_rate: string
  /** Quantity × unit price, rounded half up. */
  net: string
  /** The time entry that this item charges, by id. */
  time_entry_id: string | null
}

export type InvoiceChanges = {
  /** A UUID. */
  case_id?: string
  /** The party, by its id. */
  party_id?: string | null
  /** The day of issue if omitted. */
  invoice_date?: string | null
  /** The day on which it is due. */
  due_date?: string | null
  /** The first day of the services. */
  service_from?: string | null
  /** The last day of the services. */
  service_to?: string | null
  /** Who receives the invoice. */
  buyer?: BuyerInput | null
  /** The reference of the recipient, such as a Leitweg-ID of an authority. */
  buyer_reference?: string | null
  /** The items of the invoice. */
  lines?: InvoiceLineInput[] | null
}

export type TimeEntry = {
  /** Its id. */
  id: string
  /** The case (Akte), by its id. */
  case_id: string
  /** The user, by id. */
  user_id: string
  /** The day of the work. */
  date: string
  /** The time worked, in minutes. */
  minutes: number
  /** The work that was done, as the invoice shows it. */
  activity: string
  /** Whether the client pays for it. */
  billable: boolean
  /** Euros per hour. */
  rate: string | null
  /** Minutes / 60 × rate, rounded half up; null without a rate, `0.00` where not billable. */
  amount: string | null
  /** The invoice that bills it. */
  invoice_id: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type TimeEntryInput = {
  /** A UUID. */
  case_id: string
  /** Who worked; the caller if omitted. */
  user_id?: string | null
  /** The day of the work. */
  date: string
  /** The time worked, in minutes. */
  minutes: number
  /** The work that was done, as the invoice shows it. */
  activity: string
  /** Whether the client pays for it. */
  billable?: boolean | null
  /** Euros per hour. */
  rate?: string | null
}

export type TimeEntryChanges = {
  /** A UUID. */
  case_id?: string
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id?: string
  /** The day of the work. */
  date?: string
  /** The time worked, in minutes. */
  minutes?: number
  /** The work that was done, as the invoice shows it. */
  activity?: string
  /** Whether the client pays for it. */
  billable?: boolean
  /** The rate per hour in euros, as a decimal. */
  rate?: string | null
}

export type Deadline = {
  /** `evt_<uuid>`; the Fristen view calls it `frist_<uuid>`. */
  id: string
  /** Always `frist`. */
  type: 'frist'
  /** What is to be done, such as `Berufung`. */
  title: string
  /** The case (Akte), by its id. */
  case_id: string
  /** When its case was deleted; the deadline stays. Null while the case exists. */
  case_deleted_at: string | null
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type: 'vorfrist' | 'hauptfrist' | 'nachfrist'
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  due_at: string
  /** As of now. `expired`: the due time is past, and it is neither verified nor completed. */
  status: 'pending' | 'verified' | 'expired' | 'completed'
  /** As of now: the due time is past and it is not completed, verified or not. */
  overdue: boolean
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** How the due time was calculated. Null if it was entered by hand. */
  basis: Basis | null
  /** The user who is responsible, by id. */
  assigned_to: string
  /** The second user, who checked the deadline. */
  verified_by: string | null
  /** When it was verified. Null if it is not. */
  verified_at: string | null
  /** To whom the verification is delegated. Null if to nobody. */
  delegation: Delegation | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** The user who completed it, by id. */
  completed_by: string | null
  /** What proves it. */
  evidence: Evidence | null
  /** Who checked that it was done (Ausgangskontrolle). Null if nobody has. */
  exit_control: ExitControl | null
  /** The request for an extension. Null if there is none. */
  extension: Extension | null
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: string | null
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The deadlines that belong together, by id. */
  chain: DeadlineChainIds
  /** The user who created it, by id. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

/** How the due time was calculated; null where it was set by hand. */
export type Basis = {
  /** Null where a period was given. */
  preset: string | null
  /** The name of the period. */
  name: string | null
  /** The provision of law. */
  statute: string | null
  /** Whether it is a Notfrist (§ 224 Abs. 1 ZPO), which no court may extend. */
  notfrist: boolean
  /** Null where no preset says so. */
  extendable: boolean | null
  /** The day of the event at which the period begins, such as the service of a judgment. */
  event_date: string | null
  /** The day of posting, if the law presumes the day of delivery from it. */
  posted_on: string | null
  /** The moment at which the period begins, for periods in hours. */
  event_at: string | null
  /** The day on which the decision was pronounced. */
  pronounced_on: string | null
  /** The last day of the period that was missed. */
  missed_on: string | null
  /** The day of the public announcement. */
  announced_on: string | null
  /** The length of the period. */
  period: {
    /** The unit of the period. */
    unit: 'day' | 'week' | 'month' | 'year' | 'working_day' | 'hour'
    /** How many units. */
    count: number
  }
  /** Whether the period counts forward or backward. */
  direction: 'forward' | 'backward'
  /** The federal state (Land) whose public holidays apply, as an ISO 3166-2 code. */
  region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  /** Where the region comes from: the request, the court, or the workspace. */
  region_source: 'request' | 'court' | 'workspace'
  /** The last day of the period before it is moved from a day off. */
  calculated_date: string
  /** The day on which it is due. */
  due_date: string
  /** The calculation, step by step, each with its provision of law. */
  steps: BasisStepsItem[]
  /** Points to check by hand, in German. */
  warnings: string[]
}

/** The only user who may verify, and who delegated it. */
export type Delegation = {
  /** The only user who may verify it, by id. */
  delegated_to: string
  /** The user who delegated the verification, by id. */
  delegated_by: string
  /** ISO 8601, UTC, with milliseconds. */
  delegated_at: string
}

/** The evidence that the act was done. `hauptfrist`: this Vorfrist was completed together with its Hauptfrist. */
export type Evidence = {
  /** The kind of evidence. */
  type: 'document'
  /** The document, by its id. */
  document_id: string
  /** When the court’s receipt (§ 130a Abs. 5 ZPO) is dated. */
  receipt_at?: string
  /** The user who looked at it. */
  checked_by?: string
} | {
  /** The kind of evidence. */
  type: 'bea_receipt'
  /** The beA message, by its id. */
  message_id: string
  /** When the court’s receipt (§ 130a Abs. 5 ZPO) is dated. */
  receipt_at?: string
  /** The user who looked at it. */
  checked_by?: string
} | {
  /** The kind of evidence. */
  type: 'note'
  /** A note on how it was done. */
  text: string
  /** When the court’s receipt (§ 130a Abs. 5 ZPO) is dated. */
  receipt_at?: string
  /** The user who looked at it. */
  checked_by?: string
} | {
  /** The kind of evidence. */
  type: 'hauptfrist'
  /** When the court’s receipt (§ 130a Abs. 5 ZPO) is dated. */
  receipt_at?: string
  /** The user who looked at it. */
  checked_by?: string
}

/** Who, besides the one who completed it, has checked the outgoing post. */
export type ExitControl = {
  /** The user who did this, by id. */
  by: string
  /** ISO 8601, UTC, with milliseconds. */
  at: string
}

export type Extension = {
  /** ISO 8601, UTC, with milliseconds. */
  requested_at: string
  /** The user who recorded the request, by id. */
  requested_by: string
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  requested_until: string
  /** A remark on the request. */
  note: string | null
  /** Whether the court has decided, and how. */
  state: 'requested' | 'granted' | 'refused'
  /** What was granted. */
  until: string | null
  /** When it was granted or refused. */
  decided_at: string | null
  /** The user who recorded the decision, by id. */
  decided_by: string | null
  /** The provisional deadline, struck when the court has answered. */
  provisional_id: string
}

export type DeadlineChainIds = {
  /** The early reminder of the chain. */
  vorfrist: string | null
  /** The main deadline of the chain. */
  hauptfrist: string | null
  /** The period of grace of the chain. */
  nachfrist: string | null
}

export type DeadlineInput = {
  /** What is to be done, such as `Berufung`. */
  title: string
  /** A UUID. */
  case_id: string
  /** A moment with `Z` or offset, or a date: the end of that day, 23:59:59 in the workspace. Omitted, it is what `calculation` gives. */
  due_at?: string | null
  /** The body of `POST /deadlines/calculate`. What it gives is kept as `basis`, so that the second person can check it. Beside an unequal `due_at` it is refused. */
  calculation?: DeadlineInputCalculation | null
  /** That of the preset, else `other`, if omitted. */
  category?: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other' | null
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type?: 'vorfrist' | 'hauptfrist' | 'nachfrist' | null
  /** The caller if omitted. */
  assigned_to?: string | null
  /** Whether a Vorfrist (early reminder) is created as well. */
  create_vorfrist?: boolean | null
  /** So many calendar days before the Hauptfrist, at the same local time. Only with `create_vorfrist`; where that is false, no Vorfrist is entered. */
  vorfrist_days?: number | null
  /** A Vorfrist on a day off is due on the working day before. */
  vorfrist_on_working_day?: boolean | null
  /** The Hauptfrist whose chain a Vorfrist or Nachfrist is added to. */
  hauptfrist_id?: string | null
  /** The chain in which this takes the free place of its kind, also that of a Hauptfrist which was struck. */
  chain_id?: string | null
}

export type EnteredDeadline = {
  /** `evt_<uuid>`; the Fristen view calls it `frist_<uuid>`. */
  id: string
  /** Always `frist`. */
  type: 'frist'
  /** What is to be done, such as `Berufung`. */
  title: string
  /** The case (Akte), by its id. */
  case_id: string
  /** When its case was deleted; the deadline stays. Null while the case exists. */
  case_deleted_at: string | null
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type: 'vorfrist' | 'hauptfrist' | 'nachfrist'
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  due_at: string
  /** As of now. `expired`: the due time is past, and it is neither verified nor completed. */
  status: 'pending' | 'verified' | 'expired' | 'completed'
  /** As of now: the due time is past and it is not completed, verified or not. */
  overdue: boolean
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** How the due time was calculated. Null if it was entered by hand. */
  basis: Basis | null
  /** The user who is responsible, by id. */
  assigned_to: string
  /** The second user, who checked the deadline. */
  verified_by: string | null
  /** When it was verified. Null if it is not. */
  verified_at: string | null
  /** To whom the verification is delegated. Null if to nobody. */
  delegation: Delegation | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** The user who completed it, by id. */
  completed_by: string | null
  /** What proves it. */
  evidence: Evidence | null
  /** Who checked that it was done (Ausgangskontrolle). Null if nobody has. */
  exit_control: ExitControl | null
  /** The request for an extension. Null if there is none. */
  extension: Extension | null
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: string | null
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The deadlines that belong together, by id. */
  chain: DeadlineChainIds
  /** The user who created it, by id. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** German: due on a day off of the workspace’s region, at midnight or in the past, counted from a day to come, or a Vorfrist that stays behind. */
  warnings: string[]
}

export type DeadlinePreset = {
  /** The name under which a calculation asks for the preset. */
  key: string
  /** The name of the period. */
  name: string
  /** The area of law. */
  area: 'civil' | 'labour' | 'administrative' | 'social' | 'tax' | 'criminal'
  /** What happens on event_date. */
  event: string
  /** The length of the period. */
  period: DeadlinePresetPeriod
  /** Whether the day of the event counts: `after_event` (§ 187 Abs. 1 BGB) or `start_of_day` (§ 187 Abs. 2 BGB). */
  start: 'after_event' | 'start_of_day'
  /** The period is counted from another day than `event_date`. `year_end`: 31 December of its year. `next_month`: the first day of the next month. `next_day`: the day after it. `after`: the last day of `period`, counted from `event_date` and not moved from a day off. */
  begins?: {
    /** From which other day it is counted. */
    kind: 'year_end' | 'next_month' | 'next_day' | 'after'
    /** The length of the period. */
    period?: DeadlinePresetPeriod
    /** The provision of law. */
    statute: string
  }
  /** Whether the period counts forward from the event or backward from a date. */
  direction: 'forward' | 'backward'
  /** The provision of law. */
  statute: string
  /** The federal court at which the act is due: its seat decides unless a region is given. */
  court?: {
    /** The name of the court. */
    name: string
    /** The seat of the court. */
    seat: string
    /** The federal state (Land) whose public holidays apply, as an ISO 3166-2 code. */
    region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  }
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** Whether it is a Notfrist (§ 224 Abs. 1 ZPO), which no court may extend. */
  notfrist: boolean
  /** Whether a court may extend the period. */
  extendable: boolean
  /** Who may extend it, for how long, and whether the opponent must consent. */
  extension?: string
  /** It may be extended once only. */
  once?: true
  /** The end that comes whether or not anything was served, counted from the date in `field`. `start`: the period begins then at the latest; `end`: the act is too late after it. */
  absolute?: {
    /** The field of the calculation that this needs. */
    field: 'pronounced_on' | 'missed_on' | 'announced_on'
    /** The length of the period. */
    period: DeadlinePresetPeriod
    /** The provision of law. */
    statute: string
    /** Whether the field names the start or the end. */
    kind: 'start' | 'end'
  }
  /** The law by which a posted decision counts as received; `posted_on` can be given. */
  delivery?: 'vwvfg' | 'vwzg' | 'sgbx' | 'ao' | 'famfg'
  /** Whether an end on a day off moves to a working day. */
  shift?: 'none'
  /** The second stage of the remedy. */
  related?: string
  /** What to know about the period. */
  note?: string
  /** What this preset does not cover. Read it before you rely on the date. */
  caution?: string
  /** Until when the statute was read for this entry. */
  checked_until: string
}

export type Register = {
  /** The day of the register. */
  date: string
  /** The law firm. */
  workspace: {
    /** Its id. */
    id: string
    /** The name. */
    name: string
    /** The IANA time zone, such as `Europe/Berlin`. */
    time_zone: string
  }
  /** ISO 8601, UTC, with milliseconds. */
  generated_at: string
  /** A day that one answer cannot hold comes in parts, first what is open from earlier days, then what is due, what lacks its exit control, what is ahead, and the entries: this is the number of the part. The totals are of the whole day. */
  part: number
  /** How to get the next page. */
  pagination: Pagination
  /** Null where it is asked for as it is now. */
  signature: RegisterSignature | null
  /** What was entered, changed, verified, completed or struck on the day. */
  entries: ({
    /** ISO 8601, UTC, with milliseconds. */
    at: string
    /** Who did it. */
    actor: HistoryActor
    /** What was done. */
    action: 'created' | 'changed' | 'verified' | 'delegated' | 'completed' | 'exit_controlled' | 'reopened' | 'extension_requested' | 'extension_granted' | 'extension_refused' | 'receipt_given' | 'struck'
    /** The number of the entry in the history of its deadline. */
    seq: number
    /** As it was after this entry. */
    deadline: RegisterDeadline
    /** Why it was struck or reopened, or which receipt was given; null where none was given. */
    reason: string | null
    /** The changed fields with their values before; null for a new deadline. The history has all fields. */
    before: {
      /** Its id. */
      id?: string
      /** The title. */
      title?: string
      /** The case (Akte), by its id. */
      case_id?: string
      /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
      frist_type?: 'vorfrist' | 'hauptfrist' | 'nachfrist'
      /** When it is due. */
      due_at?: string
      /** The user who is responsible, by id. */
      assigned_to?: string
      /** The kind of deadline. The register and the feed make all but `other` stand out. */
      category?: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
      /** How the due time was calculated. Null if it was entered by hand. */
      basis?: Basis | null
      /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
      chain_id?: string
      /** The user who created it, by id. */
      created_by?: string
      /** When it was created. */
      created_at?: string
      /** The user who verified it, by id. */
      verified_by?: string | null
      /** When it was verified. Null if it is not. */
      verified_at?: string | null
      /** To whom the verification is delegated. Null if to nobody. */
      delegation?: Delegation | null
      /** When it was completed. Null if it is not. */
      completed_at?: string | null
      /** The user who completed it, by id. */
      completed_by?: string | null
      /** What proves it. */
      evidence?: Evidence | null
      /** Who checked that it was done (Ausgangskontrolle). Null if nobody has. */
      exit_control?: ExitControl | null
      /** When it was struck from the lists. */
      struck_at?: string | null
      /** The user who struck it, by id. */
      struck_by?: string | null
      /** Why it was struck. */
      struck_reason?: string | null
      /** The request for an extension. Null if there is none. */
      extension?: Extension | null
      /** The deadline, by id, for whose requested extension this entry was created. */
      provisional_for?: string | null
    } | null
  })[]
  /** Due before this day and not completed, verified or not. */
  open_before: RegisterDeadline[]
  /** The deadlines that are due on the day. */
  due: RegisterDeadline[]
  /** Haupt- and Nachfristen completed on this day or in the thirty days before, for which nobody has checked the outgoing post yet. */
  completed_without_exit_control: RegisterDeadline[]
  /** Where completions of longer ago lack their exit control, too: the day of the first of them. The register of that day lists it. */
  without_exit_control_since?: string
  /** Vorfristen of the next seven days that are not completed. */
  ahead: RegisterDeadline[]
  /** The numbers of entries and deadlines. */
  totals: {
    /** The entries of the day, by kind. */
    entries: {
      /** The total number. */
      total: number
      /** How many deadlines were entered. */
      created: number
      /** How many deadlines were changed. */
      changed: number
      /** How many were verified by a second person. */
      verified: number
      /** How many verifications were delegated. */
      delegated: number
      /** How many are completed. */
      completed: number
      /** How many completions were checked. */
      exit_controlled: number
      /** How many completions were undone. */
      reopened: number
      /** How many extensions were requested. */
      extension_requested: number
      /** How many extensions were granted. */
      extension_granted: number
      /** How many extensions were refused. */
      extension_refused: number
      /** How many acknowledgements of receipt were given. */
      receipt_given: number
      /** How many are struck. */
      struck: number
    }
    /** The deadlines due on the day, by status. */
    due: {
      /** The total number. */
      total: number
      /** How many are neither verified nor completed, and not past. */
      pending: number
      /** How many were verified by a second person. */
      verified: number
      /** How many are past without being verified or completed. */
      expired: number
      /** How many are completed. */
      completed: number
      /** How many are struck. */
      struck: number
    }
    /** How many deadlines due before the day are not completed. */
    open_before: number
    /** How many completed deadlines have no exit control (Ausgangskontrolle). */
    completed_without_exit_control: number
    /** How many Vorfristen fall due in the next seven days. */
    ahead: number
    /** What the control printout counts. */
    control: {
      /** The due time is past and it is not completed, verified or not. */
      overdue: number
      /** How many struck deadlines were done before. */
      struck_done: number
      /** How many struck deadlines were not done. */
      struck_undone: number
    }
  }
  /** The present names of the users in this part. */
  users: {
    /** The user, by id. */
    id: string
    /** The name of the user. */
    name: string
    /** Has left: an open deadline needs another responsible person. */
    deactivated?: true
  }[]
  /** The names of the cases in this part, deleted ones included. */
  cases: {
    /** Its id. */
    id: string
    /** The name. */
    name: string
    /** The file number of the case (Aktenzeichen of the firm). */
    file_number: string
  }[]
  /** The names of the documents and beA messages that are evidence in this part, or for which a receipt was given. Subject and recipient of a message stand here only if it is filed in a case and not confidential. Absent in registers that were signed before it was stored. */
  evidence?: {
    /** Its id. */
    id: string
    /** The name. */
    name: string
  }[]
}

export type RegisterSignature = {
  /** The day of the register. */
  date: string
  /** How often the register of this day was signed. */
  version: number
  /** ISO 8601, UTC, with milliseconds. */
  signed_at: string
  /** Who signed it. */
  signed_by: {
    /** The user, by id. */
    id: string
    /** The name of the user. */
    name: string
  }
  /** Remarks on the evening check. */
  remarks: string | null
  /** `hash` of the version before; null in the first. */
  previous_hash: string | null
  /** SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this object without `hash` and with `parts`: the registers as answered, without `signature` and `pagination`. */
  hash: string
}

export type HistoryActor = {
  /** Whether a user or the service did it. */
  type: 'user'
  /** The user, by id. Null for the service. */
  id: string
  /** The name of the user at that time. */
  name: string
  /** The API key that was used. */
  key_id?: string
}

export type RegisterDeadline = {
  /** `evt_<uuid>`; the Fristen view calls it `frist_<uuid>`. */
  id: string
  /** Always `frist`. */
  type: 'frist'
  /** What is to be done, such as `Berufung`. */
  title: string
  /** The case (Akte), by its id. */
  case_id: string
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type: 'vorfrist' | 'hauptfrist' | 'nachfrist'
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  due_at: string
  /** As of now. `expired`: the due time is past, and it is neither verified nor completed. */
  status: 'pending' | 'verified' | 'expired' | 'completed'
  /** As of now: the due time is past and it is not completed, verified or not. */
  overdue: boolean
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** How the due time was calculated. Null if it was entered by hand. */
  basis: Basis | null
  /** The user who is responsible, by id. */
  assigned_to: string
  /** The second user, who checked the deadline. */
  verified_by: string | null
  /** When it was verified. Null if it is not. */
  verified_at: string | null
  /** To whom the verification is delegated. Null if to nobody. */
  delegation: Delegation | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** The user who completed it, by id. */
  completed_by: string | null
  /** What proves it. */
  evidence: Evidence | null
  /** Who checked that it was done (Ausgangskontrolle). Null if nobody has. */
  exit_control: ExitControl | null
  /** The request for an extension. Null if there is none. */
  extension: Extension | null
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: string | null
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The deadlines that belong together, by id. */
  chain: DeadlineChainIds
  /** The user who created it, by id. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** As it was at `at` in `entries`, as it is at `generated_at` in `due`. */
  state: 'pending' | 'verified' | 'expired' | 'completed' | 'struck'
  /** When it was struck from the lists. */
  struck_at: string | null
  /** The user who struck it, by id. */
  struck_by: string | null
  /** Null where none was given. */
  struck_reason: string | null
}

export type RegisterSigningInput = {
  /** Remarks on the evening check. */
  remarks?: string | null
}

export type DeadlineChanges = {
  /** What is to be done, such as `Berufung`. */
  title?: string
  /** Set by hand; removes the basis. */
  due_at?: string
  /** Calculates the due time anew and keeps it as `basis`. */
  calculation?: DeadlineInputCalculation
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category?: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** `usr_` and a UUID; the prefix may be omitted. */
  assigned_to?: string
}

/** Why it is struck; the register says where no reason was given. */
export type StrikingInput = {
  /** Why the deadline is struck. */
  reason?: string | null
}

export type DeadlineChain = {
  /** The early reminder of the chain. */
  vorfrist: DeadlineChainMember | null
  /** The main deadline of the chain. */
  hauptfrist: DeadlineChainMember | null
  /** The period of grace of the chain. */
  nachfrist: DeadlineChainMember | null
}

export type DeadlineChainMember = {
  /** Its id. */
  id: string
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  due_at: string
  /** The title. */
  title: string
}

/** The evidence that the act was done. */
export type CompletionInput = {
  /** What proves that it was done. */
  evidence: {
    /** The kind of evidence. */
    type: 'document'
    /** `doc_` and a UUID; the prefix may be omitted. */
    document_id: string
    /** When the other side received it. */
    receipt_at?: string | null
    /** The user who checked the receipt, by id. */
    checked_by?: string | null
  } | {
    /** The kind of evidence. */
    type: 'bea_receipt'
    /** The beA message, by its id. */
    message_id: string
    /** When the other side received it. */
    receipt_at?: string | null
    /** The user who checked the receipt, by id. */
    checked_by?: string | null
  } | {
    /** The kind of evidence. */
    type: 'note'
    /** A note on how it was done. */
    text: string
    /** When the other side received it. */
    receipt_at?: string | null
    /** The user who checked the receipt, by id. */
    checked_by?: string | null
  }
}

/** The only user who may verify from now on. */
export type DelegationInput = {
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id: string
} | {
  /** `usr_` and a UUID; the prefix may be omitted. */
  delegate_to: string
}

export type ExtensionRequest = {
  /** The day until which the extension is requested. */
  requested_until?: string | null
  /** Instead of requested_until: counted from the end of the deadline (§ 224 Abs. 3 ZPO). */
  period?: {
    /** The unit of the period. */
    unit: 'day' | 'week' | 'month'
    /** How many units. */
    count: number
  } | null
  /** A remark on the request. */
  note?: string | null
}

export type ExtensionGrant = {
  /** What was requested, if omitted. */
  until?: string | null
}

export type DeadlineHistory = {
  /** The entries, the oldest first. */
  data: HistoryEntry[]
  /** How to get the next page. */
  pagination: Pagination
  /** Whether every entry on this page has the hash that its content has and follows the one before it; on the last page also whether none is missing at the end. */
  intact: boolean
}

export type HistoryEntry = {
  /** Counts from 1. */
  seq: number
  /** ISO 8601, UTC, with milliseconds. */
  at: string
  /** Who did it. */
  actor: HistoryActor
  /** What was done. */
  action: 'created' | 'changed' | 'verified' | 'delegated' | 'completed' | 'exit_controlled' | 'reopened' | 'extension_requested' | 'extension_granted' | 'extension_refused' | 'receipt_given' | 'struck'
  /** The deadline before the change. */
  before: DeadlineSnapshot | null
  /** The deadline after the change. */
  after: DeadlineSnapshot
  /** Why it was struck or reopened, where somebody said so; which electronic receipt was given because of it. */
  reason: string | null
  /** SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`. */
  hash: string
  /** `hash` of the entry before; null in the first. */
  previous_hash: string | null
}

export type DeadlineSnapshot = {
  /** Its id. */
  id: string
  /** What is to be done, such as `Berufung`. */
  title: string
  /** The case (Akte), by its id. */
  case_id: string
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type: 'vorfrist' | 'hauptfrist' | 'nachfrist'
  /** When it is due. */
  due_at: string
  /** The user who is responsible, by id. */
  assigned_to: string
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** How the due time was calculated. Null if it was entered by hand. */
  basis: Basis | null
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The user who created it, by id. */
  created_by: string
  /** When it was created. */
  created_at: string
  /** The second user who verified the deadline, by id. */
  verified_by: string | null
  /** When it was verified. Null if it is not. */
  verified_at: string | null
  /** To whom the verification is delegated. Null if to nobody. */
  delegation: Delegation | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** The user who completed it, by id. */
  completed_by: string | null
  /** What proves it. */
  evidence: Evidence | null
  /** Who checked that it was done (Ausgangskontrolle). Null if nobody has. */
  exit_control: ExitControl | null
  /** When it was struck from the lists. */
  struck_at: string | null
  /** The user who struck it, by id. */
  struck_by: string | null
  /** Why it was struck. */
  struck_reason: string | null
  /** The request for an extension. Null if there is none. */
  extension: Extension | null
  /** The deadline, by id, for whose requested extension this entry was created. */
  provisional_for: string | null
}

/** Why the completion was wrong. */
export type ReopeningInput = {
  /** Why the completion is undone. */
  reason: string
}

/** At most 92 days. */
export type FreeBusyInput = {
  /** The users, by id. */
  user_ids: string[]
  /** A moment with `Z` or an offset, or a date of the workspace’s calendar. */
  from: string
  /** A moment with `Z` or an offset, or a date of the workspace’s calendar. */
  to: string
}

/** Half-open intervals, by user in the order asked and by start. */
export type FreeBusy = {
  /** The times at which each user is busy, by user and start. */
  busy: {
    /** The user, by id. */
    user_id: string
    /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
    start: string
    /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
    end: string
  }[]
}

/** At most 92 days. */
export type OpenSlotsInput = {
  /** The users, by id. */
  user_ids: string[]
  /** A moment with `Z` or an offset, or a date of the workspace’s calendar. */
  from: string
  /** A moment with `Z` or an offset, or a date of the workspace’s calendar. */
  to: string
  /** How long the slot is, in minutes. */
  duration_minutes?: number | null
  /** Slots begin at multiples of this, counted from local midnight. */
  step_minutes?: number | null
  /** The hours within which slots are searched. */
  working_hours?: {
    /** The start of the working day, as `HH:MM`. */
    start?: string | null
    /** The end of the working day, as `HH:MM`. */
    end?: string | null
  } | null
  /** The largest number of slots. */
  limit?: number | null
}

export type OpenSlots = {
  /** Times at which all are free. */
  slots: {
    /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
    start: string
    /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
    end: string
  }[]
}

export type CalendarEvent = {
  /** `evt_<uuid>` */
  id: string
  /** The title. */
  title: string
  /** An event or a meeting. Deadlines are listed with the type `deadline`. */
  type: 'event' | 'meeting' | 'deadline'
  /** Of an all-day event, midnight of its first day. */
  start: string
  /** Of an all-day event, 23:59:59 of its last day. A deadline ends when it begins: at its due time. */
  end: string
  /** Whether it lasts whole days. Such an entry does not make anybody busy. */
  all_day: boolean
  /** Of a deadline that is past and not completed, as of now, verified or not; absent otherwise. */
  overdue?: true
  /** The case (Akte), by its id. */
  case_id: string | null
  /** Of a deadline whose case was deleted: when. The deadline stays. Absent otherwise. */
  case_deleted_at?: string
  /** Where it takes place. */
  location: string | null
  /** A longer text about it. */
  description: string | null
  /** User ids. An event without attendees belongs to the user who created it. */
  attendees: string[]
  /** The user who created it, by id. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type CalendarEventInput = {
  /** The title. */
  title: string
  /** An event or a meeting. Deadlines are listed with the type `deadline`. */
  type?: 'event' | 'meeting' | null
  /** ISO 8601 with `Z` or an offset; for an all-day event also a date, the last day included. */
  start: string
  /** ISO 8601 with `Z` or an offset; for an all-day event also a date, the last day included. */
  end: string
  /** Whether it lasts whole days. Such an entry does not make anybody busy. */
  all_day?: boolean | null
  /** The case (Akte), by its id. */
  case_id?: string | null | null
  /** Where it takes place. */
  location?: string | null | null
  /** A longer text about it. */
  description?: string | null | null
  /** The users who take part, by id. Their other events may not overlap. */
  attendees?: string[] | null
  /** Whether it may collide with other events of its attendees. */
  allow_conflict?: boolean | null
}

export type CalendarEventChanges = {
  /** The title. */
  title?: string
  /** An event or a meeting. Deadlines are listed with the type `deadline`. */
  type?: 'event' | 'meeting' | null
  /** ISO 8601 with `Z` or an offset; for an all-day event also a date, the last day included. */
  start?: string
  /** ISO 8601 with `Z` or an offset; for an all-day event also a date, the last day included. */
  end?: string
  /** Whether it lasts whole days. Such an entry does not make anybody busy. */
  all_day?: boolean | null
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** Where it takes place. */
  location?: string | null
  /** A longer text about it. */
  description?: string | null
  /** The users who take part, by id. Their other events may not overlap. */
  attendees?: string[] | null
  /** Whether it may collide with other events of its attendees. */
  allow_conflict?: boolean | null
}

export type Frist = {
  /** `frist_<uuid>`; the deadlines interface calls it `evt_<uuid>`. */
  id: string
  /** The title. */
  title: string
  /** ISO 8601 with the offset of the workspace’s time zone at that moment. */
  deadline: string
  /** The case (Akte), by its id. */
  case_id: string
  /** When its case was deleted; the deadline stays. Null while the case exists. */
  case_deleted_at: string | null
  /** Whether it is the Hauptfrist, the Vorfrist (early reminder) or the Nachfrist of its chain. */
  frist_type: 'vorfrist' | 'hauptfrist' | 'nachfrist'
  /** As of now; a completed one shows as `verified`, with `completed_at`. */
  status: 'open' | 'verified' | 'expired'
  /** Whether a second user has checked it. */
  verified: boolean
  /** As of now: the due time is past and it is not completed, verified or not. */
  overdue: boolean
  /** The kind of deadline. The register and the feed make all but `other` stand out. */
  category: 'rechtsmittel' | 'begruendung' | 'notfrist' | 'other'
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: string | null
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The user who is responsible, by id. */
  assigned_to: string
  /** The second user, who checked the deadline. */
  verified_by: string | null
  /** When it was verified. Null if it is not. */
  verified_at: string | null
  /** To whom the verification is delegated. Null if to nobody. */
  delegation: Delegation | null
  /** When it was completed. Null if it is not. */
  completed_at: string | null
  /** The user who completed it, by id. */
  completed_by: string | null
}

export type FristChain = {
  /** The chain of deadlines that belong together: Vorfrist, Hauptfrist and Nachfrist. */
  chain_id: string
  /** The deadlines of the chain, the earliest first. */
  data: Frist[]
}

export type ListedIcalToken = {
  /** Its id. */
  id: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** To the hour. */
  last_used_at: string | null
}

export type IcalToken = {
  /** Its id. */
  id: string
  /** The address to subscribe to; it carries the token, shown this once. A repeated answer (`Idempotency-Key`) is without it. */
  url?: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type RevokedIcalToken = {
  /** Its id. */
  id: string
  /** ISO 8601, UTC, with milliseconds. */
  revoked_at: string
}

export type SyncAccount = {
  /** Its id. */
  id: string
  /** The kind of calendar server. */
  provider: 'caldav'
  /** The address of the calendar. */
  url: string
  /** Whether the last attempt succeeded. */
  status: 'connected' | 'error'
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type SyncAccountInput = {
  /** The kind of calendar server. */
  provider: 'caldav'
  /** The CalDAV server, or one of its calendars. */
  url: string
  /** The user name at the calendar server. */
  username: string
  /** The password at the calendar server. It is stored encrypted and never shown. */
  password: string
}

export type PushedEvent = {
  /** The event, by its id. */
  event_id: string
  /** The beA account, by its id. */
  account_id: string
  /** Where the event is on the other side. */
  external_id: string
  /** ISO 8601, UTC, with milliseconds. */
  pushed_at: string
}

/** The external calendars that the caller has connected. */
export type SyncStatus = {
  /** The connected calendar accounts. */
  accounts: {
    /** Its id. */
    id: string
    /** The kind of calendar server. */
    provider: 'caldav'
    /** The address of the calendar. */
    url: string
    /** Whether the last attempt succeeded. */
    status: 'connected' | 'error'
    /** When the calendar was last reached. */
    last_synced_at: string | null
    /** What went wrong last. Null if nothing did. */
    last_error: string | null
  }[]
}

export type ReceivedMail = {
  /** Always `ok`. */
  status: 'ok'
  /** The stored mail, by its id. */
  correspondence_id: string
}

export type DraftSummary = {
  /** Its id. */
  id: string
  /** The recipients. */
  to: string[]
  /** Recipients of a copy, whom everybody sees. */
  cc: string[]
  /** Recipients whom the other recipients do not see. */
  bcc: string[]
  /** The subject. */
  subject: string
  /** The attached documents. */
  attachments: SharedLinkDocumentsItem[]
  /** `links`: the mail holds addresses that are valid for 30 days instead of the files. */
  attachments_as: 'files' | 'links'
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The `Message-ID` of the mail that it answers. */
  in_reply_to: string | null
  /** Of a reply: that `Reply-To` leads to another domain than the sender’s. Empty once `to` is changed. */
  warnings: string[]
  /** Whether it is sent. */
  status: 'draft' | 'sending' | 'sent' | 'failed'
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type DraftInput = {
  /** The recipients. */
  to?: string[] | null
  /** Recipients of a copy, whom everybody sees. */
  cc?: string[] | null
  /** Recipients whom the other recipients do not see. */
  bcc?: string[] | null
  /** The subject. */
  subject?: string | null
  /** The text as HTML. Scripts and event handlers are removed. */
  body_html?: string | null
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The attached documents. */
  attachments?: (string | DraftInputAttachmentsItemType1)[] | null
  /** Whether attachments are sent as files or as links to them. */
  attachments_as?: 'files' | 'links' | null
}

export type Draft = {
  /** Its id. */
  id: string
  /** The recipients. */
  to: string[]
  /** Recipients of a copy, whom everybody sees. */
  cc: string[]
  /** Recipients whom the other recipients do not see. */
  bcc: string[]
  /** The subject. */
  subject: string
  /** The text as HTML. Scripts and event handlers are removed. */
  body_html: string
  /** The attached documents. */
  attachments: SharedLinkDocumentsItem[]
  /** `links`: the mail holds addresses that are valid for 30 days instead of the files. */
  attachments_as: 'files' | 'links'
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The `Message-ID` of the mail that it answers. */
  in_reply_to: string | null
  /** Of a reply: that `Reply-To` leads to another domain than the sender’s. Empty once `to` is changed. */
  warnings: string[]
  /** Whether it is sent. */
  status: 'draft' | 'sending' | 'sent' | 'failed'
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type SendResult = {
  /** Whether the mail was sent. */
  success: boolean
  /** The UUID of the correspondence. */
  email_id: string
  /** The id of the mail provider. */
  message_id: string
  /** ISO 8601, UTC, with milliseconds. */
  sent_at: string
}

export type ForwardInput = {
  /** `corr_` and a UUID; the prefix may be omitted. */
  correspondence_id: string
}

export type ReplyInput = {
  /** `corr_` and a UUID; the prefix may be omitted. */
  correspondence_id: string
  /** Whether the other recipients are answered as well. */
  reply_all?: boolean | null
}

export type DirectSendInput = {
  /** One for each send, reused on every retry. Required with `to_recipients`. */
  idempotency_key?: string | null
  /** The recipients. */
  to_recipients?: string[] | null
  /** Recipients of a copy, whom everybody sees. */
  cc_recipients?: string[] | null
  /** Recipients whom the other recipients do not see. */
  bcc_recipients?: string[] | null
  /** The recipients. */
  to?: string[] | null
  /** Recipients of a copy, whom everybody sees. */
  cc?: string[] | null
  /** Recipients whom the other recipients do not see. */
  bcc?: string[] | null
  /** The subject. It is required. */
  subject?: string | null
  /** The text as HTML. Scripts and event handlers are removed. */
  body_html?: string | null
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The attached files. */
  attachments?: (string | DraftInputAttachmentsItemType1)[] | null
  /** Whether attachments are sent as files or as links to them. */
  attachments_as?: 'files' | 'links' | null
}

export type SentCorrespondence = {
  /** Its id. */
  id: string
  /** Whether it was received or sent. */
  direction: 'outbound'
  /** The status. */
  status: 'sent'
  /** ISO 8601, UTC, with milliseconds. */
  sent_at: string
}

export type Signature = {
  /** The signature under mails, as HTML. */
  signature_html: string
}

export type CorrespondenceSummary = {
  /** Its id. */
  id: string
  /** Whether it was received or sent. */
  direction: 'outbound' | 'inbound'
  /** `received` until it was read; `failed` where it could not be: the raw message is there. */
  status: 'sending' | 'sent' | 'failed' | 'received' | 'processed'
  /** Why an inbound mail could not be read. */
  status_reason: string | null
  /** The sender. */
  from: RelatedItemsEmailsItemFrom
  /** The recipients. */
  to: string[]
  /** Recipients of a copy, whom everybody sees. */
  cc: string[]
  /** Recipients whom the other recipients do not see. */
  bcc: string[]
  /** The subject. */
  subject: string
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The party, by its id. */
  party_id: string | null
  /** The user who is responsible, by id. */
  assigned_to: string | null
  /** The attached files. */
  attachments: CorrespondenceSummaryAttachmentsItem[]
  /** The id of the mail provider; null until it is sent. */
  message_id: string | null
  /** The Message-ID of the mail that this one answers. */
  in_reply_to: string | null
  /** When it was sent. */
  sent_at: string | null
  /** When it was received. */
  received_at: string | null
  /** One entry for each recipient of whom something is known. */
  delivery: Delivery[]
  /** Of inbound mail. */
  verdicts: MailVerdicts | null
  /** Of inbound mail: whether the receiving service has proved that it comes from the domain of `from`, by DMARC, or by SPF or DKIM for a domain of the same organisation. Otherwise the mail is filed by a person only. */
  sender_verified: boolean | null
  /** Why the sender is not verified; null otherwise. `no_clear_sender`: the header names none, several, or one that programs read differently. `misleading_name`: the name shows the address of another organisation. `dmarc_failed`: the domain of the sender disowns the mail. `contradictory`: results of the receiving service contradict each other. `not_aligned`: SPF or DKIM passed for another domain. `not_passed`: neither passed. `not_checked`: nobody looked. */
  sender_verified_reason: 'no_clear_sender' | 'misleading_name' | 'dmarc_failed' | 'contradictory' | 'not_aligned' | 'not_passed' | 'not_checked' | null
  /** Of inbound mail: where its sender wants answers to go. */
  reply_to: RelatedItemsEmailsItemFrom[]
  /** Of inbound mail, by S/MIME or PGP. Signatures are not verified. */
  protection: 'none' | 'signed' | 'encrypted'
  /** Of inbound mail, once it was judged. */
  triage: Triage | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type Delivery = {
  /** The e-mail address. */
  email: string
  /** The outcome of the mail for this recipient. */
  status: 'delivered' | 'delayed' | 'bounced' | 'complained'
  /** ISO 8601, UTC, with milliseconds. */
  at: string
  /** Why it did not arrive, in the words of the other server. */
  reason: string | null
}

export type MailVerdicts = {
  /** The result of the spam check. */
  spam: 'pass' | 'fail' | 'gray' | 'unknown'
  /** The result of the virus check. */
  virus: 'pass' | 'fail' | 'gray' | 'unknown'
  /** The result of the SPF check. */
  spf: 'pass' | 'fail' | 'gray' | 'unknown'
  /** The result of the DKIM check. */
  dkim: 'pass' | 'fail' | 'gray' | 'unknown'
  /** The result of the DMARC check. */
  dmarc: 'pass' | 'fail' | 'gray' | 'unknown'
}

export type Correspondence = {
  /** Its id. */
  id: string
  /** Whether it was received or sent. */
  direction: 'outbound' | 'inbound'
  /** `received` until it was read; `failed` where it could not be: the raw message is there. */
  status: 'sending' | 'sent' | 'failed' | 'received' | 'processed'
  /** Why an inbound mail could not be read. */
  status_reason: string | null
  /** The sender. */
  from: RelatedItemsEmailsItemFrom
  /** The recipients. */
  to: string[]
  /** Recipients of a copy, whom everybody sees. */
  cc: string[]
  /** Recipients whom the other recipients do not see. */
  bcc: string[]
  /** The subject. */
  subject: string
  /** The text without formatting. */
  body_text: string
  /** Without scripts and remote pictures. Pictures of the mail itself are named `cid:`. */
  body_html: string
  /** Small pictures that `body_html` names by `cid:` and that are no documents. */
  inline_images: {
    /** The Content-ID by which the HTML refers to the picture. */
    content_id: string
    /** The media type of the picture. */
    mime_type: string
    /** The bytes of the picture, in base64. */
    data: string
  }[]
  /** The case (Akte), by its id. */
  case_id: string | null
  /** The party, by its id. */
  party_id: string | null
  /** The user who is responsible, by id. */
  assigned_to: string | null
  /** The attached files. */
  attachments: CorrespondenceSummaryAttachmentsItem[]
  /** The id of the mail provider; null until it is sent. */
  message_id: string | null
  /** The Message-ID of the mail that this one answers. */
  in_reply_to: string | null
  /** When it was sent. */
  sent_at: string | null
  /** When it was received. */
  received_at: string | null
  /** One entry for each recipient of whom something is known. */
  delivery: Delivery[]
  /** Of inbound mail. */
  verdicts: MailVerdicts | null
  /** Of inbound mail: whether the receiving service has proved that it comes from the domain of `from`, by DMARC, or by SPF or DKIM for a domain of the same organisation. Otherwise the mail is filed by a person only. */
  sender_verified: boolean | null
  /** Why the sender is not verified; null otherwise. `no_clear_sender`: the header names none, several, or one that programs read differently. `misleading_name`: the name shows the address of another organisation. `dmarc_failed`: the domain of the sender disowns the mail. `contradictory`: results of the receiving service contradict each other. `not_aligned`: SPF or DKIM passed for another domain. `not_passed`: neither passed. `not_checked`: nobody looked. */
  sender_verified_reason: 'no_clear_sender' | 'misleading_name' | 'dmarc_failed' | 'contradictory' | 'not_aligned' | 'not_passed' | 'not_checked' | null
  /** Of inbound mail: where its sender wants answers to go. */
  reply_to: RelatedItemsEmailsItemFrom[]
  /** Of inbound mail, by S/MIME or PGP. Signatures are not verified. */
  protection: 'none' | 'signed' | 'encrypted'
  /** Of inbound mail, once it was judged. */
  triage: Triage | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type BeaAccount = {
  /** Its id. */
  id: string
  /** The name that people see. */
  label: string
  /** A person, an office (Kanzlei), or a card that logs in by itself. */
  kind: 'person' | 'kanzlei' | 'card'
  /** Null for a card until its first login, which tells the SAFE-ID. */
  safe_id: string | null
  /** The name of the owner of the postbox. */
  owner_name: string
  /** Null as long as `safe_id` is. */
  postbox_safe_id: string | null
  /** Of a Kanzlei postbox: the account that logs in for it. */
  login_account_id: string | null
  /** The certificate with which the account logs in. */
  certificate: BeaCertificate | null
  /** Whether the account can log in. */
  status: 'connected' | 'locked' | 'certificate_expired'
  /** The last synchronisation. Null before the first one. */
  last_sync: BeaSync | null
  /** The settings for electronic dunning (EDA-Mahn). */
  eda_mahn: BeaEdaMahn | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type BeaCertificate = {
  /** To whom the certificate was issued. */
  subject: string
  /** Who issued the certificate. */
  issuer: string
  /** The serial number of the certificate. */
  serial: string
  /** SHA-1, 40 hexadecimal digits. */
  thumbprint: string
  /** ISO 8601, UTC, with milliseconds. */
  valid_from: string
  /** ISO 8601, UTC, with milliseconds. */
  valid_to: string
}

export type BeaSync = {
  /** The state of the synchronisation. */
  status: 'running' | 'done' | 'failed'
  /** ISO 8601, UTC, with milliseconds. */
  started_at: string
  /** When it ended. Null while it runs. */
  finished_at: string | null
  /** How many messages were imported. */
  new_messages: number
  /** Messages that could not be imported. They are tried again by the next synchronisation, and the inbox has a notice of them meanwhile. */
  kept_out: number
  /** What went wrong, where it failed or left messages out. */
  error: string | null
}

export type BeaEdaMahn = {
  /** Kennziffer, 8 digits. */
  pvkezi: string
  /** 0 to 127: a sum of powers of two. */
  ausbaugrad: number
}

export type BeaAccountInput = {
  /** Base64 of a PKCS#12 file (`.p12`), or of a certificate without its key (DER or PEM): then a card logs in, by local-login. */
  certificate_base64: string
  /** Of the PKCS#12 file. */
  passphrase?: string
  /** The name that people see. */
  label: string
}

export type BeaKanzleiInput = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  login_account_id: string
  /** One of the administered postboxes of that account. */
  postbox_safe_id: string
  /** The name that people see. */
  label: string
}

export type BeaPostbox = {
  /** The SAFE-ID of the postbox. */
  postbox_safe_id: string
  /** The name. */
  name: string | null
  /** Whether it is the postbox of the account itself. */
  own: boolean
}

export type BeaEdaMahnInput = {
  /** The identification number for electronic dunning (PVKEZI), of eight digits. */
  pvkezi: string
  /** The extension level (Ausbaugrad) for electronic dunning (EDA-Mahn). */
  ausbaugrad: number
}

export type BeaFolder = {
  /** Its id. */
  id: string
  /** The folder that holds this one, by its id. Null at the top. */
  parent_id: string | null
  /** The name of the folder. */
  name: string | null
  /** What the folder is for: `inbox`, `sent`, …, or `custom`. */
  type: string
  /** How many messages are unread. Null if the network does not say. */
  unread: number | null
}

export type BeaPermissionEntry = {
  /** Of a user of the workspace (`local`). */
  user_id?: string
  /** The SAFE-ID of a holder in the network (`network`). */
  bea_id?: string | null
  /** The name. */
  name: string | null
  /** The rights in beA, as the two digits of the network. */
  rights: string[]
  /** Whether the right comes from the network or was given here. */
  source: 'network' | 'local'
  /** The time until which the right is valid. Null if it has no end. */
  valid_until: string | null
}

export type BeaSession = {
  /** The beA account, by its id. */
  account_id: string
  /** Whether somebody is logged in. */
  status: 'active' | 'none' | 'expired'
  /** When the session began. */
  since: string | null
  /** 30 minutes after the last use. */
  expires_at: string | null
}

export type BeaRunningSync = {
  /** The beA account, by its id. */
  account_id: string
  /** Always `running`. */
  status: 'running'
  /** ISO 8601, UTC, with milliseconds. */
  started_at: string
}

export type BeaLocalLoginInput = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id?: string
  /** `bea_login_` and a UUID; the prefix may be omitted. */
  login_id?: string
  /** The signed challenges, with their ids. */
  signatures?: BeaLocalLoginInputSignaturesItem[]
  /** The decrypted keys, with their ids. */
  keys?: BeaLocalLoginInputSignaturesItem[]
}

export type BeaLocalLogin = {
  /** The current login. It is valid for five minutes. */
  login_id: string
  /** What the card does next. */
  step: 'sign'
  /** The data that the card signs. */
  challenges: BeaRelayedData[]
} | {
  /** The current login. It is valid for five minutes. */
  login_id: string
  /** What the card does next. */
  step: 'decrypt'
  /** The keys that the card decrypts. */
  keys: BeaRelayedData[]
} | BeaSession

export type BeaRelayedData = {
  /** Its id. */
  id: string
  /** The data in base64, as the network gave them. */
  data: string
}

export type BeaLoginInput = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id: string
}

export type BeaDirectoryResults = {
  /** The postboxes that were found. */
  results: BeaDirectoryEntry[]
}

export type BeaDirectoryEntry = {
  /** The SAFE-ID of a beA postbox. */
  bea_id: string
  /** The name of the owner of the postbox. */
  name: string | null
  /** The law firm or office. */
  firm: string | null
  /** The town. */
  city: string | null
  /** Whether the postbox can receive messages. */
  postfach_active: boolean
}

export type BeaDraftSummary = {
  /** Its id. */
  id: string
  /** The beA account, by its id. */
  account_id: string
  /** The recipients. */
  to: BeaDraftSummaryToItem[]
  /** The subject. */
  subject: string
  /** Ids of documents. */
  attachments: string[]
  /** The file reference of the sender. */
  reference_sender: string | null
  /** The file reference of the recipient. */
  reference_recipient: string | null
  /** Whether an electronic acknowledgement of receipt (eEB) is requested. */
  eeb_requested: boolean
  /** The case (Akte), by its id. */
  case_id: string | null
  /** `unknown`: the network has not confirmed whether the message was sent. */
  status: 'draft' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** The sent message, once it is imported with its proof. */
  message_id: string | null
  /** Why it was not sent, or what is not known of its send. */
  error: string | null
  /** Of a draft whose outcome is `unknown`: the messages in the postbox that may be it, at most 10, the most alike first. A person looks into them and says what became of it. */
  similar_messages: BeaSimilarMessage[]
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type BeaSimilarMessage = {
  /** Null where it is not imported yet. */
  message_id: string | null
  /** SENT, OUTBOX, TRASH, …; the name of a custom folder. */
  folder: string
  /** When it was sent. */
  sent_at: string | null
  /** What it has otherwise than the draft, or does not say. */
  differences: ('subject' | 'recipients' | 'sent_at' | 'reference_sender' | 'reference_recipient' | 'body' | 'attachments')[]
  /** False where only its entry in the folder was compared, without body and files. */
  is_compared: boolean
}

export type BeaDraftInput = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id: string
  /** The recipients. */
  to?: BeaDraftInputToItem[] | null
  /** The subject. */
  subject?: string | null
  /** The text of the message. */
  body?: string | null
  /** Ids of documents; the first is the pleading. */
  attachments?: string[] | null
  /** Your file number. */
  reference_sender?: string | null
  /** The file number of the recipient, such as that of the court. */
  reference_recipient?: string | null
  /** Asks the recipient for an electronic receipt. */
  eeb_requested?: boolean | null
  /** The case (Akte), by its id. */
  case_id?: string | null
}

export type BeaDraft = {
  /** Its id. */
  id: string
  /** The beA account, by its id. */
  account_id: string
  /** The recipients. */
  to: BeaDraftSummaryToItem[]
  /** The subject. */
  subject: string
  /** The text of the message. */
  body: string
  /** Ids of documents. */
  attachments: string[]
  /** The file reference of the sender. */
  reference_sender: string | null
  /** The file reference of the recipient. */
  reference_recipient: string | null
  /** Whether an electronic acknowledgement of receipt (eEB) is requested. */
  eeb_requested: boolean
  /** The case (Akte), by its id. */
  case_id: string | null
  /** `unknown`: the network has not confirmed whether the message was sent. */
  status: 'draft' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** The sent message, once it is imported with its proof. */
  message_id: string | null
  /** Why it was not sent, or what is not known of its send. */
  error: string | null
  /** Of a draft whose outcome is `unknown`: the messages in the postbox that may be it, at most 10, the most alike first. A person looks into them and says what became of it. */
  similar_messages: BeaSimilarMessage[]
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  updated_at: string
}

export type BeaDraftChanges = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id?: string
  /** The recipients. */
  to?: BeaDraftInputToItem[] | null
  /** The subject. */
  subject?: string | null
  /** The text of the message. */
  body?: string | null
  /** Ids of documents; the first is the pleading. */
  attachments?: string[] | null
  /** Your file number. */
  reference_sender?: string | null
  /** The file number of the recipient, such as that of the court. */
  reference_recipient?: string | null
  /** Asks the recipient for an electronic receipt. */
  eeb_requested?: boolean | null
  /** The case (Akte), by its id. */
  case_id?: string | null
}

export type BeaResolveInput = {
  /** What a person found out about the message: sent or not sent. */
  outcome: 'sent' | 'not_sent'
}

export type BeaSendInput = {
  /** Mends file names that the network refuses; the documents keep theirs. */
  rename?: boolean | null
}

export type BeaMessage = {
  /** Its id. */
  id: string
  /** The beA account, by its id. */
  account_id: string
  /** INBOX, SENT, …; the name of a custom folder. */
  folder: string
  /** Whether it was received or sent. */
  direction: 'inbound' | 'outbound'
  /** Null where the right to open the message is missing. */
  subject: string | null
  /** Null in a list, and where the right to open the message is missing. */
  body: string | null
  /** Who sent it. */
  sender: BeaAddress
  /** Who received it. */
  recipients: BeaAddress[]
  /** When it was received. */
  received_at: string | null
  /** When it was sent. */
  sent_at: string | null
  /** The file reference of the sender. */
  reference_sender: string | null
  /** The file reference of the recipient. */
  reference_recipient: string | null
  /** Whether only users with the right 11 may read it. */
  confidential: boolean
  /** Whether an electronic acknowledgement of receipt (eEB) is requested. */
  eeb_requested: boolean
  /** The electronic acknowledgement of receipt (eEB) that was given. Null if none was. */
  eeb: BeaEeb | null
  /** The attached files. */
  attachments: BeaAttachment[]
  /** Of all attachments. */
  size_bytes: number
  /** Of a sent message the acknowledgement: when it reached the postbox of the recipient, and the status of the network; null until there is one. */
  receipt: {
    /** When the message reached the postbox of the recipient. */
    delivered_at: string | null
    /** The network’s report about the delivery. */
    status: string | null
  } | null
  /** The case (Akte), by its id. */
  case_id: string | null
  /** Of a message with many attachments: they still become documents of its case. Those that are done are in the case already. */
  filing: boolean
  /** The party, by its id. */
  party_id: string | null
  /** When the network deletes it: 120 days after its reception. */
  purge_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  imported_at: string
}

export type BeaAddress = {
  /** The name of the owner of the postbox. */
  name: string | null
  /** The SAFE-ID of a beA postbox. */
  bea_id: string | null
}

export type BeaEeb = {
  /** Whether receipt was confirmed or refused. */
  status: 'requested' | 'sending' | 'confirmed' | 'rejected' | 'failed' | 'unknown'
  /** The day of receipt that was confirmed. */
  date: string | null
}

export type BeaAttachment = {
  /** Its id. */
  id: string
  /** The name of the attachment. */
  filename: string
  /** As the network gives it, `SCHRIFTSATZ` or `ATTACHMENT`. */
  type: string | null
  /** The media type. */
  mime_type: string
  /** The size in bytes. */
  size_bytes: number
  /** Its document, once the message was filed; none of a confidential message. */
  document_id: string | null
}

export type BeaAssignment = {
  /** The case (Akte), by its id. */
  case_id?: string | null
  /** The party, by its id. */
  party_id?: string | null
}

export type BeaEebInput = {
  /** Whether receipt is confirmed or refused. */
  action: 'confirm'
  /** The day of receipt, as the lawyer states it. */
  date: string
  /** The deadline that was noted in the case because of this service. */
  deadline_id?: string | null
  /** Why no deadline is named. */
  override_reason?: string | null
} | {
  /** Whether receipt is confirmed or refused. */
  action: 'reject'
  /** Why receipt is refused. */
  code: 'not_party' | 'unclear' | 'incomplete' | 'certificate'
  /** Why receipt is refused, in words. */
  reason: string
}

export type BeaPermissionInput = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id: string
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id: string
  /** The rights in beA, as the two digits of the network. */
  rights: BeaRight[]
  /** The time until which the right is valid. Null if it has no end. */
  valid_until?: string | null
}

export type BeaRight = string

export type BeaPermission = {
  /** The beA account, by its id. */
  account_id: string
  /** The user, by id. */
  user_id: string
  /** The rights in beA, as the two digits of the network. */
  rights: string[]
  /** The time until which the right is valid. Null if it has no end. */
  valid_until: string | null
}

export type BeaPermissionRemoval = {
  /** `bea_acc_` and a UUID; the prefix may be omitted. */
  account_id: string
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id: string
  /** By default all that the user was given. */
  rights?: BeaRight[] | null
}

export type EnvelopeChanges = {
  /** The title that signers see. */
  title?: string
  /** A message of the office to the signers. */
  message?: string | null
  /** `parallel`: all may sign at once. `sequential`: one after the other, in the order of `signers`. */
  signing_order?: 'parallel' | 'sequential'
  /** When it ends. Null if it does not. */
  expires_at?: string | null
  /** When signers are reminded. Null for never. */
  reminders?: EnvelopeReminders | null
}

export type EnvelopeAudit = {
  /** The entries, the oldest first. */
  data: EnvelopeAuditEntry[]
  /** How to get the next page. */
  pagination: Pagination
  /** Whether every entry on this page has the hash that its content has and follows the one before it; on the last page also whether none is missing at the end. */
  intact: boolean
}

export type EnvelopeAuditEntry = {
  /** Counts from 1. */
  seq: number
  /** ISO 8601, UTC, with milliseconds. */
  at: string
  /** Who did it. */
  actor: {
    /** Whether a user, a signer or the service did it. */
    type: 'user' | 'signer' | 'system'
    /** The user or signer, by id. Null for the service. */
    id: string | null
    /** The name. */
    name: string
    /** The API key that was used. */
    key_id?: string
    /** Of a signer: where the request came from. */
    ip?: string
    /** Of a signer: what the browser calls itself. */
    user_agent?: string
  }
  /** What happened. */
  action: 'created' | 'changed' | 'sent' | 'link_made' | 'code_refused' | 'opened' | 'signed' | 'declined' | 'reminded' | 'voided' | 'expired' | 'completed'
  /** What was done: the documents with their digests, the name, the consent in its words, … */
  details: Record<string, unknown>
  /** SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`. */
  hash: string
  /** `hash` of the entry before; null in the first. */
  previous_hash: string | null
}

export type EnvelopeSendInput = {
  /** Whether signers get their links by mail. */
  send_emails?: boolean | null
}

export type EnvelopeSignersInput = {
  /** The people who sign, agree, or get a copy. */
  signers: EnvelopeSignerInput[]
}

export type EnvelopeSignerLink = {
  /** Shown this once: a repeated answer (`Idempotency-Key`) is without it. */
  url?: string
  /** ISO 8601, UTC, with milliseconds. */
  expires_at: string
}

export type EnvelopeVoidInput = {
  /** Why the envelope is withdrawn. Signers read it. */
  reason: string
}

export type EnvelopePromotionInput = {
  /** A UUID. */
  case_id: string
  /** 1 to 20, each once; 50 MiB together. */
  document_ids: string[]
  /** The title. */
  title: string
}

export type VerifyInput = {
  /** The SHA-256 of the bytes, in hexadecimal. */
  sha256: string
}

export type Verification = {
  /** Whether the service sealed a file with this digest. */
  known: false
} | {
  /** Whether the service sealed a file with this digest. */
  known: true
  /** The law firm that had the file sealed: its workspace, and the name it has now. */
  office: {
    /** The law firm, by its id. */
    workspace_id: string
    /** The name. */
    name: string
  }
  /** The envelope in which it was signed. */
  envelope: {
    /** Its id. */
    id: string
    /** The title of the envelope. */
    title: string
    /** ISO 8601, UTC, with milliseconds. */
    completed_at: string
  }
  /** The document. */
  document: {
    /** The name of the sealed file. */
    filename: string
  }
  /** The people who sign, agree, or get a copy. */
  signers: {
    /** The name. */
    name: string
    /** ISO 8601, UTC, with milliseconds. */
    signed_at: string
  }[]
}

export type ExportConfig = {
  /** Its id. */
  id: string
  /** The name of the export and of its file. */
  name: string
  /** A longer text about it. */
  description: string | null
  /** Which records are exported. */
  source: 'invoices' | 'time_entries' | 'cases' | 'parties' | 'documents' | 'deadlines'
  /** The format of the file. */
  format: 'json' | 'csv' | 'xlsx'
  /** Null where the format is not `csv`. */
  csv_dialect: 'rfc4180' | 'excel-de' | 'datev' | null
  /** Which records are included. */
  filters: ExportFilters
  /** The columns, in their order. */
  columns: ExportColumn[]
  /** When the export runs by itself. Null for never. */
  schedule: ExportSchedule | null
  /** When it was last executed, retrieved, or run by its schedule. */
  last_executed_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type ExportFilters = {
  /** A day, inclusive, in the workspace’s time zone. */
  date_from?: string
  /** A day, inclusive, in the workspace’s time zone. */
  date_to?: string
  /** The status of the records. */
  status?: string
  /** The type of the records. */
  type?: string
  /** The department of the firm (Dezernat). */
  dezernat?: string
  /** A UUID. */
  case_id?: string
  /** `pty_` and a UUID; the prefix may be omitted. */
  party_id?: string
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id?: string
  /** `fld_` and a UUID; the prefix may be omitted. */
  folder_id?: string
  /** Whether the client pays for it. */
  billable?: boolean
}

export type ExportColumn = {
  /** The field of the source. */
  field: string
  /** The heading of the column. */
  label: string
}

/** When an export runs by itself, in the workspace’s time zone. */
export type ExportSchedule = {
  /** How often it runs. */
  frequency: 'daily'
  /** The time of day in the workspace’s time zone, `HH:MM`. */
  time: string
} | {
  /** How often it runs. */
  frequency: 'weekly'
  /** The time of day in the workspace’s time zone, `HH:MM`. */
  time: string
  /** 1 for Monday to 7 for Sunday. */
  weekday: number
} | {
  /** How often it runs. */
  frequency: 'monthly'
  /** The time of day in the workspace’s time zone, `HH:MM`. */
  time: string
  /** The day of the month. */
  day: number
}

export type ExportConfigInput = {
  /** The name of the export and of its file. */
  name: string
  /** A longer text about it. */
  description?: string | null
  /** Which records are exported. */
  source: 'invoices' | 'time_entries' | 'cases' | 'parties' | 'documents' | 'deadlines'
  /** The format of the file. */
  format: 'json' | 'csv' | 'xlsx'
  /** Only with `csv`, by default `rfc4180`; `datev` only with `invoices`. */
  csv_dialect?: 'rfc4180' | 'excel-de' | 'datev' | null
  /** What is exported; `GET /exports/sources` lists the filters of each source. Null: everything. */
  filters?: ExportConfigInputFilters
  /** Missing, null or empty: all fields of the source, in its order. */
  columns?: ExportConfigInputColumnsItem[] | null
  /** When the export runs by itself. Null for never. */
  schedule?: ExportSchedule | null
}

export type ExportConfigChanges = {
  /** The name of the export and of its file. */
  name?: string
  /** A longer text about it. */
  description?: string | null
  /** Which records are exported. */
  source?: 'invoices' | 'time_entries' | 'cases' | 'parties' | 'documents' | 'deadlines'
  /** The format of the file. */
  format?: 'json' | 'csv' | 'xlsx'
  /** Only with `csv`, by default `rfc4180`; `datev` only with `invoices`. */
  csv_dialect?: 'rfc4180' | 'excel-de' | 'datev' | null
  /** What is exported; `GET /exports/sources` lists the filters of each source. Null: everything. */
  filters?: ExportConfigInputFilters
  /** Missing, null or empty: all fields of the source, in its order. */
  columns?: ExportConfigInputColumnsItem[] | null
  /** When the export runs by itself. Null for never. */
  schedule?: ExportSchedule | null
}

/** An export as JSON. */
export type ExportedJson = {
  /** What was executed, and when. */
  meta: {
    /** The configuration that was executed. */
    config_id: string
    /** ISO 8601, UTC, with milliseconds. */
    executed_at: string
    /** How many rows `data` has. */
    row_count: number
  }
  /** The rows, by the fields of the columns. */
  data: (Record<string, string | number | boolean | null>)[]
}

export type ExportTokenInput = {
  /** From 1 to 8760, a year. */
  expires_in_hours: number
}

export type CreatedExportToken = {
  /** Its id. */
  id: string
  /** Shown this once: a repeated answer (`Idempotency-Key`) is without it. */
  token?: string
  /** ISO 8601, UTC, with milliseconds. */
  expires_at: string
}

export type ExportPreview = {
  /** The columns of the rows. */
  columns: ExportPreviewColumnsItem[]
  /** Up to ten rows, by the fields of the columns. */
  data: (Record<string, string | number | boolean | null>)[]
}

export type ExportRun = {
  /** Its id. */
  id: string
  /** ISO 8601, UTC, with milliseconds. */
  started_at: string
  /** When it ended. Null while it runs. */
  finished_at: string | null
  /** Whether the run succeeded. */
  status: 'running' | 'succeeded' | 'failed'
  /** Why it failed: `datev_settings_missing`, `invalid_configuration`, `unavailable`, `too_long`, `interrupted` or `internal_error`. But for the first two it is tried again. */
  status_reason: string | null
  /** The number of rows. */
  row_count: number | null
  /** The size in bytes. */
  size_bytes: number | null
}

export type ExportToken = {
  /** Its id. */
  id: string
  /** The user who made it. */
  created_by: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** ISO 8601, UTC, with milliseconds. */
  expires_at: string
  /** When it was last used, to the hour. Null if never. */
  last_used_at: string | null
}

export type ExportSource = {
  /** The name of the source. */
  source: 'invoices' | 'time_entries' | 'cases' | 'parties' | 'documents' | 'deadlines'
  /** In the order of the default columns, with the default labels. */
  fields: ExportPreviewColumnsItem[]
  /** The names of its filters. */
  filters: string[]
}

export type ApiKey = {
  /** The id of the key. */
  id: string
  /** The user for whom the key acts. */
  user_id: string
  /** What the key is for. */
  name: string
  /** What the key may do. */
  scopes: Scope[]
  /** When it ends. Null if it does not. */
  expires_at: string | null
  /** To the hour. */
  last_used_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

/** What an API key may do. */
export type Scope = 'cases:read' | 'cases:write' | 'cases:delete' | 'documents:read' | 'documents:write' | 'documents:delete' | 'calendar:read' | 'calendar:write' | 'deadlines:read' | 'deadlines:write' | 'reports:read' | 'reports:write' | 'inbox:read' | 'inbox:write' | 'bea:read' | 'bea:write' | 'bea:admin' | 'contacts:read' | 'contacts:write' | 'billing:read' | 'billing:write' | 'workspace:admin'

export type ApiKeyInput = {
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id: string
  /** What the key is for. */
  name: string
  /** What the key may do. */
  scopes: Scope[]
  /** When it ends. Null if it does not. */
  expires_at?: string | null
}

export type CreatedApiKey = {
  /** The id of the key. */
  id: string
  /** The user for whom the key acts. */
  user_id: string
  /** What the key is for. */
  name: string
  /** What the key may do. */
  scopes: Scope[]
  /** When it ends. Null if it does not. */
  expires_at: string | null
  /** To the hour. */
  last_used_at: string | null
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** The key itself, shown this once: `ak_<uuid>_<secret>`. A repeated answer (`Idempotency-Key`) is without it. */
  key?: string
}

export type Me = {
  /** The user. */
  user: User
  /** The law firm. */
  workspace: {
    /** Its id. */
    id: string
    /** The name. */
    name: string
    /** The IANA time zone, such as `Europe/Berlin`. */
    time_zone: string
    /** The region whose public holidays apply, as an ISO 3166-2 code. */
    holiday_region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  }
  /** The API key of this request. */
  api_key: {
    /** Its id. */
    id: string
    /** The name. */
    name: string
    /** What the key may do. */
    scopes: Scope[]
    /** When it ends. Null if it does not. */
    expires_at: string | null
  }
}

export type User = {
  /** Its id. */
  id: string
  /** The name of the user. */
  name: string
  /** The e-mail address. */
  email: string
  /** The signature under mails, as HTML. */
  signature_html: string | null
  /** Whether the user may work. The keys of a deactivated user stop working at once. */
  active: boolean
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type UserInput = {
  /** The name of the user. */
  name: string
  /** The e-mail address. */
  email: string
  /** The signature under mails, as HTML. */
  signature_html?: string | null
}

export type UserChanges = {
  /** The name of the user. */
  name?: string
  /** The e-mail address. */
  email?: string
  /** The signature under mails, as HTML. */
  signature_html?: string | null
  /** A deactivated user’s keys stop working at once. */
  active?: boolean
}

export type Workspace = {
  /** The id of the law firm. */
  id: string
  /** The name of the law firm. */
  name: string
  /** The IANA time zone, such as `Europe/Berlin`. */
  time_zone: string
  /** The region whose public holidays apply, as an ISO 3166-2 code. */
  holiday_region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  /** Mail to this address arrives in the inbox. */
  inbound_address: string
  /** Which received mail is filed in its case without a person: what belongs there for certain, or none. */
  auto_file: 'certain' | 'off'
  /** The firm as it appears on invoices. */
  seller: Seller
  /** The numbers under which DATEV books invoices. */
  datev: DatevSettings
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
}

export type Seller = {
  /** The name. */
  name: string | null
  /** Street and number. */
  street: string | null
  /** The postal code. */
  postcode: string | null
  /** The town. */
  city: string | null
  /** The country, as an ISO 3166-1 code such as `DE`. */
  country: string | null
  /** The VAT identification number. */
  vat_id: string | null
  /** The tax number (Steuernummer). */
  tax_number: string | null
  /** The contact person. */
  contact_name: string | null
  /** The telephone number. */
  phone: string | null
  /** The e-mail address. */
  email: string | null
  /** The bank account for payments. */
  iban: string | null
}

export type DatevSettings = {
  /** Beraternummer, 4 to 7 digits. */
  consultant: string | null
  /** Mandantennummer, 1 to 5 digits. */
  client: string | null
  /** The revenue account for items with 19 % tax. */
  revenue_account_19: string | null
  /** The revenue account for items with 7 % tax. */
  revenue_account_7: string | null
  /** The revenue account for items without tax. */
  revenue_account_0: string | null
  /** The account of debtors (Debitorenkonto). */
  debtor_account: string | null
}

export type WorkspaceChanges = {
  /** The name of the law firm. */
  name?: string
  /** The IANA time zone, such as `Europe/Berlin`. */
  time_zone?: string
  /** The region whose public holidays apply, as an ISO 3166-2 code. */
  holiday_region?: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
  /** Which received mail is filed in its case without a person: what belongs there for certain, or none. */
  auto_file?: 'certain' | 'off'
  /** The firm as it appears on invoices. */
  seller?: SellerChanges | null
  /** The numbers under which DATEV books invoices. */
  datev?: DatevChanges | null
}

export type SellerChanges = {
  /** The name. */
  name?: string | null
  /** Street and number. */
  street?: string | null
  /** The postal code. */
  postcode?: string | null
  /** The town. */
  city?: string | null
  /** The country, as an ISO 3166-1 code such as `DE`. */
  country?: string | null
  /** The VAT identification number. */
  vat_id?: string | null
  /** The tax number (Steuernummer). */
  tax_number?: string | null
  /** The contact person. */
  contact_name?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The e-mail address. */
  email?: string | null
  /** The bank account for payments. */
  iban?: string | null
}

export type DatevChanges = {
  /** The consultant number at DATEV (Beraternummer). */
  consultant?: string | null
  /** The client number at DATEV (Mandantennummer). */
  client?: string | null
  /** The revenue account for items with 19 % tax. */
  revenue_account_19?: string | null
  /** The revenue account for items with 7 % tax. */
  revenue_account_7?: string | null
  /** The revenue account for items without tax. */
  revenue_account_0?: string | null
  /** The account of debtors (Debitorenkonto). */
  debtor_account?: string | null
}

export type WebhookSettings = {
  /** The token of the ingestion webhook. After a rotation the old one is invalid. */
  token: string
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string
  /** Where documents are pushed to. */
  url: string
}

export type Health = {
  /** Always `ok`. */
  status: 'ok'
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = {
  /** The version of the OpenAPI specification. */
  openapi: string
  /** Title and version of the interface. */
  info: Record<string, unknown>
  /** The endpoints by path. */
  paths: Record<string, unknown>
} & Record<string, unknown>

export type SharedLinkDocumentsItem = {
  /** The document, by its id. */
  document_id: string
  /** The name of the file. */
  filename: string
}

export type RelatedItemsEmailsItemFrom = {
  /** The name. */
  name: string | null
  /** The e-mail address. */
  email: string
}

export type BasisStepsItem = {
  /** The provision of law that this step applies. */
  rule: string
  /** The day that results from this step. */
  date: string
  /** What this step does, in words. */
  text: string
}

export type DeadlineInputCalculationPeriod = {
  /** The unit of the period. */
  unit: 'day' | 'week' | 'month' | 'year' | 'working_day' | 'hour'
  /** How many units. */
  count: number
}

export type DeadlineInputCalculation = {
  /** When it happened. Omitted with `posted_on`, `event_at`, or where only the absolute end is asked for. */
  event_date?: string | null
  /** Instead of event_date: when the letter was posted. The law of the preset presumes when it came. */
  posted_on?: string | null
  /** Instead of event_date, for a period of hours: when it happened. */
  event_at?: string | null
  /** When the decision was pronounced. For presets whose absolute end is counted from that day. */
  pronounced_on?: string | null
  /** When the missed period ended. For presets whose absolute end is counted from that day. */
  missed_on?: string | null
  /** When the decision was made known. For presets whose absolute end is counted from that day. */
  announced_on?: string | null
  /** `none`: the end stays on a day off, as that of a notice period does. `auto` if omitted. */
  shift?: 'auto' | 'none' | null
  /** The rule of law by which the period is calculated, by its key. */
  preset?: 'zpo_berufung' | 'zpo_berufungsbegruendung' | 'zpo_revision' | 'zpo_revisionsbegruendung' | 'zpo_nichtzulassungsbeschwerde' | 'zpo_nichtzulassungsbeschwerde_begruendung' | 'zpo_sofortige_beschwerde' | 'zpo_rechtsbeschwerde' | 'zpo_rechtsbeschwerde_begruendung' | 'zpo_einspruch_versaeumnisurteil' | 'zpo_einspruch_vollstreckungsbescheid' | 'zpo_widerspruch_mahnbescheid' | 'zpo_verteidigungsanzeige' | 'zpo_klageerwiderung' | 'zpo_wiedereinsetzung' | 'zpo_wiedereinsetzung_begruendungsfrist' | 'zpo_anhoerungsruege' | 'zpo_tatbestandsberichtigung' | 'zpo_urteilsergaenzung' | 'zpo_wiederaufnahme' | 'zpo_schriftsatz_vor_termin' | 'zpo_gegenerklaerung_vor_termin' | 'zpo_ladungsfrist' | 'zpo_einlassungsfrist' | 'zpo_beschwerde_prozesskostenhilfe' | 'zpo_vollziehung' | 'zpo_vollziehung_zustellung' | 'zpo_erinnerung' | 'zpo_anschlussberufung' | 'zpo_berufungserwiderung' | 'zpo_raeumungsfrist_verlaengerung' | 'zpo_raeumungsfrist_kuenftige' | 'zpo_raeumungsschutz' | 'famfg_beschwerde' | 'famfg_beschwerde_einstweilige_anordnung' | 'famfg_beschwerdebegruendung' | 'famfg_rechtsbeschwerde' | 'famfg_rechtsbeschwerde_begruendung' | 'famfg_wiedereinsetzung' | 'famfg_wiedereinsetzung_begruendungsfrist' | 'famfg_anhoerungsruege' | 'weg_anfechtungsklage' | 'weg_anfechtungsbegruendung' | 'bgb_widerruf' | 'bgb_erbausschlagung' | 'bgb_verjaehrung' | 'bgb_verjaehrung_hoechstfrist' | 'bgb_verjaehrung_mietsache_vermieter' | 'bgb_verjaehrung_mietsache_mieter' | 'bgb_hemmung_ende' | 'bgb_kuendigung_wichtiger_grund' | 'bgb_mieterhoehung_zustimmung' | 'bgb_mieterhoehung_klage' | 'bgb_betriebskosten_abrechnung' | 'bgb_betriebskosten_einwendungen' | 'bgb_kuendigung_wohnraum' | 'bgb_widerspruch_kuendigung' | 'bverfgg_verfassungsbeschwerde' | 'bverfgg_verfassungsbeschwerde_gesetz' | 'bverfgg_wiedereinsetzung' | 'inso_sofortige_beschwerde' | 'inso_sofortige_beschwerde_bekanntmachung' | 'zpo_kostenfestsetzung' | 'rpflg_erinnerung' | 'rvg_beschwerde_wertfestsetzung' | 'gkg_streitwertbeschwerde' | 'zvg_einstellung' | 'kschg_klage' | 'kschg_nachtraegliche_zulassung' | 'tzbfg_befristungskontrolle' | 'agg_geltendmachung' | 'betrvg_wahlanfechtung' | 'betrvg_anhoerung_ordentliche_kuendigung' | 'betrvg_anhoerung_ausserordentliche_kuendigung' | 'arbgg_entschaedigungsklage' | 'arbgg_einspruch_versaeumnisurteil' | 'arbgg_widerspruch_mahnbescheid' | 'arbgg_einspruch_vollstreckungsbescheid' | 'arbgg_berufung' | 'arbgg_berufungsbegruendung' | 'arbgg_berufungsbeantwortung' | 'arbgg_revision' | 'arbgg_revisionsbegruendung' | 'arbgg_nichtzulassungsbeschwerde' | 'arbgg_nichtzulassungsbeschwerde_begruendung' | 'arbgg_anhoerungsruege' | 'arbgg_sofortige_beschwerde_verspaetetes_urteil' | 'arbgg_beschwerde_beschlussverfahren' | 'arbgg_beschwerdebegruendung_beschlussverfahren' | 'arbgg_beschwerde_einigungsstelle' | 'arbgg_rechtsbeschwerde_beschlussverfahren' | 'arbgg_rechtsbeschwerdebegruendung_beschlussverfahren' | 'arbgg_nichtzulassungsbeschwerde_beschlussverfahren' | 'arbgg_nichtzulassungsbeschwerdebegruendung_beschlussverfahren' | 'arbgg_sofortige_beschwerde' | 'vwgo_widerspruch' | 'vwgo_klage' | 'vwgo_klage_ohne_vorverfahren' | 'vwgo_jahresfrist' | 'vwgo_zulassung_berufung' | 'vwgo_zulassung_berufung_begruendung' | 'vwgo_berufung' | 'vwgo_berufungsbegruendung' | 'vwgo_berufungsbegruendung_nach_zulassung' | 'vwgo_nichtzulassungsbeschwerde' | 'vwgo_nichtzulassungsbeschwerde_begruendung' | 'vwgo_revision' | 'vwgo_revisionsbegruendung' | 'vwgo_beschwerde' | 'vwgo_beschwerdebegruendung_eilverfahren' | 'vwgo_wiedereinsetzung' | 'vwgo_anhoerungsruege' | 'vwgo_wiedereinsetzung_begruendungsfrist' | 'vwgo_gerichtsbescheid' | 'vwgo_kostenfestsetzung' | 'vwgo_normenkontrolle' | 'asylg_klage' | 'asylg_klage_eine_woche' | 'asylg_klagebegruendung' | 'asylg_eilantrag' | 'asylg_zulassung_berufung' | 'asylg_gerichtsbescheid' | 'sgg_widerspruch' | 'sgg_klage' | 'sgg_berufung' | 'sgg_nichtzulassungsbeschwerde_lsg' | 'sgg_nichtzulassungsbeschwerde_bsg' | 'sgg_nichtzulassungsbeschwerde_bsg_begruendung' | 'sgg_revision' | 'sgg_revisionsbegruendung' | 'sgg_beschwerde' | 'sgg_wiedereinsetzung' | 'sgg_gerichtsbescheid' | 'sgg_anhoerungsruege' | 'sgg_kostenfestsetzung' | 'ao_bekanntgabe_post' | 'ao_einspruch' | 'fgo_klage' | 'fgo_nichtzulassungsbeschwerde' | 'fgo_nichtzulassungsbeschwerde_begruendung' | 'fgo_revision' | 'fgo_revisionsbegruendung' | 'fgo_beschwerde' | 'ao_wiedereinsetzung' | 'fgo_wiedereinsetzung' | 'fgo_wiedereinsetzung_begruendungsfrist' | 'fgo_gerichtsbescheid' | 'fgo_anhoerungsruege' | 'fgo_kostenfestsetzung' | 'stpo_einspruch_strafbefehl' | 'stpo_berufung' | 'stpo_revision' | 'stpo_revisionsbegruendung' | 'stpo_sofortige_beschwerde' | 'stpo_wiedereinsetzung' | 'stpo_klageerzwingung_beschwerde' | 'stpo_klageerzwingung' | 'stgb_strafantrag' | 'owig_einspruch' | 'owig_rechtsbeschwerde' | 'owig_rechtsbeschwerde_begruendung' | 'stpo_berufungsbegruendung' | 'stpo_wiedereinsetzung_ausbleiben' | 'stpo_entscheidung_berufungsgericht' | 'stpo_entscheidung_revisionsgericht' | 'stpo_gegenerklaerung' | 'stpo_anhoerungsruege_revision' | 'stpo_kostenbeschwerde' | null
  /** The length of the period. */
  period?: DeadlineInputCalculationPeriod | null
  /** Whether the day of the event counts. */
  start?: 'after_event' | 'start_of_day' | null
  /** Whether the period counts forward from the event or backward from a date. */
  direction?: 'forward' | 'backward' | null
  /** Where the act is due, ISO 3166-2. Omitted, it is the seat of the federal court that the preset names, else the region of the workspace. */
  region?: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH' | null
  /** The municipality, if it has public holidays of its own. */
  municipality?: 'Augsburg' | null
  /** Whether Mariä Himmelfahrt is a public holiday in the Bavarian municipality. */
  mariae_himmelfahrt?: boolean | null
}

export type DeadlinePresetPeriod = {
  /** The unit of the period. */
  unit: 'day' | 'week' | 'month' | 'year' | 'working_day'
  /** How many units. */
  count: number
}

export type DraftInputAttachmentsItemType1 = {
  /** `doc_` and a UUID; the prefix may be omitted. */
  document_id: string
}

export type CorrespondenceSummaryAttachmentsItem = {
  /** The document, by its id. */
  document_id: string
  /** The name of the file. */
  filename: string
  /** The media type. */
  mime_type: string
  /** The size in bytes. */
  size_bytes: number
  /** By which `body_html` names it: `cid:…`. */
  content_id: string | null
}

export type BeaLocalLoginInputSignaturesItem = {
  /** Its id. */
  id: string
  /** The result of the card for the data, in base64. */
  data: string
}

export type BeaDraftSummaryToItem = {
  /** The name. */
  name: string
  /** The SAFE-ID of a beA postbox. */
  bea_id: string
}

export type BeaDraftInputToItem = {
  /** The name. */
  name?: string | null
  /** The SAFE-ID of a beA postbox. */
  bea_id: string
}

export type ExportConfigInputFilters = {
  /** A day, inclusive, in the workspace’s time zone. */
  date_from?: string
  /** A day, inclusive, in the workspace’s time zone. */
  date_to?: string
  /** The status of the records. */
  status?: string
  /** The type of the records. */
  type?: string
  /** The department of the firm (Dezernat). */
  dezernat?: string
  /** A UUID. */
  case_id?: string
  /** `pty_` and a UUID; the prefix may be omitted. */
  party_id?: string
  /** `usr_` and a UUID; the prefix may be omitted. */
  user_id?: string
  /** `fld_` and a UUID; the prefix may be omitted. */
  folder_id?: string
  /** Whether the client pays for it. */
  billable?: boolean
}

export type ExportConfigInputColumnsItem = {
  /** The name of the field. */
  field: string
  /** Missing or empty, it is the German name of the field. */
  label?: string | null
}

export type ExportPreviewColumnsItem = {
  /** The name of the field. */
  field: string
  /** The heading of the column. */
  label: string
  /** The type of the values. */
  type: 'text' | 'number' | 'decimal' | 'amount' | 'boolean' | 'date' | 'timestamp'
}

export type CaseLinkPage = {
  /** The items of this page. */
  data: CaseLink[]
  /** How to get the next page. */
  pagination: Pagination
}

export type CasePartyPage = {
  /** The items of this page. */
  data: CaseParty[]
  /** How to get the next page. */
  pagination: Pagination
}

export type CaseEnvelopePage = {
  /** The items of this page. */
  data: CaseEnvelope[]
  /** How to get the next page. */
  pagination: Pagination
}

export type CaseStaffPage = {
  /** The items of this page. */
  data: CaseStaff[]
  /** How to get the next page. */
  pagination: Pagination
}

export type AddCaseStaffAnswer = {
  /** The users who work on the case. */
  data: CaseStaff[]
}

export type TimelineEntryPage = {
  /** The items of this page. */
  data: TimelineEntry[]
  /** How to get the next page. */
  pagination: Pagination
}

export type DocumentPartyPage = {
  /** The items of this page. */
  data: DocumentParty[]
  /** How to get the next page. */
  pagination: Pagination
}

export type SharedLinkPage = {
  /** The items of this page. */
  data: SharedLink[]
  /** How to get the next page. */
  pagination: Pagination
}

export type FolderPage = {
  /** The items of this page. */
  data: Folder[]
  /** How to get the next page. */
  pagination: Pagination
}

export type InboxItemPage = {
  /** The items of this page. */
  data: InboxItem[]
  /** How to get the next page. */
  pagination: Pagination
}

export type PartyCasePage = {
  /** The items of this page. */
  data: PartyCase[]
  /** How to get the next page. */
  pagination: Pagination
}

export type InvoiceSummaryPage = {
  /** The items of this page. */
  data: InvoiceSummary[]
  /** How to get the next page. */
  pagination: Pagination
}

export type TimeEntryPage = {
  /** The items of this page. */
  data: TimeEntry[]
  /** How to get the next page. */
  pagination: Pagination
}

export type CalculateDeadlineAnswerAbsolute = {
  /** The provision of law. */
  statute: string
  /** The day on which it is due. */
  due_date: string
  /** Whether this end counts because it is the earlier one. */
  decisive: boolean
}

export type DeadlinePresetPage = {
  /** The items of this page. */
  data: DeadlinePreset[]
  /** How to get the next page. */
  pagination: Pagination
}

export type DeadlinePage = {
  /** The items of this page. */
  data: Deadline[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ListCalendarEventsAnswer = {
  /** The items of this page. */
  data: (CalendarEvent | DeletedRecord)[]
  /** How to get the next page. */
  pagination: Pagination
  /** Only with `updated_since`: what to send as `updated_since` next time. */
  as_of?: string
}

export type FristPage = {
  /** The items of this page. */
  data: Frist[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ListedIcalTokenPage = {
  /** The items of this page. */
  data: ListedIcalToken[]
  /** How to get the next page. */
  pagination: Pagination
}

export type SyncAccountPage = {
  /** The items of this page. */
  data: SyncAccount[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ReceiveMailBody = {
  /** The time of the request in seconds since 1970, as the mail service signed it. */
  timestamp: string
  /** A random text of the mail service. It is accepted once. */
  token: string
  /** The HMAC-SHA256 of `timestamp` and `token` under the mail signing key, in hexadecimal. */
  signature: string
  /** The sender, as the mail service names it. */
  from?: string | string[]
  /** The recipient. */
  to?: string | string[]
  /** The recipients of the envelope, comma separated; `to` counts as well. */
  recipient?: string | string[]
  /** The subject of the mail. */
  subject?: string | string[]
  /** The text of the mail. */
  'body-plain'?: string | string[]
  /** The text of the mail as HTML. */
  'body-html'?: string | string[]
  /** The whole message, instead of its parts. */
  'body-mime'?: string | string[]
  /** The header as JSON: `[["Subject","…"],…]`. */
  'message-headers'?: string | string[]
  /** A JSON object that maps each content id to the form field of its file. */
  'content-id-map'?: string | string[]
}

export type DraftSummaryPage = {
  /** The items of this page. */
  data: DraftSummary[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaAccountPage = {
  /** The items of this page. */
  data: BeaAccount[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaPostboxPage = {
  /** The items of this page. */
  data: BeaPostbox[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaFolderPage = {
  /** The items of this page. */
  data: BeaFolder[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaPermissionEntryPage = {
  /** The items of this page. */
  data: BeaPermissionEntry[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaDraftSummaryPage = {
  /** The items of this page. */
  data: BeaDraftSummary[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaMessagePage = {
  /** The items of this page. */
  data: BeaMessage[]
  /** How to get the next page. */
  pagination: Pagination
}

export type BeaAttachmentPage = {
  /** The items of this page. */
  data: BeaAttachment[]
  /** How to get the next page. */
  pagination: Pagination
}

export type EnvelopePage = {
  /** The items of this page. */
  data: Envelope[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ExportConfigPage = {
  /** The items of this page. */
  data: ExportConfig[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ExportRunPage = {
  /** The items of this page. */
  data: ExportRun[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ExportTokenPage = {
  /** The items of this page. */
  data: ExportToken[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ExportSourcePage = {
  /** The items of this page. */
  data: ExportSource[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ApiKeyPage = {
  /** The items of this page. */
  data: ApiKey[]
  /** How to get the next page. */
  pagination: Pagination
}

export type UserPage = {
  /** The items of this page. */
  data: User[]
  /** How to get the next page. */
  pagination: Pagination
}

export type ListCasesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    status?: 'active' | 'closed' | 'archived'
    /** All words must be in the name, the file number or the names of the parties: words of three or more characters anywhere, shorter ones at the beginning of a word. Upper and lower case are alike, so are `ä` and `ae`, `ß` and `ss`. */
    search?: string
    type?: string
    dezernat?: string
    /** `pty_` and a UUID; the prefix may be omitted. */
    party_id?: string
    /** `usr_` and a UUID; the prefix may be omitted. */
    staff_id?: string
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type CreateCaseRequest = {
  body: CaseInput
}

export type GetCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteCaseRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ListCaseLinksRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateCaseLinkRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseLinkInput
}

export type DeleteCaseLinkRequest = {
  params: {
    /** A UUID. */
    id: string
    /** `link_` and a UUID; the prefix may be omitted. */
    link_id: string
  }
}

export type ListCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type AddCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CasePartiesInput
}

export type ReplaceCasePartiesRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CasePartiesInput
}

export type ListSignedDocumentsRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateEnvelopeRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: EnvelopeInput
}

export type ListCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type AddCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  body: CaseStaffAssignments
}

export type RemoveCaseStaffRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** `usr_` and a UUID; the prefix may be omitted. */
    staff_id?: string
  }
  body?: CaseStaffRemoval
}

export type GetCaseTimelineRequest = {
  params: {
    /** A UUID. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ListDocumentsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A UUID. */
    case_id?: string
    /** `fld_` and a UUID; the prefix may be omitted. */
    folder_id?: string
    status?: 'pending' | 'processed' | 'failed'
    /** Words that all stand in the file name; `ä` and `ae`, `ß` and `ss` alike. */
    search?: string
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type UploadDocumentRequest = {
  /** A form with `file`, `case_id`, `folder_id`, `party_ids`. */
  body: FormData
}

export type BulkAssignDocumentsRequest = {
  body: BulkAssignment
}

export type AnnounceUploadRequest = {
  body: UploadInput
}

export type GetDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: DocumentChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type AssignDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: Assignment
}

export type CompleteUploadRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type DownloadDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type ExtractDocumentRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListDocumentPartiesRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ListDocumentLinksRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type DeleteDocumentLinkRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    id: string
    /** `shared_` and a UUID; the prefix may be omitted. */
    link_id: string
  }
}

export type ListFoldersRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** `fld_` and a UUID; the prefix may be omitted. */
    parent_id?: string
    /** A UUID. */
    case_id?: string
    /** All words must be in the name. */
    search?: string
  }
}

export type CreateFolderRequest = {
  body: FolderInput
}

export type UpdateFolderRequest = {
  params: {
    /** `fld_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: FolderChanges
}

export type DeleteFolderRequest = {
  params: {
    /** `fld_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListInboxRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    kind?: 'correspondence' | 'document' | 'bea'
    category?: 'court' | 'authority' | 'opponent' | 'client' | 'insurance' | 'invoice' | 'newsletter' | 'other'
    /** `usr_` and a UUID; the prefix may be omitted. */
    assigned_to?: string
  }
}

export type ListRelatedRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    document_id: string
  }
}

export type UploadToInboxRequest = {
  /** A form with `files`, `source`. */
  body: FormData
}

export type DismissInboxItemRequest = {
  params: {
    /** The id of the record; the prefix may be omitted. */
    id: string
  }
}

export type FileInboxItemRequest = {
  params: {
    /** The id of the record; the prefix may be omitted. */
    id: string
  }
  body: FilingInput
}

export type ReopenInboxItemRequest = {
  params: {
    /** The id of the record; the prefix may be omitted. */
    id: string
  }
}

export type AnnouncePushedUploadRequest = {
  body: PushedUploadInput
  /** the webhook token of the workspace (`GET /api/v1/workspace/webhooks`). */
  xServiceToken: string
}

export type CompletePushedUploadRequest = {
  params: {
    /** `doc_` and a UUID; the prefix may be omitted. */
    document_id: string
  }
  /** the webhook token of the workspace (`GET /api/v1/workspace/webhooks`). */
  xServiceToken: string
}

export type PushDocumentRequest = {
  params: {
    /** `ws_` and a UUID; the prefix may be omitted. */
    tenant_id: string
  }
  /** A form with `file`, `folder_id`, `metadata`. */
  body: FormData
  /** the webhook token of the workspace (`GET /api/v1/workspace/webhooks`). */
  xServiceToken: string
}

export type CheckConflictsRequest = {
  body: ConflictCheckInput
}

export type ListPartiesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** All words must be in the name or the e-mail address. */
    search?: string
    type?: 'person' | 'organization'
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type CreatePartyRequest = {
  body: PartyInput
}

export type GetPartyRequest = {
  params: {
    /** `pty_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdatePartyRequest = {
  params: {
    /** `pty_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: PartyChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeletePartyRequest = {
  params: {
    /** `pty_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ListPartyCasesRequest = {
  params: {
    /** `pty_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ListInvoicesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    date_from?: string
    date_to?: string
    status?: 'draft' | 'issued' | 'paid' | 'cancelled'
    /** A UUID. */
    case_id?: string
    /** `pty_` and a UUID; the prefix may be omitted. */
    party_id?: string
  }
}

export type CreateInvoiceRequest = {
  body: InvoiceInput
}

export type GetInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: InvoiceChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type CancelInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type IssueInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type PayInvoiceRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GetInvoiceXrechnungRequest = {
  params: {
    /** `inv_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListTimeEntriesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    date_from?: string
    date_to?: string
    /** `usr_` and a UUID; the prefix may be omitted. */
    user_id?: string
    /** A UUID. */
    case_id?: string
    billable?: 'true' | 'false'
  }
}

export type CreateTimeEntryRequest = {
  body: TimeEntryInput
}

export type GetTimeEntryRequest = {
  params: {
    /** `time_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateTimeEntryRequest = {
  params: {
    /** `time_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: TimeEntryChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteTimeEntryRequest = {
  params: {
    /** `time_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ListDeadlinesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A UUID. */
    case_id?: string
    /** `usr_` and a UUID; the prefix may be omitted. */
    assigned_to?: string
    /** Due then or later: a date of the workspace’s calendar, or a moment. */
    from?: string
    /** Due then or earlier: a date, included whole, or a moment. */
    to?: string
    status?: 'pending' | 'verified' | 'expired' | 'completed'
    /** `true`: only what is past and not completed, verified or not. */
    overdue?: 'true'
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type CreateDeadlineRequest = {
  body: DeadlineInput
}

export type CalculateDeadlineRequest = {
  body: DeadlineInputCalculation
}

export type ListDeadlinePresetsRequest = {
  query?: {
    /** How many a page holds at most; all of them if omitted. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type GetDeadlineRegisterRequest = {
  query?: {
    /** A day of the workspace’s calendar; today if omitted. */
    date?: string
    /** How many rows a part holds at most; as many as one answer can hold if omitted. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** `true`: exactly as it was signed last, in the parts in which it was stored. */
    signed?: 'true'
  }
}

export type SignDeadlineRegisterRequest = {
  params: {
    date: string
  }
  body?: RegisterSigningInput
}

export type ListUnverifiedDeadlinesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type GetDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: DeadlineChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type StrikeDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The reason, if the body does not give one. */
    reason?: string
  }
  body?: StrikingInput
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GetDeadlineChainRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type CompleteDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: CompletionInput
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DelegateDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: DelegationInput
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ControlDeadlineExitRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type RequestDeadlineExtensionRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: ExtensionRequest
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GrantDeadlineExtensionRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body?: ExtensionGrant
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type RefuseDeadlineExtensionRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GetDeadlineHistoryRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ReopenDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: ReopeningInput
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type VerifyDeadlineRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type FindFreeBusyRequest = {
  body: FreeBusyInput
}

export type FindOpenSlotsRequest = {
  body: OpenSlotsInput
}

export type ListCalendarEventsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A date of the workspace’s calendar or a moment: what ends later is listed. */
    from?: string
    /** A date, included whole, or a moment: what begins by then is listed. */
    to?: string
    type?: 'event' | 'meeting' | 'deadline'
    /** A UUID. */
    case_id?: string
    /** Events of this user, and deadlines assigned to them. */
    attendee?: string
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type CreateCalendarEventRequest = {
  body: CalendarEventInput
}

export type GetCalendarEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    event_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateCalendarEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    event_id: string
  }
  body: CalendarEventChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteCalendarEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    event_id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GetCalendarFeedRequest = {
  query: {
    /** the token that is part of the subscription address. */
    token: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type ListFristenRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A UUID. */
    case_id?: string
    /** `usr_` and a UUID; the prefix may be omitted. */
    assigned_to?: string
    /** Due then or later: a date of the workspace’s calendar, or a moment. */
    from?: string
    /** Due then or earlier: a date, included whole, or a moment. */
    to?: string
    status?: 'open' | 'verified' | 'expired' | 'all'
  }
}

export type GetFristChainRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type VerifyFristRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ListIcalTokensRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type RevokeIcalTokenRequest = {
  params: {
    /** `ical_tok_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListSyncAccountsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateSyncAccountRequest = {
  body: SyncAccountInput
}

export type DeleteSyncAccountRequest = {
  params: {
    /** `sync_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type PushEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListEventsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A date of the workspace’s calendar or a moment: what ends later is listed. */
    from?: string
    /** A date, included whole, or a moment: what begins by then is listed. */
    to?: string
    type?: 'event' | 'meeting' | 'deadline'
    /** A UUID. */
    case_id?: string
    /** Events of this user, and deadlines assigned to them. */
    attendee?: string
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type CreateEventRequest = {
  body: CalendarEventInput
}

export type GetEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: CalendarEventChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteEventRequest = {
  params: {
    /** `evt_` or `frist_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ReceiveMailRequest = {
  /** A form with `timestamp`, `token`, `signature`, `from`, `to`, `recipient`, `subject`, `body-plain`, `body-html`, `body-mime`, `message-headers`, `content-id-map`. */
  body: FormData | URLSearchParams
}

export type ListDraftsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateDraftRequest = {
  body: DraftInput
}

export type GetDraftRequest = {
  params: {
    /** `draft_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateDraftRequest = {
  params: {
    /** `draft_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: DraftInput
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteDraftRequest = {
  params: {
    /** `draft_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type SendDraftRequest = {
  params: {
    /** `draft_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type CreateForwardRequest = {
  body: ForwardInput
}

export type CreateReplyRequest = {
  body: ReplyInput
}

export type SendMailRequest = {
  body: DirectSendInput
}

export type ListCorrespondenceRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A UUID. */
    case_id?: string
    /** `pty_` and a UUID; the prefix may be omitted. */
    party_id?: string
    direction?: 'outbound' | 'inbound'
    /** All words must be in the subject or the addresses. */
    search?: string
    /** Only what was created, changed or deleted since this time, the oldest change first. What was deleted or has left the other filters is shown as `{id,deleted_at}`. What time alone changes, such as that a deadline is overdue, is no change. Send the `as_of` of the last answer. At most a year ago. */
    updated_since?: string
  }
}

export type GetCorrespondenceRequest = {
  params: {
    /** `corr_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type GetRawCorrespondenceRequest = {
  params: {
    /** `corr_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type ListMailLinksRequest = {
  params: {
    /** `corr_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type DeleteMailLinkRequest = {
  params: {
    /** `corr_` and a UUID; the prefix may be omitted. */
    id: string
    /** `shared_` and a UUID; the prefix may be omitted. */
    link_id: string
  }
}

export type ListBeaAccountsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ConnectBeaAccountRequest = {
  body: BeaAccountInput
}

export type ConnectBeaKanzleiRequest = {
  body: BeaKanzleiInput
}

export type UploadBeaAccountRequest = {
  /** A form with `certificate`, `file`, `passphrase`, `label`. */
  body: FormData
}

export type GetBeaAccountRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
}

export type DisconnectBeaAccountRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
}

export type ListAdministeredBeaPostboxesRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type UpdateBeaEdaMahnRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
  body: BeaEdaMahnInput | null
}

export type ListBeaFoldersRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ListBeaPermissionsRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type GetBeaSessionRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
}

export type SyncBeaAccountRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
}

export type LogInToBeaLocallyRequest = {
  body: BeaLocalLoginInput
}

export type LogInToBeaRequest = {
  body: BeaLoginInput
}

export type LogOutOfBeaRequest = {
  params: {
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id: string
  }
}

export type SearchBeaDirectoryRequest = {
  query?: {
    /** A name, a firm, a SAFE-ID or a postal code. Either this or `city` must be given. */
    q?: string
    /** A place. Either this or `q` must be given. */
    city?: string
    /** Whose session is used. By default the first account of which you have the right 03 and that has a session. */
    account_id?: string
  }
}

export type ListBeaDraftsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id?: string
    /** A UUID. */
    case_id?: string
    status?: 'draft' | 'sending' | 'sent' | 'failed' | 'unknown'
  }
}

export type CreateBeaDraftRequest = {
  body: BeaDraftInput
}

export type GetBeaDraftRequest = {
  params: {
    /** `bea_draft_` and a UUID; the prefix may be omitted. */
    draft_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type SaveBeaDraftRequest = {
  params: {
    /** `bea_draft_` and a UUID; the prefix may be omitted. */
    draft_id: string
  }
  body: BeaDraftChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteBeaDraftRequest = {
  params: {
    /** `bea_draft_` and a UUID; the prefix may be omitted. */
    draft_id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ResolveBeaDraftRequest = {
  params: {
    /** `bea_draft_` and a UUID; the prefix may be omitted. */
    draft_id: string
  }
  body: BeaResolveInput
}

export type SendBeaDraftRequest = {
  params: {
    /** `bea_draft_` and a UUID; the prefix may be omitted. */
    draft_id: string
  }
  body?: BeaSendInput
}

export type ListBeaMessagesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** `bea_acc_` and a UUID; the prefix may be omitted. */
    account_id?: string
    folder?: string
    /** A UUID. */
    case_id?: string
    direction?: 'inbound' | 'outbound'
    /** All words must be in the subject, the names of sender and recipients, or the references. */
    search?: string
    /** `true`: only what is in no case. */
    unassigned?: 'true' | 'false'
  }
}

export type GetBeaMessageRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
  }
}

export type AssignBeaMessageRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
  }
  body: BeaAssignment
}

export type ListBeaAttachmentsRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type DownloadBeaAttachmentRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
    /** `bea_att_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type AnswerBeaEebRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
  }
  body: BeaEebInput
}

export type ResolveBeaEebRequest = {
  params: {
    /** `bea_msg_` and a UUID; the prefix may be omitted. */
    message_id: string
  }
  body: BeaResolveInput
}

export type GrantBeaPermissionRequest = {
  body: BeaPermissionInput
}

export type RevokeBeaPermissionRequest = {
  body: BeaPermissionRemoval
}

export type GetSharedPageRequest = {
  params: {
    token: string
  }
}

export type DownloadSharedDocumentRequest = {
  params: {
    token: string
    /** `doc_` and a UUID; the prefix may be omitted. */
    document_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type ListEnvelopesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
    /** A UUID. */
    case_id?: string
    status?: 'draft' | 'sent' | 'in_progress' | 'completed' | 'declined' | 'expired' | 'voided'
  }
}

export type GetEnvelopeRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateEnvelopeRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: EnvelopeChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type GetEnvelopeAuditRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type RemindSignersRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type SendEnvelopeRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body?: EnvelopeSendInput | null
}

export type AddEnvelopeSignersRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: EnvelopeSignersInput
}

export type RemoveEnvelopeSignerRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
    /** `signer_` and a UUID; the prefix may be omitted. */
    signer_id: string
  }
}

export type CreateSigningLinkRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
    /** `signer_` and a UUID; the prefix may be omitted. */
    signer_id: string
  }
}

export type VoidEnvelopeRequest = {
  params: {
    /** `env_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: EnvelopeVoidInput
}

export type PromoteToEnvelopeRequest = {
  body: EnvelopePromotionInput
}

export type VerifySealedFileRequest = {
  body: VerifyInput
}

export type GetSignerPageRequest = {
  params: {
    token: string
  }
}

export type LeaveAccessFormRequest = {
  params: {
    token: string
  }
}

export type EnterAccessCodeRequest = {
  params: {
    token: string
  }
  /** A form with `code`. */
  body: URLSearchParams
}

export type ReadSealedCopyRequest = {
  params: {
    token: string
    /** `sigdoc_` and a UUID; the prefix may be omitted. */
    sigdoc_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type LeaveDeclineFormRequest = {
  params: {
    token: string
  }
}

export type DeclineEnvelopeRequest = {
  params: {
    token: string
  }
  /** A form with `reason`. */
  body: URLSearchParams
}

export type ReadDocumentToSignRequest = {
  params: {
    token: string
    /** `sigdoc_` and a UUID; the prefix may be omitted. */
    sigdoc_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type LeaveOpenFormRequest = {
  params: {
    token: string
  }
}

export type OpenForSigningRequest = {
  params: {
    token: string
  }
  /** An empty form. */
  body: URLSearchParams
}

export type LeaveSignFormRequest = {
  params: {
    token: string
  }
}

export type SignEnvelopeRequest = {
  params: {
    token: string
  }
  /** A form with `name`, `consent`, `signature`, `language`. */
  body: URLSearchParams
}

export type GetVerifyPageRequest = {
  query?: {
    sha256?: string
  }
}

export type ListExportConfigsRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateExportConfigRequest = {
  body: ExportConfigInput
}

export type GetExportConfigRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type UpdateExportConfigRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: ExportConfigChanges
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type DeleteExportConfigRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  /** The ETag of the state that this change builds on; if it is another by now, nothing changes (412). */
  ifMatch?: string
}

export type ExecuteExportRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type GenerateExportTokenRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: ExportTokenInput
}

export type PreviewExportRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type RetrieveExportRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query: {
    /** `latest`: the last finished run of the schedule, instead of a new execution. After a change of source, filters or columns there is none until the next run. */
    run?: 'latest'
    /** a token of the configuration, from `generate-token`. */
    token: string
  }
}

export type ListExportRunsRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type DownloadExportRunRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
    /** `run_` and a UUID; the prefix may be omitted. */
    run_id: string
  }
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
  /** One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`. */
  range?: string
  /** The ETag that the part must be of; otherwise the whole file is sent. */
  ifRange?: string
}

export type ListExportTokensRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
  }
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type RevokeExportTokenRequest = {
  params: {
    /** `exp_` and a UUID; the prefix may be omitted. */
    id: string
    /** `exptok_` and a UUID; the prefix may be omitted. */
    token_id: string
  }
}

export type ListExportSourcesRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type ListApiKeysRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateApiKeyRequest = {
  body: ApiKeyInput
}

export type DeleteApiKeyRequest = {
  params: {
    /** `ak_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type ListUsersRequest = {
  query?: {
    /** The maximum number of items on a page, 1 to 100. */
    limit?: number
    /** The `cursor` of the previous page. */
    cursor?: string
  }
}

export type CreateUserRequest = {
  body: UserInput
}

export type GetUserRequest = {
  params: {
    /** `usr_` and a UUID; the prefix may be omitted. */
    id: string
  }
}

export type UpdateUserRequest = {
  params: {
    /** `usr_` and a UUID; the prefix may be omitted. */
    id: string
  }
  body: UserChanges
}

export type UpdateWorkspaceRequest = {
  body: WorkspaceChanges
}

export type GetOpenApiDocumentRequest = {
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type GetDocsScriptRequest = {
  /** The ETag of the answer you have; if it is still the same, the answer is 304 without a body. */
  ifNoneMatch?: string
}

export type Client = {
  /**
   * List and search cases, newest first.
   *
   * Needs the scope `cases:read`.
   */
  listCases: ChangesCall<ListCasesRequest, {
    /** The items of this page. */
    data: (CaseSummary | DeletedRecord)[]
    /** How to get the next page. */
    pagination: Pagination
    /** Only with `updated_since`: what to send as `updated_since` next time. */
    as_of?: string
  }>
  /**
   * Open a case.
   *
   * If `file_number` is missing, the case gets the next number of the year. File numbers are unique in the workspace.
   *
   * Needs the scope `cases:write`.
   */
  createCase: TaggedCall<CreateCaseRequest, Case>
  /**
   * Get a case.
   *
   * Needs the scope `cases:read`.
   */
  getCase: TaggedCall<GetCaseRequest, Case>
  /**
   * Change a case.
   *
   * Changes only the fields in the body; `null` clears an optional field. Parties and staff have their own paths.
   *
   * Needs the scope `cases:write`.
   */
  updateCase: TaggedCall<UpdateCaseRequest, Case>
  /**
   * Delete a case.
   *
   * Removes the case from lists, search and links. Its documents, deadlines and mail stay. Its record is kept for the audit. The answer is 204; if the case has open deadlines it is 200 with `warnings`. All its deadlines then show `case_deleted_at`.
   *
   * Needs the scope `cases:delete`.
   */
  deleteCase: Call<DeleteCaseRequest, CaseDeletion | undefined>
  /**
   * List the links of a case.
   *
   * Needs the scope `cases:read`.
   */
  listCaseLinks: PagedCall<ListCaseLinksRequest, CaseLinkPage>
  /**
   * Link two cases.
   *
   * Needs the scope `cases:write`.
   */
  createCaseLink: Call<CreateCaseLinkRequest, CaseLink>
  /**
   * Remove a link from both cases.
   *
   * Needs the scope `cases:write`.
   */
  deleteCaseLink: Call<DeleteCaseLinkRequest, undefined>
  /**
   * List the parties of a case.
   *
   * Needs the scope `cases:read`.
   */
  listCaseParties: PagedCall<ListCasePartiesRequest, CasePartyPage>
  /**
   * Add parties to a case.
   *
   * An entry with `id` adds an existing party; an entry with `name` and no `id` creates the party. A party that already has the role is not added again, but gets the `side` in the request. `warnings` names parties whose role does not define their side, parties that are probably the same as an added party, and conflicts of interest.
   *
   * Needs the scope `cases:write`.
   */
  addCaseParties: Call<AddCasePartiesRequest, CasePartiesAnswer>
  /**
   * Replace the parties of a case.
   *
   * Needs the scope `cases:write`.
   */
  replaceCaseParties: Call<ReplaceCasePartiesRequest, CasePartiesAnswer>
  /**
   * List the envelopes of a case, newest first.
   *
   * Needs the scope `documents:read`.
   */
  listSignedDocuments: PagedCall<ListSignedDocumentsRequest, CaseEnvelopePage>
  /**
   * Create an envelope of documents to be signed.
   *
   * With `send_emails` it is sent at once, and each signer is mailed a link when it is their turn; otherwise it is a draft. A document belongs to the case, or to no case and is then assigned to it. Exactly its present bytes are signed. At most 20 documents, 50 MiB together.
   *
   * Needs the scope `documents:write`.
   */
  createEnvelope: TaggedCall<CreateEnvelopeRequest, Envelope>
  /**
   * List the staff of a case.
   *
   * Needs the scope `cases:read`.
   */
  listCaseStaff: PagedCall<ListCaseStaffRequest, CaseStaffPage>
  /**
   * Add staff to a case.
   *
   * Needs the scope `cases:write`.
   */
  addCaseStaff: Call<AddCaseStaffRequest, AddCaseStaffAnswer>
  /**
   * Remove staff from a case.
   *
   * Name the users in the body (`staff_ids`) or in the query (`staff_id`). Users who are not assigned are ignored. Returns the staff that remains.
   *
   * Needs the scope `cases:write`.
   */
  removeCaseStaff: Call<RemoveCaseStaffRequest, AddCaseStaffAnswer>
  /**
   * List the timeline of a case, newest first.
   *
   * Needs the scope `cases:read`.
   */
  getCaseTimeline: PagedCall<GetCaseTimelineRequest, TimelineEntryPage>
  /**
   * List and search documents, newest first.
   *
   * Needs the scope `documents:read`.
   */
  listDocuments: ChangesCall<ListDocumentsRequest, {
    /** The items of this page. */
    data: (Document | DeletedRecord)[]
    /** How to get the next page. */
    pagination: Pagination
    /** Only with `updated_since`: what to send as `updated_since` next time. */
    as_of?: string
  }>
  /**
   * Store a document.
   *
   * With the answer 201 the document is durable; its text is extracted afterwards. The content decides the type: PDF, DOCX, DOC, PNG, JPG, TIFF or plain text. A request has at most 4.4 MiB; announce an upload for larger files.
   *
   * Needs the scope `documents:write`.
   */
  uploadDocument: Call<UploadDocumentRequest, Document>
  /**
   * Assign several documents, all or none.
   *
   * Needs the scope `documents:write`.
   */
  bulkAssignDocuments: Call<BulkAssignDocumentsRequest, {
    /** The documents after the change. */
    data: Document[]
  }>
  /**
   * Announce a large document.
   *
   * For files of up to 200 MiB. Send the bytes to `upload.url` with the given method and headers within one hour, then complete the upload. An upload that is not completed within 24 hours is removed.
   *
   * Needs the scope `documents:write`.
   */
  announceUpload: Call<AnnounceUploadRequest, AnnouncedUpload>
  /**
   * Get the metadata of a document.
   *
   * Needs the scope `documents:read`.
   */
  getDocument: TaggedCall<GetDocumentRequest, Document>
  /**
   * Rename a document or change its metadata.
   *
   * Changes only the fields in the body. `metadata` is replaced as a whole; `null` removes it.
   *
   * Needs the scope `documents:write`.
   */
  updateDocument: TaggedCall<UpdateDocumentRequest, Document>
  /**
   * Delete a document.
   *
   * Removes the document from lists and search, and deletes its bytes. Its record is kept for the audit. It is refused while an envelope that was sent and has not ended needs the document.
   *
   * Needs the scope `documents:delete`.
   */
  deleteDocument: Call<DeleteDocumentRequest, undefined>
  /**
   * Assign a document to a case, a folder and parties.
   *
   * Changes only the fields in the body; `null` clears a field.
   *
   * Needs the scope `documents:write`.
   */
  assignDocument: Call<AssignDocumentRequest, Document>
  /**
   * Complete an announced upload.
   *
   * Checks that size, type and, if it was announced, SHA-256 are as announced. A second call returns the document unchanged.
   *
   * Needs the scope `documents:write`.
   */
  completeUpload: Call<CompleteUploadRequest, Document>
  /**
   * Download a document.
   *
   * Needs the scope `documents:read`.
   */
  downloadDocument: Call<DownloadDocumentRequest, Download>
  /**
   * Get the text of a document.
   *
   * Returns the text layer, or the text that OCR recognised. If the document was just stored, the request waits for some seconds and then answers 409 with `Retry-After`. `details` of a 422 name the reason why the text cannot be extracted.
   *
   * Needs the scope `documents:read`.
   */
  extractDocument: Call<ExtractDocumentRequest, ExtractedText>
  /**
   * List the parties of a document.
   *
   * Needs the scope `documents:read`.
   */
  listDocumentParties: PagedCall<ListDocumentPartiesRequest, DocumentPartyPage>
  /**
   * List the links that open a document, newest first.
   *
   * Lists the links that open at least one document now. A link ends after 30 days, when it is deleted, or when its mail is moved to another case. It no longer opens a document that was deleted or moved out of its case.
   *
   * Needs the scope `documents:read`.
   */
  listDocumentLinks: PagedCall<ListDocumentLinksRequest, SharedLinkPage>
  /**
   * Take a document out of a link.
   *
   * The link still opens its other documents. If none is left, it ends.
   *
   * Needs the scope `documents:write`.
   */
  deleteDocumentLink: Call<DeleteDocumentLinkRequest, undefined>
  /**
   * List and search folders, newest first.
   *
   * Needs the scope `documents:read`.
   */
  listFolders: PagedCall<ListFoldersRequest, FolderPage>
  /**
   * Create a folder.
   *
   * Needs the scope `documents:write`.
   */
  createFolder: Call<CreateFolderRequest, Folder>
  /**
   * Rename or move a folder.
   *
   * Changes only the fields in the body. `parent_id: null` moves the folder to the top level, `case_id: null` removes it from its case.
   *
   * Needs the scope `documents:write`.
   */
  updateFolder: Call<UpdateFolderRequest, Folder>
  /**
   * Delete an empty folder.
   *
   * Needs the scope `documents:write`.
   */
  deleteFolder: Call<DeleteFolderRequest, undefined>
  /**
   * List the inbox: items that are not filed, newest first.
   *
   * Mail, beA messages, and documents of inbox uploads and of the ingestion webhook that are in no case and no folder. A key with the scope `bea:read` sees beA messages according to your rights: with only the right 01 neither subject nor triage is shown. Your mail that could not be delivered is listed as well; `notice` says so.
   *
   * Needs the scope `inbox:read`.
   */
  listInbox: PagedCall<ListInboxRequest, InboxItemPage>
  /**
   * List mail and documents that have to do with a document.
   *
   * Mail of the same sender, thread or case, and documents of the same case, mail or content; newest first, at most 20 of each, without the document itself.
   *
   * Needs the scope `inbox:read`.
   */
  listRelated: Call<ListRelatedRequest, RelatedItems>
  /**
   * Upload files into the inbox.
   *
   * Stores up to 20 files, all or none: if one file is refused, the request is refused and the message names the file.
   *
   * Needs the scope `inbox:write`.
   */
  uploadToInbox: Call<UploadToInboxRequest, InboxUpload>
  /**
   * Take a mail, a beA message or a document out of the inbox without filing it.
   *
   * Nothing is deleted. What is filed already stays filed. A beA message needs the same scopes and rights as filing it.
   *
   * Needs the scope `inbox:write`.
   */
  dismissInboxItem: Call<DismissInboxItemRequest, InboxItem>
  /**
   * File a mail, a beA message or a document.
   *
   * In a case, with a party, or both; `assigned_to` alone leaves it in the inbox. Changes only the fields in the body; `null` clears a field. The attachments of a mail are filed with it, unless somebody has filed them elsewhere. The case learns the references and the sender of the mail. A filed item can be filed elsewhere. A beA message needs the scopes `bea:read` and `bea:write`, and the right 08 of its account; a confidential one needs the right 11 too.
   *
   * Needs the scope `inbox:write`.
   */
  fileInboxItem: Call<FileInboxItemRequest, InboxItem>
  /**
   * Bring a mail, a beA message or a document back into the inbox.
   *
   * A filed item leaves its case: a mail together with its attachments, and a document also leaves its folder. The case forgets what it learnt from the mail. The item is not filed automatically again. A beA message needs the same scopes and rights as filing it.
   *
   * Needs the scope `inbox:write`.
   */
  reopenInboxItem: Call<ReopenInboxItemRequest, InboxItem>
  /**
   * Announce a large document with the webhook token.
   *
   * For other systems, and files of up to 200 MiB. Send the bytes to `upload.url` with the given method and headers within one hour, then complete the upload. An upload that is not completed within 24 hours is removed. If a token is older than this interface, get it once from `GET /api/v1/workspace/webhooks` to make it work here.
   *
   * Needs no API key, but the header `X-Service-Token`: the webhook token of the workspace (`GET /api/v1/workspace/webhooks`).
   */
  announcePushedUpload: Call<AnnouncePushedUploadRequest, AnnouncedUpload>
  /**
   * Complete an upload that was announced with the webhook token.
   *
   * Checks that size, type and, if it was announced, SHA-256 are as announced. Without a folder, the document is in the inbox then. A second call changes nothing. The answer does not show the case and the parties of the document.
   *
   * Needs no API key, but the header `X-Service-Token`: the webhook token of the workspace (`GET /api/v1/workspace/webhooks`).
   */
  completePushedUpload: Call<CompletePushedUploadRequest, Document>
  /**
   * Push a document into a workspace.
   *
   * For other systems. Without `folder_id` the document goes to the inbox. The content decides the type: PDF, DOCX, DOC, PNG, JPG or TIFF. A request has at most 4.4 MiB; announce an upload for larger files.
   *
   * Needs no API key, but the header `X-Service-Token`: the webhook token of the workspace (`GET /api/v1/workspace/webhooks`).
   */
  pushDocument: Call<PushDocumentRequest, Ingested>
  /**
   * Check for conflicts of interest before a mandate is accepted.
   *
   * Finds every party that may be one of these people or firms, with its cases and roles: in another spelling, with the same sound (Kölner Phonetik), with swapped or missing first names, without titles and legal forms, and by e-mail address. Nothing of the request is stored. An answer has up to 25 parties for each name or address, up to 20 cases of each party, and up to 50 cases for each name or address, 1000 in all. `more` and `more_cases` say where there are others. `conflict` takes every case of the party into account, whether or not it is answered; against the clients of `case_id`, the newest 200 cases of each of them.
   *
   * Needs the scopes `contacts:read` and `cases:read`.
   */
  checkConflicts: Call<CheckConflictsRequest, ConflictReport>
  /**
   * List and search parties, newest first.
   *
   * Needs the scope `contacts:read`.
   */
  listParties: ChangesCall<ListPartiesRequest, {
    /** The items of this page. */
    data: (Party | DeletedRecord)[]
    /** How to get the next page. */
    pagination: Pagination
    /** Only with `updated_since`: what to send as `updated_since` next time. */
    as_of?: string
  }>
  /**
   * Create a party.
   *
   * Needs the scope `contacts:write`.
   */
  createParty: TaggedCall<CreatePartyRequest, Party>
  /**
   * Get a party.
   *
   * Needs the scope `contacts:read`.
   */
  getParty: TaggedCall<GetPartyRequest, Party>
  /**
   * Change a party.
   *
   * Changes only the fields in the body; `null` clears an optional field.
   *
   * Needs the scope `contacts:write`.
   */
  updateParty: TaggedCall<UpdatePartyRequest, Party>
  /**
   * Delete a party that no case, document or invoice refers to.
   *
   * Needs the scope `contacts:write`.
   */
  deleteParty: Call<DeletePartyRequest, undefined>
  /**
   * List the cases of a party with its role in each, newest first.
   *
   * Needs the scopes `contacts:read` and `cases:read`.
   */
  listPartyCases: PagedCall<ListPartyCasesRequest, PartyCasePage>
  /**
   * List invoices, the newest date first.
   *
   * The answer does not contain the lines.
   *
   * Needs the scope `billing:read`.
   */
  listInvoices: PagedCall<ListInvoicesRequest, InvoiceSummaryPage>
  /**
   * Draft an invoice.
   *
   * A line that names a time entry uses the entry’s activity, hours and rate, unless the line sets others. Hours have four decimal places; if hours × rate differs from the amount of the time entry, the line bills this amount as one piece. The time entry must be billable, belong to the case and be on no other invoice. Up to 500 lines.
   *
   * Needs the scope `billing:write`.
   */
  createInvoice: TaggedCall<CreateInvoiceRequest, Invoice>
  /**
   * Get an invoice.
   *
   * Needs the scope `billing:read`.
   */
  getInvoice: TaggedCall<GetInvoiceRequest, Invoice>
  /**
   * Change a draft.
   *
   * Changes only the fields in the body; `lines` replaces all lines, `null` clears. An issued invoice never changes.
   *
   * Needs the scope `billing:write`.
   */
  updateInvoice: TaggedCall<UpdateInvoiceRequest, Invoice>
  /**
   * Delete a draft.
   *
   * Its time entries can be billed again.
   *
   * Needs the scope `billing:write`.
   */
  deleteInvoice: Call<DeleteInvoiceRequest, undefined>
  /**
   * Cancel an issued or paid invoice.
   *
   * Issues another invoice with negative amounts in the same series, which `cancelled_by` names. The time entries can then be billed again. An invoice that cancels another one cannot be cancelled.
   *
   * Needs the scope `billing:write`.
   */
  cancelInvoice: TaggedCall<CancelInvoiceRequest, Invoice>
  /**
   * Issue an invoice.
   *
   * Gives the invoice the next number of the year, without gaps. After that it never changes. If it is already issued, the answer shows it unchanged. An invoice without lines, or due before its date, is refused with 400.
   *
   * Needs the scope `billing:write`.
   */
  issueInvoice: TaggedCall<IssueInvoiceRequest, Invoice>
  /**
   * Note that an issued invoice was paid.
   *
   * Needs the scope `billing:write`.
   */
  payInvoice: TaggedCall<PayInvoiceRequest, Invoice>
  /**
   * Get an issued invoice as XRechnung.
   *
   * EN 16931 as UN/CEFACT Cross Industry Invoice. The seller is `seller` of the workspace as it was when the invoice was issued. If fields are missing there, their present values are used. 409 `XRECHNUNG_INCOMPLETE` names in `details` each field that is missing.
   *
   * Needs the scope `billing:read`.
   */
  getInvoiceXrechnung: Call<GetInvoiceXrechnungRequest, string>
  /**
   * List time entries, the newest day first.
   *
   * Needs the scope `billing:read`.
   */
  listTimeEntries: PagedCall<ListTimeEntriesRequest, TimeEntryPage>
  /**
   * Record time.
   *
   * The amount is minutes / 60 × rate, rounded half up to the cent.
   *
   * Needs the scope `billing:write`.
   */
  createTimeEntry: TaggedCall<CreateTimeEntryRequest, TimeEntry>
  /**
   * Get a time entry.
   *
   * Needs the scope `billing:read`.
   */
  getTimeEntry: TaggedCall<GetTimeEntryRequest, TimeEntry>
  /**
   * Change a time entry.
   *
   * Changes only the fields in the body; `rate: null` clears the rate. A time entry on an issued invoice cannot be changed. An entry on a draft stays in its case and billable; the lines of the draft do not change.
   *
   * Needs the scope `billing:write`.
   */
  updateTimeEntry: TaggedCall<UpdateTimeEntryRequest, TimeEntry>
  /**
   * Delete a time entry that is on no invoice.
   *
   * Needs the scope `billing:write`.
   */
  deleteTimeEntry: Call<DeleteTimeEntryRequest, undefined>
  /**
   * List upcoming deadlines, soonest first.
   *
   * Lists deadlines that are due from now on; with `from`, `status` or `overdue` past ones as well. With `updated_since` it shows changes of past ones too: a replica begins with the whole list, which is `from=1900-01-01`.
   *
   * Needs the scope `deadlines:read`.
   */
  listDeadlines: ChangesCall<ListDeadlinesRequest, {
    /** The items of this page. */
    data: (Deadline | DeletedRecord)[]
    /** How to get the next page. */
    pagination: Pagination
    /** Only with `updated_since`: what to send as `updated_since` next time. */
    as_of?: string
  }>
  /**
   * Create a deadline, optionally with its Vorfrist.
   *
   * Writes the Hauptfrist and its Vorfrist together or not at all. The deadline is in the list of unverified deadlines until a second user verifies it. With `calculation` (the body of `POST /deadlines/calculate`) the due time is calculated, and the calculation is kept as `basis`, which the second person checks. With `hauptfrist_id` or `chain_id` it joins an existing chain; the place of a struck deadline is free again. `warnings` names in German the points to check again: due on a day off, at midnight or in the past, or counted from a future day.
   *
   * Needs the scope `deadlines:write`.
   */
  createDeadline: TaggedCall<CreateDeadlineRequest, EnteredDeadline>
  /**
   * Calculate when a period ends.
   *
   * Returns every step of the calculation in German, with its legal basis (§§ 187 to 193 BGB, § 222 ZPO), and stores nothing. The public holidays are those of the place where the act is due: of `region`, otherwise of the seat of the federal court that the preset names, otherwise of the workspace. `region` and `region_source` in the answer name the region that was used.
   *
   * Needs the scope `deadlines:read`.
   */
  calculateDeadline: Call<CalculateDeadlineRequest, {
    /** The day on which it is due. */
    due_date: string
    /** End of due_date in the time zone of the workspace. */
    due_at: string
    /** Before it moves from a day off. */
    calculated_date: string
    /** Whether the end was moved from a day off. */
    shifted: boolean
    /** Why the end was moved. Null if it was not. */
    shift_reason: string | null
    /** The Land whose holidays were counted. */
    region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
    /** Who named it: the request, the seat of the federal court that the preset names, or the workspace. */
    region_source: 'request' | 'court' | 'workspace'
    /** When what was posted counts as received; null without posted_on. */
    delivered_on: string | null
    /** The end that comes whether or not anything was served, and whether it is the earlier one; null where the date from which it runs is not given. */
    absolute: CalculateDeadlineAnswerAbsolute | null
    /** The calculation, step by step, each with its provision of law. */
    steps: BasisStepsItem[]
    /** Points to check by hand, in German. */
    warnings: string[]
    /** Further periods that the same event begins. */
    related: {
      /** The day on which it is due. */
      due_date: string
      /** End of due_date in the time zone of the workspace. */
      due_at: string
      /** Before it moves from a day off. */
      calculated_date: string
      /** Whether the end was moved from a day off. */
      shifted: boolean
      /** Why the end was moved. Null if it was not. */
      shift_reason: string | null
      /** The Land whose holidays were counted. */
      region: 'DE-BW' | 'DE-BY' | 'DE-BE' | 'DE-BB' | 'DE-HB' | 'DE-HH' | 'DE-HE' | 'DE-MV' | 'DE-NI' | 'DE-NW' | 'DE-RP' | 'DE-SL' | 'DE-SN' | 'DE-ST' | 'DE-SH' | 'DE-TH'
      /** Who named it: the request, the seat of the federal court that the preset names, or the workspace. */
      region_source: 'request' | 'court' | 'workspace'
      /** When what was posted counts as received; null without posted_on. */
      delivered_on: string | null
      /** The end that comes whether or not anything was served, and whether it is the earlier one; null where the date from which it runs is not given. */
      absolute: CalculateDeadlineAnswerAbsolute | null
      /** The calculation, step by step, each with its provision of law. */
      steps: BasisStepsItem[]
      /** Points to check by hand, in German. */
      warnings: string[]
      /** The rule of law by which the period is calculated, by its key. */
      preset: string
      /** The name. */
      name: string
      /** The provision of law. */
      statute: string
    }[]
  }>
  /**
   * List the presets of German procedural periods.
   *
   * Needs the scope `deadlines:read`.
   */
  listDeadlinePresets: PagedCall<ListDeadlinePresetsRequest, DeadlinePresetPage>
  /**
   * Get the deadline register of a day.
   *
   * Lists what is open from earlier days (`open_before`), everything due on that day, including struck deadlines, what was completed without exit control, the Vorfristen of the next seven days (`ahead`), and everything created, changed, verified, completed, checked, reopened or struck on that day. It is the control printout that the courts demand (BGH III ZB 96/18, VIII ZB 38/14). `Accept: text/csv` returns a table, `Accept: text/html` a page to print. A day that does not fit into one answer is split into parts, each with the `cursor` of the next part. With `signed=true` it is exactly what was signed last.
   *
   * Needs the scope `deadlines:read`.
   */
  getDeadlineRegister: Call<GetDeadlineRegisterRequest, Register> & RenderedCall<GetDeadlineRegisterRequest, 'text/csv' | 'text/html'>
  /**
   * Sign the deadline register of a day.
   *
   * The evening check: stores the present register of that day with its hash, the signing user, the time, and remarks. Signing again adds another version. A future day cannot be signed.
   *
   * Needs the scope `deadlines:write`.
   */
  signDeadlineRegister: Call<SignDeadlineRegisterRequest, RegisterSignature>
  /**
   * List unverified deadlines, soonest first.
   *
   * Lists deadlines that are neither verified nor completed, including past ones.
   *
   * Needs the scope `deadlines:read`.
   */
  listUnverifiedDeadlines: PagedCall<ListUnverifiedDeadlinesRequest, DeadlinePage>
  /**
   * Get a deadline.
   *
   * Needs the scope `deadlines:read`.
   */
  getDeadline: TaggedCall<GetDeadlineRequest, Deadline>
  /**
   * Change a deadline.
   *
   * Changes only the fields in the body. A new due time, basis, title or responsible person clears the verification. `calculation` calculates the due time anew; a due time set by hand has no basis. A Vorfrist that was created with the Hauptfrist moves with it, unless its own due time was set by hand or it is completed; it also gets the new title and assignee if it had the old ones. A Vorfrist cannot be moved after its Hauptfrist, nor a Nachfrist before it; a Hauptfrist can always be corrected. The due time of a completed deadline cannot be changed.
   *
   * Needs the scope `deadlines:write`.
   */
  updateDeadline: TaggedCall<UpdateDeadlineRequest, EnteredDeadline>
  /**
   * Strike a deadline from the lists.
   *
   * Removes the deadline from every list; the register and its history keep it. Striking a Hauptfrist strikes its Vorfrist too. The register shows the reason, or that none was given.
   *
   * Needs the scope `deadlines:write`.
   */
  strikeDeadline: Call<StrikeDeadlineRequest, undefined>
  /**
   * Get the chain of a deadline: Vorfrist, Hauptfrist and Nachfrist.
   *
   * Needs the scope `deadlines:read`.
   */
  getDeadlineChain: Call<GetDeadlineChainRequest, DeadlineChain>
  /**
   * Complete a deadline, with evidence.
   *
   * Completing a Hauptfrist completes its open Vorfrist too. A `bea_receipt` names an imported beA message that was sent and that the network has acknowledged; it needs `bea:read` and the right to read that message. The evidence can name the date of the court’s receipt (§ 130a Abs. 5 ZPO) and the user who looked at it. Completing a deadline again changes nothing.
   *
   * Needs the scope `deadlines:write`.
   */
  completeDeadline: TaggedCall<CompleteDeadlineRequest, Deadline>
  /**
   * Delegate the verification to one user.
   *
   * From then on only that user can verify the deadline. The delegate, the user who delegated, the user who created the deadline or set its due time, and the assignee can delegate it to somebody else. Delegating a verified or completed deadline changes nothing. A delegation to a user who has been deactivated has no effect.
   *
   * Needs the scope `deadlines:write`.
   */
  delegateDeadline: TaggedCall<DelegateDeadlineRequest, Deadline>
  /**
   * Record the exit control of a completed deadline.
   *
   * A user other than the one who completed it confirms that the act was sent as the evidence says. The register lists completed deadlines without this control. Confirming again changes nothing.
   *
   * Needs the scope `deadlines:write`.
   */
  controlDeadlineExit: TaggedCall<ControlDeadlineExitRequest, Deadline>
  /**
   * Record that an extension was requested.
   *
   * The deadline keeps its due time until the court answers. A provisional deadline with its own Vorfrist is shown in lists and register for the requested end. A second request replaces the first. With `period` the new end counts from the end of the deadline, and moves from a day off in the same way (§ 224 Abs. 3 ZPO). A Notfrist, and a period that by law cannot be extended, or not a second time, get 400 with the paragraph. `warnings` says who may extend the deadline and for how long, and whether it is already past.
   *
   * Needs the scope `deadlines:write`.
   */
  requestDeadlineExtension: TaggedCall<RequestDeadlineExtensionRequest, EnteredDeadline>
  /**
   * Record that the court has granted the extension.
   *
   * Moves the deadline to `until`, or to what was requested, and clears its verification; its basis stays. The provisional deadline is struck; one Vorfrist remains and moves along.
   *
   * Needs the scope `deadlines:write`.
   */
  grantDeadlineExtension: TaggedCall<GrantDeadlineExtensionRequest, EnteredDeadline>
  /**
   * Record that the court has refused the extension.
   *
   * The deadline stays as it is; the provisional one is struck.
   *
   * Needs the scope `deadlines:write`.
   */
  refuseDeadlineExtension: TaggedCall<RefuseDeadlineExtensionRequest, EnteredDeadline>
  /**
   * List the history of a deadline, oldest first.
   *
   * The entries form a hash chain: `hash` is the SHA-256 of the canonical JSON (RFC 8785) of the entry without `hash`, and `previous_hash` is the hash of the entry before. Struck deadlines have a history too.
   *
   * Needs the scope `deadlines:read`.
   */
  getDeadlineHistory: PagedCall<GetDeadlineHistoryRequest, DeadlineHistory>
  /**
   * Undo the completion of a deadline.
   *
   * For a completion that was wrong. The Vorfrist that was completed with its Hauptfrist is open again, too. The history keeps the completion, its evidence and the reason.
   *
   * Needs the scope `deadlines:write`.
   */
  reopenDeadline: TaggedCall<ReopenDeadlineRequest, Deadline>
  /**
   * Verify a deadline as the second person.
   *
   * Vier-Augen-Prinzip: the user who created the deadline and the user who last set its due time cannot verify it; a delegated deadline can be verified by the delegate alone. Verifying again changes nothing. Send the ETag of the deadline you looked at as `If-Match`, so that you do not verify a change you have not seen.
   *
   * Needs the scope `deadlines:write`.
   */
  verifyDeadline: TaggedCall<VerifyDeadlineRequest, Deadline>
  /**
   * Get the busy times of users.
   *
   * Returns half-open intervals, cut to the range and merged per user. All-day events and deadlines do not count.
   *
   * Needs the scope `calendar:read`.
   */
  findFreeBusy: Call<FindFreeBusyRequest, FreeBusy>
  /**
   * Find times when all users are free.
   *
   * Finds times inside the working hours, but not on Saturdays, Sundays or public holidays of the workspace’s region.
   *
   * Needs the scope `calendar:read`.
   */
  findOpenSlots: Call<FindOpenSlotsRequest, OpenSlots>
  /**
   * List events and deadlines by start.
   *
   * Lists every event and deadline that overlaps the range. `from` and `to` are both inclusive and optional; a date means that day in the time zone of the workspace. A deadline starts and ends when it is due.
   *
   * Needs the scope `calendar:read`.
   */
  listCalendarEvents: ChangesCall<ListCalendarEventsRequest, ListCalendarEventsAnswer>
  /**
   * Create an event.
   *
   * An event must not overlap another timed event of one of its attendees, unless `allow_conflict` is true. Events that only touch do not overlap, and all-day events and deadlines block nobody. An event without attendees belongs to the caller.
   *
   * An all-day event lasts at most 366 days. For a timed event, the number of attendees times the number of days is at most 72: one person for 72 days, or 50 people for one day.
   *
   * Needs the scope `calendar:write`.
   */
  createCalendarEvent: TaggedCall<CreateCalendarEventRequest, CalendarEvent>
  /**
   * Get an event or a deadline.
   *
   * Needs the scope `calendar:read`.
   */
  getCalendarEvent: TaggedCall<GetCalendarEventRequest, CalendarEvent>
  /**
   * Change an event.
   *
   * Changes only the fields in the body; `null` clears an optional field.
   *
   * Needs the scope `calendar:write`.
   */
  updateCalendarEvent: TaggedCall<UpdateCalendarEventRequest, CalendarEvent>
  /**
   * Delete an event.
   *
   * Needs the scope `calendar:write`.
   */
  deleteCalendarEvent: Call<DeleteCalendarEventRequest, undefined>
  /**
   * Get the calendar of a subscription address.
   *
   * For calendar programs: the events and deadlines of the user who created the address, from 90 days ago to two years ahead. A deadline names its case and says whether it is verified; one that is due on a day is an all-day entry. With `If-None-Match` the answer is 304 as long as nothing has changed.
   *
   * Needs no API key, but the query parameter `token`: the token that is part of the subscription address.
   */
  getCalendarFeed: TaggedCall<GetCalendarFeedRequest, string>
  /**
   * List Fristen, soonest first.
   *
   * Needs the scope `calendar:read`.
   */
  listFristen: PagedCall<ListFristenRequest, FristPage>
  /**
   * List the Fristen of a chain, soonest first.
   *
   * Needs the scope `calendar:read`.
   */
  getFristChain: Call<GetFristChainRequest, FristChain>
  /**
   * Verify a Frist as the second person.
   *
   * Vier-Augen-Prinzip: the user who created the deadline and the user who last set its due time cannot verify it; a delegated deadline can be verified by the delegate alone. Verifying again changes nothing. Send the ETag of the deadline you looked at (`GET /api/v1/deadlines/{id}`) as `If-Match`, so that you do not verify a change you have not seen.
   *
   * Needs the scope `calendar:write`.
   */
  verifyFrist: Call<VerifyFristRequest, Frist>
  /**
   * List the caller’s subscriptions, newest first.
   *
   * Lists the subscriptions that are not revoked, without their addresses, which are shown only once.
   *
   * Needs the scope `calendar:read`.
   */
  listIcalTokens: PagedCall<ListIcalTokensRequest, ListedIcalTokenPage>
  /**
   * Create a subscription address for the caller’s calendar.
   *
   * The address contains a secret token and is shown only in this answer. Anyone who has the address can read the calendar, as long as the user is active and holds a valid key with `calendar:read`.
   *
   * Needs the scopes `calendar:write` and `calendar:read`.
   */
  createIcalToken: Call<Record<never, never>, IcalToken>
  /**
   * Revoke a subscription.
   *
   * Needs the scope `calendar:write`.
   */
  revokeIcalToken: Call<RevokeIcalTokenRequest, RevokedIcalToken>
  /**
   * List the caller’s external calendars, newest first.
   *
   * Needs the scope `calendar:read`.
   */
  listSyncAccounts: PagedCall<ListSyncAccountsRequest, SyncAccountPage>
  /**
   * Connect an external calendar.
   *
   * Checks the credentials with the server and stores them encrypted. The address must be public and use https, unless the deployment allows others. Events are pushed to the calendar at the address; if the address is no calendar, to the first calendar of the account; if it has none, to a new one.
   *
   * Needs the scope `calendar:write`.
   */
  createSyncAccount: Call<CreateSyncAccountRequest, SyncAccount>
  /**
   * Disconnect an external calendar.
   *
   * Deletes the stored credentials. Events that were pushed stay in the external calendar.
   *
   * Needs the scope `calendar:write`.
   */
  deleteSyncAccount: Call<DeleteSyncAccountRequest, undefined>
  /**
   * Push an event to the caller’s external calendar.
   *
   * Pushes to the calendar that was connected last. Pushing an event again replaces the external event. Deleting an event removes it there within two minutes; if that server is down, it is asked again for 30 days.
   *
   * Needs the scope `calendar:write`.
   */
  pushEvent: Call<PushEventRequest, PushedEvent>
  /**
   * Get the status of the caller’s external calendars.
   *
   * Needs the scope `calendar:read`.
   */
  getSyncStatus: Call<Record<never, never>, SyncStatus>
  /**
   * List events and deadlines by start.
   *
   * Lists every event and deadline that overlaps the range. `from` and `to` are both inclusive and optional; a date means that day in the time zone of the workspace. A deadline starts and ends when it is due.
   *
   * Needs one of the scopes `calendar:read`, `deadlines:read`.
   */
  listEvents: ChangesCall<ListEventsRequest, ListCalendarEventsAnswer>
  /**
   * Create an event.
   *
   * An event must not overlap another timed event of one of its attendees, unless `allow_conflict` is true. Events that only touch do not overlap, and all-day events and deadlines block nobody. An event without attendees belongs to the caller.
   *
   * An all-day event lasts at most 366 days. For a timed event, the number of attendees times the number of days is at most 72: one person for 72 days, or 50 people for one day.
   *
   * Needs one of the scopes `calendar:write`, `deadlines:write`.
   */
  createEvent: TaggedCall<CreateEventRequest, CalendarEvent>
  /**
   * Get an event or a deadline.
   *
   * Needs one of the scopes `calendar:read`, `deadlines:read`.
   */
  getEvent: TaggedCall<GetEventRequest, CalendarEvent>
  /**
   * Change an event.
   *
   * Changes only the fields in the body; `null` clears an optional field.
   *
   * Needs one of the scopes `calendar:write`, `deadlines:write`.
   */
  updateEvent: TaggedCall<UpdateEventRequest, CalendarEvent>
  /**
   * Delete an event.
   *
   * Needs one of the scopes `calendar:write`, `deadlines:write`.
   */
  deleteEvent: Call<DeleteEventRequest, undefined>
  /**
   * Receive a mail from the mail service.
   *
   * For routes of Mailgun. 200 means that the mail is stored; it is read and judged afterwards. The same call again gets the same answer.
   *
   * Needs no API key, but the form fields `timestamp`, `token`, `signature`: the lower-case hexadecimal HMAC-SHA256 of `timestamp` (seconds) and `token` under the mail signing key of the deployment. It is valid for five minutes, and for one content only.
   */
  receiveMail: Call<ReceiveMailRequest, ReceivedMail>
  /**
   * List your drafts that are not sent, newest first.
   *
   * Needs the scope `inbox:write`.
   */
  listDrafts: PagedCall<ListDraftsRequest, DraftSummaryPage>
  /**
   * Create a draft.
   *
   * All fields are optional. A draft belongs to the user of the key. Documents need the scope `documents:read` besides. At most 50 recipients over `to`, `cc` and `bcc`. Attachments have at most 6 MiB together; `attachments_as: "links"` sends addresses instead, which are valid for 30 days and have no such limit.
   *
   * Needs the scope `inbox:write`.
   */
  createDraft: TaggedCall<CreateDraftRequest, Draft>
  /**
   * Get a draft.
   *
   * Needs the scope `inbox:write`.
   */
  getDraft: TaggedCall<GetDraftRequest, Draft>
  /**
   * Change a draft.
   *
   * Changes only the fields in the body; `null` clears a field. A draft whose send failed becomes `draft` again, and its next send is a new mail.
   *
   * Needs the scope `inbox:write`.
   */
  updateDraft: TaggedCall<UpdateDraftRequest, Draft>
  /**
   * Delete a draft.
   *
   * Needs the scope `inbox:write`.
   */
  deleteDraft: Call<DeleteDraftRequest, undefined>
  /**
   * Send a draft.
   *
   * Sends the draft as it is stored, once: a second call answers the same. A lost answer is no reason for a second mail: repeat the same request. While the outcome is unknown it answers 409 `SEND_IN_PROGRESS`; without any sign of the mail provider for ten minutes, 502 `MAIL_NOT_SENT`.
   *
   * Needs the scope `inbox:write`.
   */
  sendDraft: Call<SendDraftRequest, SendResult>
  /**
   * Create a draft that forwards a mail.
   *
   * The draft has the attachments of the mail, for which it needs the scope `documents:read`. It has no recipient yet, and begins a new thread.
   *
   * Needs the scope `inbox:write`.
   */
  createForward: TaggedCall<CreateForwardRequest, Draft>
  /**
   * Create a draft that answers a mail.
   *
   * Goes to `Reply-To` or the sender; an answer to mail of yours goes to its recipients. `reply_all` adds the other recipients. Your office’s own addresses are left out. `warnings` says if `Reply-To` leads to another domain than the sender’s. A received mail without a sender cannot be answered (400); one that has just arrived answers 409 until it is read.
   *
   * Needs the scope `inbox:write`.
   */
  createReply: TaggedCall<CreateReplyRequest, Draft>
  /**
   * Send a mail.
   *
   * Accepts two forms of body. With `to_recipients` (and `cc_recipients`, `bcc_recipients`) `idempotency_key` is required and the answer is a `SendResult`; with `to` (and `cc`, `bcc`) it is a `SentCorrespondence`. The same key with the same content answers the same again for 30 days and sends no second mail. A lost answer is no reason for a second mail: repeat the same request. While the outcome is unknown it answers 409 `SEND_IN_PROGRESS`; without any sign of the mail provider for ten minutes, 502 `MAIL_NOT_SENT`. Documents need the scope `documents:read` besides. At most 50 recipients over `to`, `cc` and `bcc`. Attachments have at most 6 MiB together; `attachments_as: "links"` sends addresses instead, which are valid for 30 days and have no such limit.
   *
   * Needs the scope `inbox:write`.
   */
  sendMail: Call<SendMailRequest, SendResult | SentCorrespondence>
  /**
   * Get your signature.
   *
   * Empty if none is set. `PATCH /api/v1/users/{id}` sets it.
   *
   * Needs the scope `inbox:write`.
   */
  getSignature: Call<Record<never, never>, Signature>
  /**
   * List and search mail, newest first.
   *
   * Needs the scope `inbox:read`.
   */
  listCorrespondence: ChangesCall<ListCorrespondenceRequest, {
    /** The items of this page. */
    data: (CorrespondenceSummary | DeletedRecord)[]
    /** How to get the next page. */
    pagination: Pagination
    /** Only with `updated_since`: what to send as `updated_since` next time. */
    as_of?: string
  }>
  /**
   * Get a mail.
   *
   * `delivery` shows the outcome for each recipient, as far as the mail provider has reported it.
   *
   * Needs the scope `inbox:read`.
   */
  getCorrespondence: Call<GetCorrespondenceRequest, Correspondence>
  /**
   * Download the whole message of a mail.
   *
   * As it arrived, or as it was given to the mail provider: headers, bodies and attachments in the format of RFC 5322. In sent mail, asterisks replace the tokens of shared documents. The raw message of a mail with a magic link is not available.
   *
   * Needs the scope `inbox:read`.
   */
  getRawCorrespondence: Call<GetRawCorrespondenceRequest, Download>
  /**
   * List the links to documents in a mail, newest first.
   *
   * Lists the links that open at least one document now. A link ends after 30 days, when it is deleted, or when its mail is moved to another case. It no longer opens a document that was deleted or moved out of its case.
   *
   * Needs the scope `inbox:read`.
   */
  listMailLinks: PagedCall<ListMailLinksRequest, SharedLinkPage>
  /**
   * End a link to documents in a mail.
   *
   * Its address stops working. The timeline of the mail’s case gets an entry.
   *
   * Needs the scope `inbox:write`.
   */
  deleteMailLink: Call<DeleteMailLinkRequest, undefined>
  /**
   * List the connected beA postboxes.
   *
   * Needs the scope `bea:read`.
   */
  listBeaAccounts: PagedCall<ListBeaAccountsRequest, BeaAccountPage>
  /**
   * Connect a beA postbox.
   *
   * The service logs in once, and out again. It stores the key encrypted, and does not store the passphrase. A certificate without its key connects the postbox of a card, which logs in by local-login; its SAFE-ID is known after the first login. A postbox that was connected before continues under its old id, with its messages.
   *
   * Needs the scope `bea:admin`.
   */
  connectBeaAccount: Call<ConnectBeaAccountRequest, BeaAccount>
  /**
   * Connect the postbox of an office.
   *
   * The postbox must be visible to the login of another account. It has no login of its own and uses the session of that account. Only the user who connected that account may connect the postbox, since this user then has all rights to it.
   *
   * Needs the scope `bea:admin`.
   */
  connectBeaKanzlei: Call<ConnectBeaKanzleiRequest, BeaAccount>
  /**
   * Connect a beA postbox with a certificate file.
   *
   * The file is `certificate` or `file`. The service logs in once, and out again. It stores the key encrypted, and does not store the passphrase. A certificate without its key connects the postbox of a card, which logs in by local-login; its SAFE-ID is known after the first login. A postbox that was connected before continues under its old id, with its messages.
   *
   * Needs the scope `bea:admin`.
   */
  uploadBeaAccount: Call<UploadBeaAccountRequest, BeaAccount>
  /**
   * Get a beA postbox.
   *
   * Needs the scope `bea:read`.
   */
  getBeaAccount: Call<GetBeaAccountRequest, BeaAccount>
  /**
   * Disconnect a beA postbox.
   *
   * Ends its session and deletes its key. Its messages, drafts and the rights to them stay.
   *
   * Needs the scope `bea:admin`.
   */
  disconnectBeaAccount: Call<DisconnectBeaAccountRequest, undefined>
  /**
   * List the postboxes that a beA login sees.
   *
   * Needs a session.
   *
   * Needs the scope `bea:read`.
   */
  listAdministeredBeaPostboxes: PagedCall<ListAdministeredBeaPostboxesRequest, BeaPostboxPage>
  /**
   * Store the settings for electronic dunning (EDA-Mahn).
   *
   * The body `null` clears the settings.
   *
   * Needs the scope `bea:admin`.
   */
  updateBeaEdaMahn: Call<UpdateBeaEdaMahnRequest, BeaAccount>
  /**
   * List the folders of a beA postbox.
   *
   * Needs a session and the right 01.
   *
   * Needs the scope `bea:read`.
   */
  listBeaFolders: PagedCall<ListBeaFoldersRequest, BeaFolderPage>
  /**
   * List the rights at a beA postbox.
   *
   * Lists the rights of users of the workspace (`local`), and the rights in the network as far as the gateway reports them (`network`). Needs a session.
   *
   * Needs the scope `bea:read`.
   */
  listBeaPermissions: PagedCall<ListBeaPermissionsRequest, BeaPermissionEntryPage>
  /**
   * Get the session of a beA postbox.
   *
   * The answer is the stored state: the gateway may have ended the session in the meantime.
   *
   * Needs the scope `bea:read`.
   */
  getBeaSession: Call<GetBeaSessionRequest, BeaSession>
  /**
   * Synchronise an account with the beA network.
   *
   * The work is done in the background; `last_sync` of the account shows the result. If a synchronisation is already running, the answer shows it. Needs a session. Accounts whose certificate is stored are also synchronised every 15 minutes.
   *
   * Needs the scope `bea:write`.
   */
  syncBeaAccount: Call<SyncBeaAccountRequest, BeaRunningSync>
  /**
   * Log in to beA with a card.
   *
   * Three calls: `{account_id}` gives challenges to sign, `{login_id, signatures}` gives keys to decrypt, `{login_id, keys}` gives the session. Each step can be done once, by the user who began, within five minutes. After an error, begin again.
   *
   * Needs the scope `bea:write`.
   */
  logInToBeaLocally: Call<LogInToBeaLocallyRequest, BeaLocalLogin>
  /**
   * Log in to beA.
   *
   * Opens a session with the stored key; a session that is alive goes on. It ends 30 minutes after its last use. A Kanzlei postbox uses the session of its login account.
   *
   * Needs the scope `bea:write`.
   */
  logInToBea: Call<LogInToBeaRequest, BeaSession>
  /**
   * Log out of beA.
   *
   * The service deletes its session in any case, even if the gateway does not answer.
   *
   * Needs the scope `bea:write`.
   */
  logOutOfBea: Call<LogOutOfBeaRequest, undefined>
  /**
   * Search the beA directory.
   *
   * Needs a session, and the right 03 of its account. Gives at most 200 entries: give a name and a city to find fewer.
   *
   * Needs the scope `bea:read`.
   */
  searchBeaDirectory: Call<SearchBeaDirectoryRequest, BeaDirectoryResults>
  /**
   * List beA drafts, newest first.
   *
   * Lists the drafts, sent ones too, of the accounts at which you have right 03, without their bodies. Those of an account that was disconnected can be read, and no more.
   *
   * Needs the scope `bea:write`.
   */
  listBeaDrafts: PagedCall<ListBeaDraftsRequest, BeaDraftSummaryPage>
  /**
   * Create a beA draft.
   *
   * Only `account_id` is required. Documents need the scope `documents:read` besides. Drafts belong to the workspace; working with a draft needs right 03 of its account.
   *
   * Needs the scope `bea:write`.
   */
  createBeaDraft: TaggedCall<CreateBeaDraftRequest, BeaDraft>
  /**
   * Get a beA draft.
   *
   * Needs the scope `bea:write`.
   */
  getBeaDraft: TaggedCall<GetBeaDraftRequest, BeaDraft>
  /**
   * Save a beA draft.
   *
   * Changes only the fields in the body; `null` clears. A draft whose send failed becomes `draft` again. Documents need the scope `documents:read` besides.
   *
   * Needs the scope `bea:write`.
   */
  saveBeaDraft: TaggedCall<SaveBeaDraftRequest, BeaDraft>
  /**
   * Delete a beA draft.
   *
   * Needs the scope `bea:write`.
   */
  deleteBeaDraft: Call<DeleteBeaDraftRequest, undefined>
  /**
   * Set the outcome of a beA draft whose outcome is unknown.
   *
   * For a person who has looked into the postbox: `sent`, or `not_sent`, after which it may be sent again. Needs right 05. The timeline of the case records the user who decided.
   *
   * Needs the scope `bea:write`.
   */
  resolveBeaDraft: Call<ResolveBeaDraftRequest, BeaDraft>
  /**
   * Send a beA draft.
   *
   * Needs right 05, a session and, for documents, the scope `documents:read`. Checks everything first: 422 names all faults. Then the draft is `sending`, with its present content and files, and is sent once in the background. Read the draft to learn the outcome: `sent`, `failed` (it may be changed and sent again), or `unknown`: the answer of the network was lost. The service looks for the message in the postbox within 15 minutes and never sends it again by itself. It becomes `failed` only if every message in the postbox is certainly another one. `similar_messages` are the messages that may be this one.
   *
   * Needs the scope `bea:write`.
   */
  sendBeaDraft: Call<SendBeaDraftRequest, BeaDraft>
  /**
   * List and search beA messages, newest first.
   *
   * Lists the messages of accounts at which you have the right 01. Reading needs the right 06, for a confidential message 11. Without it a message shows only sender, date and size, and is not found by `search`, case or `unassigned`.
   *
   * Needs the scope `bea:read`.
   */
  listBeaMessages: PagedCall<ListBeaMessagesRequest, BeaMessagePage>
  /**
   * Get a beA message.
   *
   * Needs the scope `bea:read`.
   */
  getBeaMessage: Call<GetBeaMessageRequest, BeaMessage>
  /**
   * File a beA message in a case or with a party.
   *
   * Changes only the fields in the body; `null` clears. The attachments become documents of the case, once. If the message is filed elsewhere later, they follow, unless somebody has filed them elsewhere. Needs the right 08, for a confidential message 11 too. The attachments of a confidential message do not become documents, since everybody in the office can read documents.
   *
   * Needs the scope `bea:write`.
   */
  assignBeaMessage: Call<AssignBeaMessageRequest, BeaMessage>
  /**
   * List the attachments of a beA message.
   *
   * Needs the scope `bea:read`.
   */
  listBeaAttachments: PagedCall<ListBeaAttachmentsRequest, BeaAttachmentPage>
  /**
   * Download an attachment of a beA message.
   *
   * Needs the scope `bea:read`.
   */
  downloadBeaAttachment: Call<DownloadBeaAttachmentRequest, Download>
  /**
   * Give or refuse an electronic receipt (eEB).
   *
   * A declaration with legal effect: deadlines run from the day that it states. So it must name the deadline that was entered in the case of the message, or say why there is none. It is sent once, in the background; the message shows the outcome. Needs the rights 13 and 14, the right to read the message (06, for a confidential one 11), and a session.
   *
   * Needs the scope `bea:write`.
   */
  answerBeaEeb: Call<AnswerBeaEebRequest, BeaEeb>
  /**
   * Set the outcome of an electronic receipt whose outcome is unknown.
   *
   * As for a draft. After `not_sent` the receipt may be given again. Needs the rights 13 and 14, and the right to read the message.
   *
   * Needs the scope `bea:write`.
   */
  resolveBeaEeb: Call<ResolveBeaEebRequest, BeaEeb>
  /**
   * Give a user rights at a beA postbox.
   *
   * These rights apply only in this service, in addition to the rights that the user has; the network does not know them. The user who connected the postbox has all rights. 07 includes 06, 06 includes 01, 12 includes 11. Users cannot give rights to themselves: 403.
   *
   * Needs the scope `bea:admin`.
   */
  grantBeaPermission: Call<GrantBeaPermissionRequest, BeaPermission>
  /**
   * Take rights at a beA postbox back.
   *
   * Without `rights`, takes back all rights that the user was given here.
   *
   * Needs the scope `bea:admin`.
   */
  revokeBeaPermission: Call<RevokeBeaPermissionRequest, undefined>
  /**
   * View documents that were sent as links.
   *
   * A page in German or English with the documents of a mail. Viewing it is not recorded.
   *
   * Needs no API key, but the path parameter `token`: the token of the address in the mail, valid for 30 days.
   */
  getSharedPage: Call<GetSharedPageRequest, string>
  /**
   * Download a document that was sent as a link.
   *
   * Each download is recorded in the timeline of the case.
   *
   * Needs no API key, but the path parameter `token`: the token of the address in the mail, valid for 30 days.
   */
  downloadSharedDocument: Call<DownloadSharedDocumentRequest, Download>
  /**
   * List envelopes, newest first.
   *
   * Needs the scope `documents:read`.
   */
  listEnvelopes: PagedCall<ListEnvelopesRequest, EnvelopePage>
  /**
   * Get an envelope.
   *
   * Needs the scope `documents:read`.
   */
  getEnvelope: TaggedCall<GetEnvelopeRequest, Envelope>
  /**
   * Change an envelope.
   *
   * Changes only the fields in the body; `null` resets a field to its default. Of a sent envelope only `expires_at` and `reminders` can be changed.
   *
   * Needs the scope `documents:write`.
   */
  updateEnvelope: TaggedCall<UpdateEnvelopeRequest, Envelope>
  /**
   * Get the audit trail of an envelope, oldest entry first.
   *
   * A hash chain: each entry has the SHA-256 of its canonical JSON (RFC 8785, without `hash`) and names the hash of the entry before.
   *
   * Needs the scope `documents:read`.
   */
  getEnvelopeAudit: PagedCall<GetEnvelopeAuditRequest, EnvelopeAudit>
  /**
   * Remind the signers whose turn it is.
   *
   * Each of them gets a new link by mail; the previous link stops working.
   *
   * Needs the scope `documents:write`.
   */
  remindSigners: Call<RemindSignersRequest, Envelope>
  /**
   * Send a draft envelope.
   *
   * Each signer is mailed a link when it is their turn. With `send_emails: false` nobody is mailed: get the links one by one with `…/signers/{signer_id}/link`. An envelope that was sent stays as it is.
   *
   * Needs the scope `documents:write`.
   */
  sendEnvelope: Call<SendEnvelopeRequest, Envelope>
  /**
   * Add signers to a draft envelope.
   *
   * Needs the scope `documents:write`.
   */
  addEnvelopeSigners: Call<AddEnvelopeSignersRequest, Envelope>
  /**
   * Remove a signer from a draft envelope.
   *
   * Needs the scope `documents:write`.
   */
  removeEnvelopeSigner: Call<RemoveEnvelopeSignerRequest, undefined>
  /**
   * Make a new link for a signer.
   *
   * For signing in the office, or for your own mail. Anyone who has the link can read the documents and sign. It is shown only in this answer, and the previous link stops working.
   *
   * Needs the scopes `documents:write` and `documents:read`.
   */
  createSigningLink: Call<CreateSigningLinkRequest, EnvelopeSignerLink>
  /**
   * Void a sent envelope.
   *
   * Its links stop working at once. Nobody gets a mail.
   *
   * Needs the scope `documents:write`.
   */
  voidEnvelope: Call<VoidEnvelopeRequest, Envelope>
  /**
   * Make a draft envelope of documents.
   *
   * It has no signers yet: add them, then send it. A document belongs to the case, or to no case and is then assigned to it. Exactly its present bytes are signed. At most 20 documents, 50 MiB together.
   *
   * Needs the scope `documents:write`.
   */
  promoteToEnvelope: TaggedCall<PromoteToEnvelopeRequest, Envelope>
  /**
   * Verify a sealed file.
   *
   * The service knows only the digests of sealed files, not of the originals.
   *
   * Needs no key.
   */
  verifySealedFile: Call<VerifySealedFileRequest, Verification>
  /**
   * View the documents to sign.
   *
   * A page in German or English. Looking at it changes nothing. With an access code it shows the form for the code alone. Completed: the sealed copies for 30 days.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  getSignerPage: Call<GetSignerPageRequest, string>
  /**
   * Redirect from the address of the access form to the signing page.
   *
   * For somebody who enters the address of a form by hand, or reloads it. It neither changes nor reads anything: the page says whether the link is valid.
   *
   * Needs no key.
   */
  leaveAccessForm: Call<LeaveAccessFormRequest, Redirect>
  /**
   * Enter the access code of a magic link.
   *
   * Five wrong codes lock the link until the office creates a new one. A correct code is remembered in a cookie.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  enterAccessCode: Call<EnterAccessCodeRequest, Redirect>
  /**
   * Read a sealed copy.
   *
   * Available for 30 days after the completion.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  readSealedCopy: Call<ReadSealedCopyRequest, Download>
  /**
   * Redirect from the address of the decline form to the signing page.
   *
   * For somebody who enters the address of a form by hand, or reloads it. It neither changes nor reads anything: the page says whether the link is valid.
   *
   * Needs no key.
   */
  leaveDeclineForm: Call<LeaveDeclineFormRequest, Redirect>
  /**
   * Decline to sign an envelope.
   *
   * It ends the envelope for everybody. The signer does not have to open the documents first.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  declineEnvelope: Call<DeclineEnvelopeRequest, Redirect>
  /**
   * Read a document that is to be signed.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  readDocumentToSign: Call<ReadDocumentToSignRequest, Download>
  /**
   * Redirect from the address of the open form to the signing page.
   *
   * For somebody who enters the address of a form by hand, or reloads it. It neither changes nor reads anything: the page says whether the link is valid.
   *
   * Needs no key.
   */
  leaveOpenForm: Call<LeaveOpenFormRequest, Redirect>
  /**
   * Open the documents of an envelope.
   *
   * The first signer who opens them makes the envelope `in_progress`. Opening them again changes nothing.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  openForSigning: Call<OpenForSigningRequest, Redirect>
  /**
   * Redirect from the address of the sign form to the signing page.
   *
   * For somebody who enters the address of a form by hand, or reloads it. It neither changes nor reads anything: the page says whether the link is valid.
   *
   * Needs no key.
   */
  leaveSignForm: Call<LeaveSignFormRequest, Redirect>
  /**
   * Sign an envelope.
   *
   * The typed name is the signature; a drawn one is optional. After the last signature the documents are sealed.
   *
   * Needs no API key, but the path parameter `token`: the token of the magic link: of one signer of one envelope, until the envelope ends.
   */
  signEnvelope: Call<SignEnvelopeRequest, Redirect>
  /**
   * View the page that verifies sealed files.
   *
   * The browser computes the digest of a file; the file never leaves the machine.
   *
   * Needs no key.
   */
  getVerifyPage: Call<GetVerifyPageRequest, string>
  /**
   * List export configurations, newest first.
   *
   * Needs the scope `reports:read`.
   */
  listExportConfigs: PagedCall<ListExportConfigsRequest, ExportConfigPage>
  /**
   * Create an export configuration.
   *
   * Needs the scope `reports:write`.
   */
  createExportConfig: TaggedCall<CreateExportConfigRequest, ExportConfig>
  /**
   * Get an export configuration.
   *
   * Needs the scope `reports:read`.
   */
  getExportConfig: TaggedCall<GetExportConfigRequest, ExportConfig>
  /**
   * Change an export configuration.
   *
   * Changes only the fields in the body. Filters and columns must fit the source, also the stored ones: send them again with a new `source`.
   *
   * Needs the scope `reports:write`.
   */
  updateExportConfig: TaggedCall<UpdateExportConfigRequest, ExportConfig>
  /**
   * Delete an export configuration.
   *
   * Its tokens stop working, and its runs are removed.
   *
   * Needs the scope `reports:write`.
   */
  deleteExportConfig: Call<DeleteExportConfigRequest, undefined>
  /**
   * Execute an export.
   *
   * The answer is a file in the format of the configuration, of any size. JSON is `{"data":[…],"meta":{"config_id","executed_at","row_count"}}` with the rows by field. If the export fails in the middle, the connection ends before the end of the answer: such a file is not complete.
   *
   * Needs the scope `reports:read`.
   */
  executeExport: Call<ExecuteExportRequest, Download>
  /**
   * Make a token for retrieving an export.
   *
   * Another system retrieves the export with it, without an API key. It is shown only in this answer. It works as long as the user who created it is active and holds a valid key with `reports:read`.
   *
   * Needs the scopes `reports:write` and `reports:read`.
   */
  generateExportToken: Call<GenerateExportTokenRequest, CreatedExportToken>
  /**
   * Look at the first ten rows of an export.
   *
   * Always as JSON. It does not count as an execution.
   *
   * Needs the scope `reports:read`.
   */
  previewExport: Call<PreviewExportRequest, ExportPreview>
  /**
   * Retrieve an export with a token.
   *
   * Without an API key. The answer is a file in the format of the configuration, of any size. JSON is `{"data":[…],"meta":{"config_id","executed_at","row_count"}}` with the rows by field. If the export fails in the middle, the connection ends before the end of the answer: such a file is not complete.
   *
   * Needs no API key, but the query parameter `token`: a token of the configuration, from `generate-token`.
   */
  retrieveExport: Call<RetrieveExportRequest, Download>
  /**
   * List the runs of a schedule, newest first.
   *
   * The newest 30 are kept, with their files.
   *
   * Needs the scope `reports:read`.
   */
  listExportRuns: PagedCall<ListExportRunsRequest, ExportRunPage>
  /**
   * Download the file of a scheduled run.
   *
   * Needs the scope `reports:read`.
   */
  downloadExportRun: Call<DownloadExportRunRequest, Download>
  /**
   * List the tokens of an export, newest first.
   *
   * Needs the scope `reports:write`.
   */
  listExportTokens: PagedCall<ListExportTokensRequest, ExportTokenPage>
  /**
   * End a token at once.
   *
   * Needs the scope `reports:write`.
   */
  revokeExportToken: Call<RevokeExportTokenRequest, undefined>
  /**
   * List the sources that can be exported.
   *
   * Each source with its fields, in the order of the default columns, and the names of its filters.
   *
   * Needs the scope `reports:read`.
   */
  listExportSources: PagedCall<ListExportSourcesRequest, ExportSourcePage>
  /**
   * List API keys, newest first.
   *
   * Needs the scope `workspace:admin`.
   */
  listApiKeys: PagedCall<ListApiKeysRequest, ApiKeyPage>
  /**
   * Create an API key for a user.
   *
   * The key is shown only in this answer.
   *
   * Needs the scope `workspace:admin`.
   */
  createApiKey: Call<CreateApiKeyRequest, CreatedApiKey>
  /**
   * Revoke an API key.
   *
   * Needs the scope `workspace:admin`.
   */
  deleteApiKey: Call<DeleteApiKeyRequest, undefined>
  /**
   * Get the owner of this API key.
   *
   * The user, the workspace and the key itself, with its scopes.
   *
   * Any valid key will do.
   */
  getMe: Call<Record<never, never>, Me>
  /**
   * List users, newest first.
   *
   * Any valid key will do.
   */
  listUsers: PagedCall<ListUsersRequest, UserPage>
  /**
   * Create a user.
   *
   * Needs the scope `workspace:admin`.
   */
  createUser: Call<CreateUserRequest, User>
  /**
   * Get a user.
   *
   * Any valid key will do.
   */
  getUser: Call<GetUserRequest, User>
  /**
   * Change a user.
   *
   * The keys of a deactivated user stop working immediately.
   *
   * Needs the scope `workspace:admin`.
   */
  updateUser: Call<UpdateUserRequest, User>
  /**
   * Get the workspace.
   *
   * Needs the scope `workspace:admin`.
   */
  getWorkspace: Call<Record<never, never>, Workspace>
  /**
   * Change the workspace.
   *
   * Changes only the fields in the body, also of `seller` (the firm on its invoices) and `datev` (the numbers under which DATEV books them); `null` clears.
   *
   * Needs the scope `workspace:admin`.
   */
  updateWorkspace: Call<UpdateWorkspaceRequest, Workspace>
  /**
   * Get the token of the ingestion webhook.
   *
   * Needs the scope `workspace:admin`.
   */
  getWebhooks: Call<Record<never, never>, WebhookSettings>
  /**
   * Replace the token of the ingestion webhook.
   *
   * Once this request is answered, the old token is invalid.
   *
   * Needs the scope `workspace:admin`.
   */
  rotateWebhookToken: Call<Record<never, never>, WebhookSettings>
  /**
   * Go to the documentation page.
   *
   * Needs no key.
   */
  openDocs: Call<Record<never, never>, Redirect>
  /**
   * Check that the service and its database respond.
   *
   * Needs no key.
   */
  getHealth: Call<Record<never, never>, Health>
  /**
   * Get the OpenAPI document.
   *
   * Describes every endpoint in OpenAPI 3.1, for client generators and other tools.
   *
   * Needs no key.
   */
  getOpenApiDocument: TaggedCall<GetOpenApiDocumentRequest, OpenApiDocument>
  /**
   * Get the documentation page.
   *
   * A page that shows the OpenAPI document and can send requests.
   *
   * Needs no key.
   */
  getDocsPage: Call<Record<never, never>, string>
  /**
   * Get the script of the documentation page.
   *
   * Needs no key.
   */
  getDocsScript: TaggedCall<GetDocsScriptRequest, string>
}

/**
 * @example
 * const aktenlage = createClient({ baseUrl: 'https://api.example.de', apiKey: 'ak_…' })
 * const opened = await aktenlage.createCase({ body: { name: 'Meier ./. Schulze' } })
 * for await (const summary of aktenlage.listCases.all({ query: { status: 'active' } })) console.log(summary.name)
 */
export function createClient(options: ClientOptions): Client {
  return {
    listCases: methodOf(options, 'GET', '/api/v1/cases'),
    createCase: methodOf(options, 'POST', '/api/v1/cases'),
    getCase: methodOf(options, 'GET', '/api/v1/cases/{id}'),
    updateCase: methodOf(options, 'PUT', '/api/v1/cases/{id}'),
    deleteCase: methodOf(options, 'DELETE', '/api/v1/cases/{id}'),
    listCaseLinks: methodOf(options, 'GET', '/api/v1/cases/{id}/links'),
    createCaseLink: methodOf(options, 'POST', '/api/v1/cases/{id}/links'),
    deleteCaseLink: methodOf(options, 'DELETE', '/api/v1/cases/{id}/links/{link_id}'),
    listCaseParties: methodOf(options, 'GET', '/api/v1/cases/{id}/parties'),
    addCaseParties: methodOf(options, 'POST', '/api/v1/cases/{id}/parties'),
    replaceCaseParties: methodOf(options, 'PUT', '/api/v1/cases/{id}/parties'),
    listSignedDocuments: methodOf(options, 'GET', '/api/v1/cases/{id}/signed-documents'),
    createEnvelope: methodOf(options, 'POST', '/api/v1/cases/{id}/signing-envelopes'),
    listCaseStaff: methodOf(options, 'GET', '/api/v1/cases/{id}/staff'),
    addCaseStaff: methodOf(options, 'POST', '/api/v1/cases/{id}/staff'),
    removeCaseStaff: methodOf(options, 'DELETE', '/api/v1/cases/{id}/staff'),
    getCaseTimeline: methodOf(options, 'GET', '/api/v1/cases/{id}/timeline'),
    listDocuments: methodOf(options, 'GET', '/api/v1/documents'),
    uploadDocument: methodOf(options, 'POST', '/api/v1/documents'),
    bulkAssignDocuments: methodOf(options, 'POST', '/api/v1/documents/bulk-assign'),
    announceUpload: methodOf(options, 'POST', '/api/v1/documents/uploads'),
    getDocument: methodOf(options, 'GET', '/api/v1/documents/{id}'),
    updateDocument: methodOf(options, 'PATCH', '/api/v1/documents/{id}'),
    deleteDocument: methodOf(options, 'DELETE', '/api/v1/documents/{id}'),
    assignDocument: methodOf(options, 'POST', '/api/v1/documents/{id}/assign'),
    completeUpload: methodOf(options, 'POST', '/api/v1/documents/{id}/complete'),
    downloadDocument: methodOf(options, 'GET', '/api/v1/documents/{id}/download', { answers: 'file' }),
    extractDocument: methodOf(options, 'POST', '/api/v1/documents/{id}/extract'),
    listDocumentParties: methodOf(options, 'GET', '/api/v1/documents/{id}/parties'),
    listDocumentLinks: methodOf(options, 'GET', '/api/v1/documents/{id}/shared-links'),
    deleteDocumentLink: methodOf(options, 'DELETE', '/api/v1/documents/{id}/shared-links/{link_id}'),
    listFolders: methodOf(options, 'GET', '/api/v1/folders'),
    createFolder: methodOf(options, 'POST', '/api/v1/folders'),
    updateFolder: methodOf(options, 'PATCH', '/api/v1/folders/{id}'),
    deleteFolder: methodOf(options, 'DELETE', '/api/v1/folders/{id}'),
    listInbox: methodOf(options, 'GET', '/api/v1/inbox'),
    listRelated: methodOf(options, 'GET', '/api/v1/inbox/document/{document_id}/related'),
    uploadToInbox: methodOf(options, 'POST', '/api/v1/inbox/upload'),
    dismissInboxItem: methodOf(options, 'POST', '/api/v1/inbox/{id}/dismiss'),
    fileInboxItem: methodOf(options, 'POST', '/api/v1/inbox/{id}/file'),
    reopenInboxItem: methodOf(options, 'POST', '/api/v1/inbox/{id}/reopen'),
    announcePushedUpload: methodOf(options, 'POST', '/api/v1/webhooks/inbox/uploads', { isPublic: true }),
    completePushedUpload: methodOf(options, 'POST', '/api/v1/webhooks/inbox/uploads/{document_id}/complete', { isPublic: true }),
    pushDocument: methodOf(options, 'POST', '/webhooks/inbox/{tenant_id}', { isPublic: true }),
    checkConflicts: methodOf(options, 'POST', '/api/v1/conflict-check'),
    listParties: methodOf(options, 'GET', '/api/v1/parties'),
    createParty: methodOf(options, 'POST', '/api/v1/parties'),
    getParty: methodOf(options, 'GET', '/api/v1/parties/{id}'),
    updateParty: methodOf(options, 'PUT', '/api/v1/parties/{id}'),
    deleteParty: methodOf(options, 'DELETE', '/api/v1/parties/{id}'),
    listPartyCases: methodOf(options, 'GET', '/api/v1/parties/{id}/cases'),
    listInvoices: methodOf(options, 'GET', '/api/v1/invoices'),
    createInvoice: methodOf(options, 'POST', '/api/v1/invoices'),
    getInvoice: methodOf(options, 'GET', '/api/v1/invoices/{id}'),
    updateInvoice: methodOf(options, 'PATCH', '/api/v1/invoices/{id}'),
    deleteInvoice: methodOf(options, 'DELETE', '/api/v1/invoices/{id}'),
    cancelInvoice: methodOf(options, 'POST', '/api/v1/invoices/{id}/cancel'),
    issueInvoice: methodOf(options, 'POST', '/api/v1/invoices/{id}/issue'),
    payInvoice: methodOf(options, 'POST', '/api/v1/invoices/{id}/pay'),
    getInvoiceXrechnung: methodOf(options, 'GET', '/api/v1/invoices/{id}/xrechnung', { answers: 'text' }),
    listTimeEntries: methodOf(options, 'GET', '/api/v1/time-entries'),
    createTimeEntry: methodOf(options, 'POST', '/api/v1/time-entries'),
    getTimeEntry: methodOf(options, 'GET', '/api/v1/time-entries/{id}'),
    updateTimeEntry: methodOf(options, 'PATCH', '/api/v1/time-entries/{id}'),
    deleteTimeEntry: methodOf(options, 'DELETE', '/api/v1/time-entries/{id}'),
    listDeadlines: methodOf(options, 'GET', '/api/v1/deadlines'),
    createDeadline: methodOf(options, 'POST', '/api/v1/deadlines'),
    calculateDeadline: methodOf(options, 'POST', '/api/v1/deadlines/calculate'),
    listDeadlinePresets: methodOf(options, 'GET', '/api/v1/deadlines/presets'),
    getDeadlineRegister: methodOf(options, 'GET', '/api/v1/deadlines/register'),
    signDeadlineRegister: methodOf(options, 'POST', '/api/v1/deadlines/register/{date}/sign'),
    listUnverifiedDeadlines: methodOf(options, 'GET', '/api/v1/deadlines/unverified'),
    getDeadline: methodOf(options, 'GET', '/api/v1/deadlines/{id}'),
    updateDeadline: methodOf(options, 'PATCH', '/api/v1/deadlines/{id}'),
    strikeDeadline: methodOf(options, 'DELETE', '/api/v1/deadlines/{id}'),
    getDeadlineChain: methodOf(options, 'GET', '/api/v1/deadlines/{id}/chain'),
    completeDeadline: methodOf(options, 'POST', '/api/v1/deadlines/{id}/complete'),
    delegateDeadline: methodOf(options, 'POST', '/api/v1/deadlines/{id}/delegate'),
    controlDeadlineExit: methodOf(options, 'POST', '/api/v1/deadlines/{id}/exit-control'),
    requestDeadlineExtension: methodOf(options, 'POST', '/api/v1/deadlines/{id}/extension'),
    grantDeadlineExtension: methodOf(options, 'POST', '/api/v1/deadlines/{id}/extension/grant'),
    refuseDeadlineExtension: methodOf(options, 'POST', '/api/v1/deadlines/{id}/extension/refuse'),
    getDeadlineHistory: methodOf(options, 'GET', '/api/v1/deadlines/{id}/history'),
    reopenDeadline: methodOf(options, 'POST', '/api/v1/deadlines/{id}/reopen'),
    verifyDeadline: methodOf(options, 'POST', '/api/v1/deadlines/{id}/verify'),
    findFreeBusy: methodOf(options, 'POST', '/api/v1/calendar/availability/freebusy'),
    findOpenSlots: methodOf(options, 'POST', '/api/v1/calendar/availability/open-slots'),
    listCalendarEvents: methodOf(options, 'GET', '/api/v1/calendar/events'),
    createCalendarEvent: methodOf(options, 'POST', '/api/v1/calendar/events'),
    getCalendarEvent: methodOf(options, 'GET', '/api/v1/calendar/events/{event_id}'),
    updateCalendarEvent: methodOf(options, 'PATCH', '/api/v1/calendar/events/{event_id}'),
    deleteCalendarEvent: methodOf(options, 'DELETE', '/api/v1/calendar/events/{event_id}'),
    getCalendarFeed: methodOf(options, 'GET', '/api/v1/calendar/feed.ics', { answers: 'text', isPublic: true }),
    listFristen: methodOf(options, 'GET', '/api/v1/calendar/fristen'),
    getFristChain: methodOf(options, 'GET', '/api/v1/calendar/fristen/{id}/chain'),
    verifyFrist: methodOf(options, 'POST', '/api/v1/calendar/fristen/{id}/verify'),
    listIcalTokens: methodOf(options, 'GET', '/api/v1/calendar/ical-tokens'),
    createIcalToken: methodOf(options, 'POST', '/api/v1/calendar/ical-tokens'),
    revokeIcalToken: methodOf(options, 'POST', '/api/v1/calendar/ical-tokens/{id}/revoke'),
    listSyncAccounts: methodOf(options, 'GET', '/api/v1/calendar/sync/accounts'),
    createSyncAccount: methodOf(options, 'POST', '/api/v1/calendar/sync/accounts'),
    deleteSyncAccount: methodOf(options, 'DELETE', '/api/v1/calendar/sync/accounts/{id}'),
    pushEvent: methodOf(options, 'POST', '/api/v1/calendar/sync/events/{id}/push'),
    getSyncStatus: methodOf(options, 'GET', '/api/v1/calendar/sync/status'),
    listEvents: methodOf(options, 'GET', '/api/v1/events'),
    createEvent: methodOf(options, 'POST', '/api/v1/events'),
    getEvent: methodOf(options, 'GET', '/api/v1/events/{id}'),
    updateEvent: methodOf(options, 'PATCH', '/api/v1/events/{id}'),
    deleteEvent: methodOf(options, 'DELETE', '/api/v1/events/{id}'),
    receiveMail: methodOf(options, 'POST', '/api/v1/email/inbound', { isPublic: true }),
    listDrafts: methodOf(options, 'GET', '/api/v1/email/outbound/drafts'),
    createDraft: methodOf(options, 'POST', '/api/v1/email/outbound/drafts'),
    getDraft: methodOf(options, 'GET', '/api/v1/email/outbound/drafts/{id}'),
    updateDraft: methodOf(options, 'PUT', '/api/v1/email/outbound/drafts/{id}'),
    deleteDraft: methodOf(options, 'DELETE', '/api/v1/email/outbound/drafts/{id}'),
    sendDraft: methodOf(options, 'POST', '/api/v1/email/outbound/drafts/{id}/send'),
    createForward: methodOf(options, 'POST', '/api/v1/email/outbound/forward-envelope'),
    createReply: methodOf(options, 'POST', '/api/v1/email/outbound/reply-envelope'),
    sendMail: methodOf(options, 'POST', '/api/v1/email/outbound/send'),
    getSignature: methodOf(options, 'GET', '/api/v1/email/outbound/signature'),
    listCorrespondence: methodOf(options, 'GET', '/api/v1/correspondence'),
    getCorrespondence: methodOf(options, 'GET', '/api/v1/correspondence/{id}'),
    getRawCorrespondence: methodOf(options, 'GET', '/api/v1/correspondence/{id}/raw', { answers: 'file' }),
    listMailLinks: methodOf(options, 'GET', '/api/v1/correspondence/{id}/shared-links'),
    deleteMailLink: methodOf(options, 'DELETE', '/api/v1/correspondence/{id}/shared-links/{link_id}'),
    listBeaAccounts: methodOf(options, 'GET', '/api/v1/bea/accounts'),
    connectBeaAccount: methodOf(options, 'POST', '/api/v1/bea/accounts'),
    connectBeaKanzlei: methodOf(options, 'POST', '/api/v1/bea/accounts/kanzlei'),
    uploadBeaAccount: methodOf(options, 'POST', '/api/v1/bea/accounts/upload'),
    getBeaAccount: methodOf(options, 'GET', '/api/v1/bea/accounts/{account_id}'),
    disconnectBeaAccount: methodOf(options, 'DELETE', '/api/v1/bea/accounts/{account_id}'),
    listAdministeredBeaPostboxes: methodOf(options, 'GET', '/api/v1/bea/accounts/{account_id}/administered-postboxes'),
    updateBeaEdaMahn: methodOf(options, 'PATCH', '/api/v1/bea/accounts/{account_id}/eda-mahn'),
    listBeaFolders: methodOf(options, 'GET', '/api/v1/bea/accounts/{account_id}/folders'),
    listBeaPermissions: methodOf(options, 'GET', '/api/v1/bea/accounts/{account_id}/permissions'),
    getBeaSession: methodOf(options, 'GET', '/api/v1/bea/accounts/{account_id}/session'),
    syncBeaAccount: methodOf(options, 'POST', '/api/v1/bea/accounts/{account_id}/sync'),
    logInToBeaLocally: methodOf(options, 'POST', '/api/v1/bea/auth/local-login'),
    logInToBea: methodOf(options, 'POST', '/api/v1/bea/auth/login'),
    logOutOfBea: methodOf(options, 'POST', '/api/v1/bea/auth/logout/{account_id}'),
    searchBeaDirectory: methodOf(options, 'GET', '/api/v1/bea/directory/search'),
    listBeaDrafts: methodOf(options, 'GET', '/api/v1/bea/drafts'),
    createBeaDraft: methodOf(options, 'POST', '/api/v1/bea/drafts'),
    getBeaDraft: methodOf(options, 'GET', '/api/v1/bea/drafts/{draft_id}'),
    saveBeaDraft: methodOf(options, 'PUT', '/api/v1/bea/drafts/{draft_id}'),
    deleteBeaDraft: methodOf(options, 'DELETE', '/api/v1/bea/drafts/{draft_id}'),
    resolveBeaDraft: methodOf(options, 'POST', '/api/v1/bea/drafts/{draft_id}/resolve'),
    sendBeaDraft: methodOf(options, 'POST', '/api/v1/bea/drafts/{draft_id}/send'),
    listBeaMessages: methodOf(options, 'GET', '/api/v1/bea/messages'),
    getBeaMessage: methodOf(options, 'GET', '/api/v1/bea/messages/{message_id}'),
    assignBeaMessage: methodOf(options, 'POST', '/api/v1/bea/messages/{message_id}/assign'),
    listBeaAttachments: methodOf(options, 'GET', '/api/v1/bea/messages/{message_id}/attachments'),
    downloadBeaAttachment: methodOf(options, 'GET', '/api/v1/bea/messages/{message_id}/attachments/{id}/download', { answers: 'file' }),
    answerBeaEeb: methodOf(options, 'POST', '/api/v1/bea/messages/{message_id}/eeb'),
    resolveBeaEeb: methodOf(options, 'POST', '/api/v1/bea/messages/{message_id}/eeb/resolve'),
    grantBeaPermission: methodOf(options, 'POST', '/api/v1/bea/permissions'),
    revokeBeaPermission: methodOf(options, 'DELETE', '/api/v1/bea/permissions'),
    getSharedPage: methodOf(options, 'GET', '/shared/{token}', { answers: 'text', isPublic: true }),
    downloadSharedDocument: methodOf(options, 'GET', '/shared/{token}/documents/{document_id}', { answers: 'file', isPublic: true }),
    listEnvelopes: methodOf(options, 'GET', '/api/v1/signing/envelopes'),
    getEnvelope: methodOf(options, 'GET', '/api/v1/signing/envelopes/{id}'),
    updateEnvelope: methodOf(options, 'PATCH', '/api/v1/signing/envelopes/{id}'),
    getEnvelopeAudit: methodOf(options, 'GET', '/api/v1/signing/envelopes/{id}/audit'),
    remindSigners: methodOf(options, 'POST', '/api/v1/signing/envelopes/{id}/remind'),
    sendEnvelope: methodOf(options, 'POST', '/api/v1/signing/envelopes/{id}/send'),
    addEnvelopeSigners: methodOf(options, 'POST', '/api/v1/signing/envelopes/{id}/signers'),
    removeEnvelopeSigner: methodOf(options, 'DELETE', '/api/v1/signing/envelopes/{id}/signers/{signer_id}'),
    createSigningLink: methodOf(options, 'POST', '/api/v1/signing/envelopes/{id}/signers/{signer_id}/link'),
    voidEnvelope: methodOf(options, 'POST', '/api/v1/signing/envelopes/{id}/void'),
    promoteToEnvelope: methodOf(options, 'POST', '/api/v1/signing/promote-to-envelope'),
    verifySealedFile: methodOf(options, 'POST', '/api/v1/signing/verify', { isPublic: true }),
    getSignerPage: methodOf(options, 'GET', '/sign/{token}', { answers: 'text', isPublic: true }),
    leaveAccessForm: methodOf(options, 'GET', '/sign/{token}/access', { answers: 'redirect', isPublic: true }),
    enterAccessCode: methodOf(options, 'POST', '/sign/{token}/access', { answers: 'redirect', isPublic: true }),
    readSealedCopy: methodOf(options, 'GET', '/sign/{token}/copies/{sigdoc_id}', { answers: 'file', isPublic: true }),
    leaveDeclineForm: methodOf(options, 'GET', '/sign/{token}/decline', { answers: 'redirect', isPublic: true }),
    declineEnvelope: methodOf(options, 'POST', '/sign/{token}/decline', { answers: 'redirect', isPublic: true }),
    readDocumentToSign: methodOf(options, 'GET', '/sign/{token}/documents/{sigdoc_id}', { answers: 'file', isPublic: true }),
    leaveOpenForm: methodOf(options, 'GET', '/sign/{token}/open', { answers: 'redirect', isPublic: true }),
    openForSigning: methodOf(options, 'POST', '/sign/{token}/open', { answers: 'redirect', isPublic: true }),
    leaveSignForm: methodOf(options, 'GET', '/sign/{token}/sign', { answers: 'redirect', isPublic: true }),
    signEnvelope: methodOf(options, 'POST', '/sign/{token}/sign', { answers: 'redirect', isPublic: true }),
    getVerifyPage: methodOf(options, 'GET', '/verify', { answers: 'text', isPublic: true }),
    listExportConfigs: methodOf(options, 'GET', '/api/v1/exports/configs'),
    createExportConfig: methodOf(options, 'POST', '/api/v1/exports/configs'),
    getExportConfig: methodOf(options, 'GET', '/api/v1/exports/configs/{id}'),
    updateExportConfig: methodOf(options, 'PUT', '/api/v1/exports/configs/{id}'),
    deleteExportConfig: methodOf(options, 'DELETE', '/api/v1/exports/configs/{id}'),
    executeExport: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/execute', { answers: 'file' }),
    generateExportToken: methodOf(options, 'POST', '/api/v1/exports/configs/{id}/generate-token'),
    previewExport: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/preview'),
    retrieveExport: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/retrieve', { answers: 'file', isPublic: true }),
    listExportRuns: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/runs'),
    downloadExportRun: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/runs/{run_id}/download', { answers: 'file' }),
    listExportTokens: methodOf(options, 'GET', '/api/v1/exports/configs/{id}/tokens'),
    revokeExportToken: methodOf(options, 'DELETE', '/api/v1/exports/configs/{id}/tokens/{token_id}'),
    listExportSources: methodOf(options, 'GET', '/api/v1/exports/sources'),
    listApiKeys: methodOf(options, 'GET', '/api/v1/api-keys'),
    createApiKey: methodOf(options, 'POST', '/api/v1/api-keys'),
    deleteApiKey: methodOf(options, 'DELETE', '/api/v1/api-keys/{id}'),
    getMe: methodOf(options, 'GET', '/api/v1/me'),
    listUsers: methodOf(options, 'GET', '/api/v1/users'),
    createUser: methodOf(options, 'POST', '/api/v1/users'),
    getUser: methodOf(options, 'GET', '/api/v1/users/{id}'),
    updateUser: methodOf(options, 'PATCH', '/api/v1/users/{id}'),
    getWorkspace: methodOf(options, 'GET', '/api/v1/workspace'),
    updateWorkspace: methodOf(options, 'PATCH', '/api/v1/workspace'),
    getWebhooks: methodOf(options, 'GET', '/api/v1/workspace/webhooks'),
    rotateWebhookToken: methodOf(options, 'POST', '/api/v1/workspace/webhooks/rotate'),
    openDocs: methodOf(options, 'GET', '/', { answers: 'redirect', isPublic: true }),
    getHealth: methodOf(options, 'GET', '/api/v1/health', { isPublic: true }),
    getOpenApiDocument: methodOf(options, 'GET', '/api/v1/openapi.json', { isPublic: true }),
    getDocsPage: methodOf(options, 'GET', '/docs', { answers: 'text', isPublic: true }),
    getDocsScript: methodOf(options, 'GET', '/docs/scalar.js', { answers: 'text', isPublic: true }),
  } as Client
}

/** Every error code of the service. */
export type ErrorCode = 'VALIDATION_ERROR' | 'AUTH_INVALID_KEY' | 'AUTH_INSUFFICIENT_SCOPE' | 'ROUTE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CASE_NOT_FOUND' | 'PARTY_NOT_FOUND' | 'USER_NOT_FOUND' | 'LINK_NOT_FOUND' | 'API_KEY_NOT_FOUND' | 'DOCUMENT_NOT_FOUND' | 'FOLDER_NOT_FOUND' | 'WORKSPACE_NOT_FOUND' | 'DEADLINE_NOT_FOUND' | 'EVENT_NOT_FOUND' | 'ICAL_TOKEN_NOT_FOUND' | 'SYNC_ACCOUNT_NOT_FOUND' | 'ICAL_TOKEN_INVALID' | 'INVALID_DATE_RANGE' | 'SLOT_CONFLICT' | 'IS_DEADLINE' | 'SYNC_CREDENTIALS_REFUSED' | 'SYNC_NOT_CONNECTED' | 'SYNC_FAILED' | 'DUAL_CONTROL_REQUIRED' | 'DELEGATED_TO_OTHER' | 'CHAIN_OCCUPIED' | 'DEADLINE_COMPLETED' | 'DEADLINE_NOT_COMPLETED' | 'DEADLINE_PROVISIONAL' | 'EXTENSION_NOT_REQUESTED' | 'REGISTER_NOT_SIGNED' | 'DUE_DATE_MISMATCH' | 'FILE_NUMBER_TAKEN' | 'LINK_EXISTS' | 'PARTY_IN_USE' | 'FOLDER_NOT_EMPTY' | 'UPLOAD_INCOMPLETE' | 'UPLOAD_MISMATCH' | 'EXTRACTION_PENDING' | 'EXTRACTION_FAILED' | 'WEBHOOK_TOKEN_INVALID' | 'DRAFT_NOT_FOUND' | 'DRAFT_ALREADY_SENT' | 'DRAFT_NOT_UNKNOWN' | 'CORRESPONDENCE_NOT_FOUND' | 'MAIL_SIGNATURE_INVALID' | 'RECIPIENT_UNKNOWN' | 'INBOX_ITEM_NOT_FOUND' | 'SHARED_LINK_NOT_FOUND' | 'ATTACHMENT_TOO_LARGE' | 'ATTACHMENT_GONE' | 'IDEMPOTENCY_KEY_REUSED' | 'REQUEST_IN_PROGRESS' | 'SEND_IN_PROGRESS' | 'MAIL_NOT_SENT' | 'NO_DOCUMENTS' | 'NO_SIGNERS' | 'ENVELOPE_NOT_FOUND' | 'SIGNER_NOT_FOUND' | 'ENVELOPE_NOT_DRAFT' | 'ENVELOPE_NOT_SENT' | 'ENVELOPE_ENDED' | 'NOT_YOUR_TURN' | 'DOCUMENT_IN_USE' | 'SIGNING_LINK_NOT_FOUND' | 'SIGNING_LINK_ENDED' | 'SIGNING_LINK_LOCKED' | 'ACCESS_CODE_REQUIRED' | 'ENVELOPE_NOT_OPENED' | 'ALREADY_SIGNED' | 'SIGNATURE_INVALID' | 'INVALID_SOURCE' | 'INVALID_FILTER' | 'CONFIG_NOT_FOUND' | 'EXPORT_TOKEN_INVALID' | 'EXPORT_TOKEN_NOT_FOUND' | 'TOKEN_EXPIRED' | 'RUN_NOT_FOUND' | 'RUN_NOT_FINISHED' | 'DATEV_SETTINGS_MISSING' | 'TIME_ENTRY_NOT_FOUND' | 'TIME_ENTRY_INVOICED' | 'INVOICE_NOT_FOUND' | 'INVOICE_NOT_DRAFT' | 'INVOICE_NOT_ISSUED' | 'XRECHNUNG_INCOMPLETE' | 'BEA_NOT_AUTHENTICATED' | 'BEA_ACCOUNT_LOCKED' | 'BEA_ACCOUNT_NOT_FOUND' | 'BEA_ACCOUNT_EXISTS' | 'BEA_POSTBOX_NOT_FOUND' | 'BEA_CERTIFICATE_INVALID' | 'BEA_GATEWAY_ERROR' | 'BEA_LOCAL_LOGIN_REQUIRED' | 'BEA_RIGHT_MISSING' | 'BEA_MESSAGE_NOT_FOUND' | 'ATTACHMENT_NOT_FOUND' | 'BEA_PREFLIGHT_FAILED' | 'BEA_RECEIPT_MISSING' | 'EEB_NOT_REQUESTED' | 'EEB_ANSWERED' | 'EEB_DEADLINE_REQUIRED' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RATE_LIMITED' | 'REQUEST_BLOCKED' | 'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR'

export type ClientOptions = {
  /** Where the service is, without `/api/v1`: `https://api.example.de`. */
  baseUrl: string
  /** `ak_…`; without it, only what is public answers. */
  apiKey?: string | undefined
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch
  /**
   * How often a request is repeated, each time after the wait that the answer asks for, or a growing one; 2 unless told.
   * Every method is repeated where nothing was changed: after 429, and after 503 with `Retry-After`. Where no answer came,
   * or a part of one, only what may be done twice is: GET, PUT without `ifMatch`, and POST, which carries an
   * `Idempotency-Key`.
   */
  retries?: number
  /**
   * Fields of a body that the service does not know are refused, with the nearest known name (`Prefer: handling=strict`).
   * `false`: they are ignored, and listed in the header `X-Ignored-Fields`.
   */
  strict?: boolean
  /** How long each attempt waits for its answer, of a file for its beginning; 120 unless told. */
  timeoutSeconds?: number
}

export type CallOptions = {
  signal?: AbortSignal
  /**
   * Of a POST: a text of up to 255 characters that you choose for this request. Repeat the request with the same one, and
   * it takes effect once; you get the first answer again. Without it each call has a random one, so that its own
   * repetitions take effect once.
   */
  idempotencyKey?: string
  /** Further headers, such as `Accept-Language` of a page or, outside of browsers, `Cookie`. */
  headers?: Record<string, string>
}

/** The bytes of an answer. They are read once: as `stream`, with `bytes()` or with `text()`. */
export type Download = {
  /** The name that the service gives the file. */
  filename: string | undefined
  /** Its media type. */
  type: string
  /** How many bytes come; undefined where the service does not know yet. */
  size: number | undefined
  etag: string | undefined
  /** Of a part that was asked for with `range`: `bytes 0-1023/4096`. */
  contentRange: string | undefined
  /** The bytes as they come. It fails where they break off. */
  stream: ReadableStream<Uint8Array>
  bytes: () => Promise<Uint8Array>
  text: () => Promise<string>
}

/** Where a form leads to. Browsers show neither to scripts; they keep the cookie by themselves. */
export type Redirect = {
  location: string | undefined
  /** `name=value`, to be sent as the header `Cookie` from now on; undefined where none was set. */
  cookie: string | undefined
}

/**
 * What every refused or failed request throws. `code` is `UNEXPECTED_ANSWER` where something between here and
 * the service answered, and `NOT_MODIFIED` where what `ifNoneMatch` names is still the same. No answer at all is the error
 * of `fetch`.
 */
export class AktenlageError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'UNEXPECTED_ANSWER' | 'NOT_MODIFIED'
  /** Name it when you report a fault. */
  readonly requestId: string | undefined
  /** The seconds after which the service may be asked again; undefined where it did not say. */
  readonly retryAfter: number | undefined
  /** For `VALIDATION_ERROR`: each fault with its place. */
  readonly details: readonly {
    path: string
    message: string
    /** These of `SLOT_CONFLICT`: whose event it is, the event, and its times. */
    user_id?: string
    event_id?: string
    start?: string
    end?: string
  }[]
  /** For `PARTY_IN_USE`: cases that name the party. */
  readonly cases: readonly { id: string; file_number: string }[]

  constructor(
    status: number,
    error: {
      code: AktenlageError['code']
      message: string
      request_id?: string
      details?: AktenlageError['details']
      cases?: AktenlageError['cases']
    },
    retryAfter?: number,
  ) {
    super(error.message)
    this.name = 'AktenlageError'
    this.status = status
    this.code = error.code
    this.requestId = error.request_id
    this.retryAfter = retryAfter
    this.details = error.details ?? []
    this.cases = error.cases ?? []
  }
}

type Arguments<Request> =
  Record<never, never> extends Request
    ? [request?: Request, options?: CallOptions]
    : [request: Request, options?: CallOptions]

export type Call<Request, Answer> = (...args: Arguments<Request>) => Promise<Answer>

/** A call that answers a file as well, in each of these media types: `getRegister.as('text/csv', request)`. */
export type RenderedCall<Request, Type extends string> = {
  as: (type: Type, ...args: Arguments<Request>) => Promise<Download>
}

/** A call whose answer carries an ETag; send it as `ifMatch` of the change that builds on this answer. */
export type TaggedCall<Request, Answer> = Call<Request, Answer> & {
  withEtag: (...args: Arguments<Request>) => Promise<{ answer: Answer; etag: string }>
}

/** A call that answers a page; `all` walks over the items of this and every following page. */
export type PagedCall<Request, Page extends { data: unknown[] }> = Call<Request, Page> & {
  all: (...args: Arguments<Request>) => AsyncGenerator<Page['data'][number], void, undefined>
}

/** A call that answers the records of a list or, with `updated_since`, what has changed: then some may be deleted. */
export type ChangesCall<Request extends { query?: object }, Page extends { data: unknown[] }> = {
  (request: Since<Request>, options?: CallOptions): Promise<Page & { as_of: string }>
  (...args: Arguments<Whole<Request>>): Promise<Omit<Page, 'data' | 'as_of'> & { data: Existing<Page>[] }>
  all: {
    (request: Since<Request>, options?: CallOptions): AsyncGenerator<Page['data'][number], void, undefined>
    (...args: Arguments<Whole<Request>>): AsyncGenerator<Existing<Page>, void, undefined>
  }
  /** What every page says has changed, and the `as_of` to send next time. */
  changes: (
    request: Since<Request>,
    options?: CallOptions,
  ) => Promise<{ data: Page['data'][number][]; as_of: string }>
}

type Since<Request> = Request & { query: { updated_since: string } }
type Whole<Request extends { query?: object }> = Omit<Request, 'query'> & {
  query?: Omit<NonNullable<Request['query']>, 'updated_since'> & { updated_since?: never }
}
type Existing<Page extends { data: unknown[] }> = Exclude<Page['data'][number], { deleted_at: string }>

type AnyRequest = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  /** Headers, by their names in camelCase. */
  [header: string]: unknown
}
type AnyPage = { data: unknown[]; pagination: { cursor: string | null }; as_of?: string }

/** In what a method differs from the default: JSON in the answer, sent with the API key. */
type Traits = {
  /** `json` unless told. */
  answers?: keyof typeof readers
  /** It takes neither the API key nor, as a POST, an `Idempotency-Key`. */
  isPublic?: true
}

/** One method of the client, with everything that some of them have. */
function methodOf(client: ClientOptions, httpMethod: string, path: string, traits: Traits = {}) {
  const { answers = 'json', isPublic = false } = traits
  const ask =
    <Answer>(accept: string, read: (response: Response) => Promise<Answer>) =>
    (request?: AnyRequest, options?: CallOptions): Promise<Answer> =>
      send(
        client,
        { method: httpMethod, path, accept, isPublic, follows: answers !== 'redirect' },
        read,
        request,
        options,
      )
  // A page may refuse with a page; JSON says more.
  const accept = answers === 'json' ? 'application/json' : 'application/json, */*;q=0.9'
  const read: (response: Response) => Promise<unknown> = readers[answers]

  const call = ask(accept, read)

  const withEtag = ask(accept, async (response) => ({
    answer: await read(response),
    etag: response.headers.get('etag') ?? '',
  }))

  const as = (type: string, request?: AnyRequest, options?: CallOptions) =>
    ask(type, readers.file)(request, options)

  async function* pages(request?: AnyRequest, options?: CallOptions) {
    let query = request?.query
    for (;;) {
      const page = (await call({ ...request, ...(query && { query }) }, options)) as AnyPage
      yield page
      if (page.pagination.cursor === null) return
      query = { ...query, cursor: page.pagination.cursor }
    }
  }

  async function* all(request?: AnyRequest, options?: CallOptions) {
    for await (const { data } of pages(request, options)) yield* data
  }

  const changes = async (request?: AnyRequest, options?: CallOptions) => {
    const data: unknown[] = []
    let asOf: string | undefined
    for await (const page of pages(request, options)) {
      data.push(...page.data)
      asOf ??= page.as_of
    }
    return { data, as_of: asOf }
  }

  return Object.assign(call, { withEtag, all, changes, as })
}

type Sent = { method: string; path: string; accept: string; isPublic: boolean; follows: boolean }

async function send<Answer>(
  { baseUrl, apiKey, fetch: ownFetch, retries = 2, strict = true, timeoutSeconds = 120 }: ClientOptions,
  { method, path, accept, isPublic, follows }: Sent,
  read: (response: Response) => Promise<Answer>,
  { params = {}, query = {}, body, ...named }: AnyRequest = {},
  { signal, idempotencyKey, headers }: CallOptions = {},
): Promise<Answer> {
  const request = ownFetch ?? fetch
  const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}${fill(path, params)}${queryString(query)}`
  const takesKey = method === 'POST' && !isPublic
  const init: RequestInit = {
    method,
    headers: {
      Accept: accept,
      ...(apiKey !== undefined && !isPublic && { Authorization: `Bearer ${apiKey}` }),
      // A form says its own type, with the boundary it has.
      ...(body !== undefined && !isForm(body) && { 'Content-Type': 'application/json' }),
      ...(takesKey && { 'Idempotency-Key': idempotencyKey ?? randomKey() }),
      ...headersOf(named),
      ...(body !== undefined && strict ? withStrict(headers) : headers),
    },
    ...(body !== undefined && { body: isForm(body) ? body : JSON.stringify(body) }),
    ...(!follows && { redirect: 'manual' as const }),
  }
  const mayDoTwice = method === 'GET' || takesKey || (method === 'PUT' && named.ifMatch === undefined)
  for (let attempt = 0; ; attempt += 1) {
    const limit = timeLimit(timeoutSeconds)
    try {
      const response = await request(url, {
        ...init,
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      })
      if (!response.ok && (follows || !isRedirect(response))) throw await errorOf(response)
      return await read(response)
    } catch (error) {
      const pause = signal?.aborted || attempt >= retries ? undefined : pauseAfter(error, mayDoTwice, attempt)
      if (pause === undefined) throw error
      await wait(pause, signal)
    } finally {
      limit.end()
    }
  }
}

/** A signal that aborts after so many seconds, unless it is ended before. */
function timeLimit(seconds: number): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException('No answer came in time.', 'TimeoutError'))
  const timer = setTimeout(late, seconds * 1000)
  return { signal: controller.signal, end: () => clearTimeout(timer) }
}

/** The seconds after which a failed request is sent again; undefined where that is not safe, or would take too long. */
function pauseAfter(error: unknown, mayDoTwice: boolean, attempt: number): number | undefined {
  if (!(error instanceof AktenlageError)) return mayDoTwice ? growing(attempt) : undefined
  const { status, code, retryAfter } = error
  const isUndone = status === 429 || (status === 503 && retryAfter !== undefined)
  // An earlier attempt may be at work, or something on the way to the service has lost the answer.
  const isUnknown =
    status === 503 ||
    code === 'REQUEST_IN_PROGRESS' ||
    (code === 'UNEXPECTED_ANSWER' && (status === 502 || status === 504))
  if (!isUndone && !(isUnknown && mayDoTwice)) return undefined
  if (retryAfter === undefined) return growing(attempt)
  return retryAfter <= maxWaitSeconds ? retryAfter : undefined
}

/** 128 random bits; `crypto.randomUUID` is missing on pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

function isForm(body: unknown): body is FormData | URLSearchParams {
  return body instanceof FormData || body instanceof URLSearchParams
}

/** A `Prefer` of the caller stands beside `handling=strict`, unless it says `handling` itself. */
function withStrict(headers: Record<string, string> = {}): Record<string, string> {
  const name = Object.keys(headers).find((name) => name.toLowerCase() === 'prefer') ?? 'Prefer'
  const own = headers[name] ?? ''
  if (/(?:^|,)\s*handling\s*=/i.test(own)) return headers
  return { ...headers, [name]: own.trim() === '' ? 'handling=strict' : `handling=strict, ${own}` }
}

/** `ifNoneMatch` is the header `if-None-Match`: capital letters do not matter. */
function headersOf(named: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(named)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, '-$&'), String(value)]),
  )
}

/** In a browser a redirect that is not followed has neither a status nor headers. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || status === 302 || status === 303 || status === 307
}

function fill(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = params[name]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id.`)
    return encodeURIComponent(value)
  })
}

function queryString(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

const readers = {
  json: async (response: Response): Promise<unknown> => {
    if (response.status === 204) return undefined
    const text = await response.text()
    try {
      return JSON.parse(text)
    } catch {
      throw new AktenlageError(response.status, unexpected(response.status))
    }
  },
  text: (response: Response): Promise<string> => response.text(),
  file: async (response: Response): Promise<Download> => downloadOf(response),
  redirect: async ({ headers }: Response): Promise<Redirect> => ({
    location: headers.get('location') ?? undefined,
    cookie: headers.get('set-cookie')?.split(';')[0],
  }),
}

function downloadOf(response: Response): Download {
  const header = (name: string) => response.headers.get(name) ?? undefined
  const length = header('content-length')
  return {
    filename: filenameOf(header('content-disposition')),
    type: header('content-type') ?? 'application/octet-stream',
    // Of compressed bytes it would be another number than that of the bytes that come out.
    size: length === undefined || header('content-encoding') !== undefined ? undefined : Number(length),
    etag: header('etag'),
    contentRange: header('content-range'),
    stream: response.body ?? new ReadableStream({ start: (controller) => controller.close() }),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    text: () => response.text(),
  }
}

/** The name in a `Content-Disposition` (RFC 6266): the one in UTF-8, or else the ASCII one. */
function filenameOf(disposition = ''): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? []
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1')
}

async function errorOf(response: Response): Promise<AktenlageError> {
  const answer = (await response.json().catch(() => undefined)) as {
    error?: ConstructorParameters<typeof AktenlageError>[1]
  }
  const error = answer?.error ?? (response.status === 304 ? unchanged : unexpected(response.status))
  return new AktenlageError(response.status, error, retryAfterOf(response))
}

const unchanged = { code: 'NOT_MODIFIED', message: 'It has not changed.' } as const

function unexpected(status: number): { code: 'UNEXPECTED_ANSWER'; message: string } {
  return { code: 'UNEXPECTED_ANSWER', message: `Something else than the service answered, with ${status}.` }
}

/** Who is asked to wait for longer learns it at once. */
const maxWaitSeconds = 60

/** The seconds that an answer asks to wait: a number, or the date that something between has made of it. */
function retryAfterOf({ headers }: Response): number | undefined {
  const asked = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(asked)) return Number(asked)
  const seconds = Math.ceil((Date.parse(asked) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Half a second to one, then one to two, then two to four: callers that failed together do not return together. */
function growing(attempt: number): number {
  return Math.min(2 ** attempt * (0.5 + Math.random() / 2), maxWaitSeconds)
}

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
