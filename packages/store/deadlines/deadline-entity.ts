import {
  boolean,
  entity,
  nullableJson,
  nullableNumber,
  nullableText,
  number,
  oneOf,
  recordKey,
  text,
} from '../entity.ts'

/**
 * A deadline; the Fristen view and the calendar's events of type `deadline` are views of this one record (K1).
 * A struck one stays for the history and the register (F8).
 */
export const deadlineEntity = entity('deadline', recordKey('${workspace_id}#deadline#${id}'), {
  workspace_id: text,
  /** `evt_<uuid>` */
  id: text,
  title: text,
  case_id: text,
  frist_type: oneOf(['vorfrist', 'hauptfrist', 'nachfrist']),
  /** UTC with milliseconds, so that it sorts by time. */
  due_at: text,
  category: oneOf(['rechtsmittel', 'begruendung', 'notfrist', 'other']),
  /** How the due time was calculated (F13). */
  basis: nullableJson,
  assigned_to: text,
  chain_id: text,
  /** Of a Vorfrist that moves with its Hauptfrist: the days by which it is due before it (F2). */
  follows_days: nullableNumber,
  /** Such a Vorfrist is due on the working day before a day off (F17). */
  on_working_day: boolean,
  created_by: text,
  created_at: text,
  /** When the newest entry of its history was made. */
  updated_at: text,
  /** When the newest change was written, for `updated_since` (G16). */
  changed_at: text,
  /** The user who last set the due time; like the creator, this user cannot verify (F5). */
  due_set_by: text,
  verified_by: nullableText,
  verified_at: nullableText,
  /** A `Delegation`. */
  delegation: nullableJson,
  completed_at: nullableText,
  completed_by: nullableText,
  evidence: nullableJson,
  /** The user who has checked the outgoing post, and the time (F16). */
  exit_control: nullableJson,
  struck_at: nullableText,
  struck_by: nullableText,
  struck_reason: nullableText,
  /** The extension that was last requested (F18). */
  extension: nullableJson,
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: nullableText,
  /** Number and hash of the newest entry of its history (F11). */
  history_seq: number,
  history_hash: text,
  /** When its case was deleted: the deadline stays (C8). */
  case_deleted_at: nullableText,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
})
