import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A court's reference that a case learnt of mail from a mailbox. */
export function learntReference(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'learntreference', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** As `courtReferenceKey` writes it. */
        reference: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        /** The sender's, as `mailboxOf` writes it. */
        mailbox: { type: 'string', required: true },
        /** The mails that taught it. */
        mails: { type: 'any', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        cases: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'reference'],
            template: '${workspace_id}#learnt_reference#${reference}',
            casing: 'none',
          },
          sk: {
            field: 'sk',
            composite: ['case_id', 'mailbox'],
            template: '${case_id}#${mailbox}',
            casing: 'none',
          },
        },
      },
    },
    db,
  )
}

/** A case in which mail of a sender was filed. */
export function learntSender(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'learntsender', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** As `mailboxOf` writes it. */
        mailbox: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        /** The mails that were filed. */
        mails: { type: 'any', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        cases: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'mailbox'],
            template: '${workspace_id}#learnt_sender#${mailbox}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['case_id'], template: '${case_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
