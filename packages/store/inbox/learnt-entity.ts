import { entity, json, listKey, number, text } from '../entity.ts'

/** A court's reference that a case learnt of mail from a mailbox. */
export const learntReference = entity(
  'learntreference',
  listKey('cases', '${workspace_id}#learnt_reference#${reference}', '${case_id}#${mailbox}'),
  {
    workspace_id: text,
    /** As `courtReferenceKey` writes it. */
    reference: text,
    case_id: text,
    /** The sender's, as `mailboxOf` writes it. */
    mailbox: text,
    /** The mails that taught it. */
    mails: json,
    /** Counts the changes; every write names the one it was made for. */
    version: number,
  },
)

/** A case in which mail of a sender was filed. */
export const learntSender = entity(
  'learntsender',
  listKey('cases', '${workspace_id}#learnt_sender#${mailbox}', '${case_id}'),
  {
    workspace_id: text,
    /** As `mailboxOf` writes it. */
    mailbox: text,
    case_id: text,
    /** The mails that were filed. */
    mails: json,
    /** Counts the changes; every write names the one it was made for. */
    version: number,
  },
)
