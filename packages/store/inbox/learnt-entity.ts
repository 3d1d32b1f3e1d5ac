import { entity, jsonOf, listKey, number, text } from '../entity.ts'

/** A court's reference that a case learnt of mail from a mailbox. */
export const learntReference = entity(
  'learntreference',
  listKey('cases', '${workspace_id}#learnt_reference#${reference}', '${case_id}#${mailbox}'),
  {
    /** As `courtReferenceKey` writes it. */
    reference: text,
    /** The mails that taught it. */
    mails: jsonOf<string[]>(),
    version: number,
  },
)

/** A case in which mail of a sender was filed. */
export const learntSender = entity(
  'learntsender',
  listKey('cases', '${workspace_id}#learnt_sender#${mailbox}', '${case_id}'),
  {
    /** As `mailboxOf` writes it. */
    mailbox: text,
    /** The mails that were filed. */
    mails: jsonOf<string[]>(),
    version: number,
  },
)
