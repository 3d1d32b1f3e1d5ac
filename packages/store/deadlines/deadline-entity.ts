import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * A deadline; the Fristen view and the calendar's events of type `deadline` are views of this one record (K1).
 * A struck one stays for the history and the register (F8).
 */
export function deadlineEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'deadline', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `evt_<uuid>` */
        id: { type: 'string', required: true },
        title: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        frist_type: { type: ['vorfrist', 'hauptfrist', 'nachfrist'] as const, required: true },
        /** UTC with milliseconds, so that it sorts by time. */
        due_at: { type: 'string', required: true },
        category: { type: ['rechtsmittel', 'begruendung', 'notfrist', 'other'] as const, required: true },
        /** How the due time was calculated (F13). */
        basis: { type: 'any' },
        assigned_to: { type: 'string', required: true },
        chain_id: { type: 'string', required: true },
        /** A Vorfrist that moves with its Hauptfrist is due so many days before it (F2). */
        follows_days: { type: 'number' },
        /** Such a Vorfrist is due on the working day before a day off (F17). */
        on_working_day: { type: 'boolean', required: true },
        created_by: { type: 'string', required: true },
        created_at: { type: 'string', required: true },
        /** When the newest entry of its history was made. */
        updated_at: { type: 'string', required: true },
        /** When the newest change was written, for `updated_since` (G16). */
        changed_at: { type: 'string', required: true },
        /** Who last set the due time; like the creator they cannot verify (F5). */
        due_set_by: { type: 'string', required: true },
        verified_by: { type: 'string' },
        verified_at: { type: 'string' },
        /** A `Delegation`. */
        delegation: { type: 'any' },
        completed_at: { type: 'string' },
        completed_by: { type: 'string' },
        evidence: { type: 'any' },
        /** Who has checked the outgoing post, and when (F16). */
        exit_control: { type: 'any' },
        struck_at: { type: 'string' },
        struck_by: { type: 'string' },
        struck_reason: { type: 'string' },
        /** The extension that was last requested (F18). */
        extension: { type: 'any' },
        /** Of a provisional deadline: the one whose extension was requested. */
        provisional_for: { type: 'string' },
        /** Number and hash of the newest entry of its history (F11). */
        history_seq: { type: 'number', required: true },
        history_hash: { type: 'string', required: true },
        /** When its case was deleted: the deadline stays (C8). */
        case_deleted_at: { type: 'string' },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#deadline#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
