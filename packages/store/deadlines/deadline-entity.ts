import type { DeadlineRecord } from '#deadlines/ports.ts'
import { boolean, entity, jsonOf, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/**
 * A deadline; the Fristen view and the calendar's events of type `deadline` are views of this one record (K1).
 * A struck one stays for the history and the register (F8).
 */
export const deadlineEntity = entity('deadline', recordKey('${workspace_id}#deadline#${id}'), {
  title: text,
  case_id: text,
  frist_type: oneOf(['vorfrist', 'hauptfrist', 'nachfrist']),
  /** UTC with milliseconds, so that it sorts by time. */
  due_at: text,
  category: oneOf(['rechtsmittel', 'begruendung', 'notfrist', 'other']),
  /** How the due time was calculated (F13). */
  basis: nullable(jsonOf<DeadlineRecord['basis'] & object>()),
  assigned_to: text,
  chain_id: text,
  /** Of a Vorfrist that moves with its Hauptfrist: the days by which it is due before it (F2). */
  follows_days: nullable(number),
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
  verified_by: nullable(text),
  verified_at: nullable(text),
  delegation: nullable(jsonOf<DeadlineRecord['delegation'] & object>()),
  completed_at: nullable(text),
  completed_by: nullable(text),
  evidence: nullable(jsonOf<DeadlineRecord['evidence'] & object>()),
  /** The user who has checked the outgoing post, and the time (F16). */
  exit_control: nullable(jsonOf<DeadlineRecord['exit_control'] & object>()),
  struck_at: nullable(text),
  struck_by: nullable(text),
  struck_reason: nullable(text),
  /** The extension that was last requested (F18). */
  extension: nullable(jsonOf<DeadlineRecord['extension'] & object>()),
  /** Of a provisional deadline: the one whose extension was requested. */
  provisional_for: nullable(text),
  /** Number and hash of the newest entry of its history (F11). */
  history_seq: number,
  history_hash: text,
  /** When its case was deleted: the deadline stays (C8). */
  case_deleted_at: nullable(text),
  version: number,
})
