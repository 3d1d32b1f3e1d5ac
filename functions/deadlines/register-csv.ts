import { evidenceId, receiptedId } from '#deadlines/evidence-id.ts'
import { listNames } from '#deadlines/register.ts'
import type { Register, RegisterDeadline } from '#deadlines/register-schema.ts'
import { evidenceCell, reasoningCell } from '#deadlines/table-cells.ts'
import { beginsFormula } from '#kernel/formula.ts'
import { namesIn } from './names-in.ts'

/**
 * The register as CSV (RFC 4180): a row for each entry of the day (`section` `entry`), then one for each deadline of
 * the lists. `without_exit_control_since` has the day of an older completion without exit control. If another part
 * follows, the last row has its cursor (`next_part`). The columns have the names of the JSON fields. Every row has all
 * columns, because strict readers refuse a file with shorter rows.
 */
export function registerCsv(register: Register): string {
  const { users, deactivated, cases, evidence } = namesIn(register)
  const ofDeadline = (deadline: RegisterDeadline, proof = evidenceId(deadline.evidence)) => [
    deadline.id,
    deadline.frist_type,
    deadline.title,
    deadline.case_id,
    cases.get(deadline.case_id)?.file_number,
    cases.get(deadline.case_id)?.name,
    deadline.due_at,
    deadline.state,
    users.get(deadline.assigned_to),
    users.get(deadline.verified_by ?? ''),
    deadline.verified_at,
    users.get(deadline.delegation?.delegated_to ?? ''),
    users.get(deadline.completed_by ?? ''),
    deadline.completed_at,
    deadline.evidence && evidenceCell(deadline.evidence),
    deadline.evidence?.receipt_at,
    users.get(deadline.evidence?.checked_by ?? ''),
    users.get(deadline.exit_control?.by ?? ''),
    deadline.exit_control?.at,
    users.get(deadline.struck_by ?? ''),
    deadline.struck_at,
    deadline.struck_reason,
    deadline.category,
    String(deadline.overdue),
    deadline.extension?.state,
    deadline.extension?.requested_until,
    deadline.provisional_for,
    ...basisCells(deadline.basis),
    String(deactivated.has(deadline.assigned_to)),
    evidence.get(proof ?? ''),
  ]
  const rows = [
    columns,
    ...register.entries.map(({ at, actor, action, seq, reason, before, deadline }) => [
      'entry',
      at,
      actor.name,
      action,
      String(seq),
      before?.due_at,
      reason,
      ...ofDeadline(deadline, receiptedId({ action, reason })),
    ]),
    ...listNames.flatMap((section) =>
      register[section].map((deadline) => [section, '', '', '', '', '', '', ...ofDeadline(deadline)]),
    ),
    ...(register.without_exit_control_since === undefined
      ? []
      : [['without_exit_control_since', register.without_exit_control_since]]),
    ...(register.signature === null ? [] : [signedRow(register.signature)]),
    ...(register.pagination.cursor === null ? [] : [['next_part', register.pagination.cursor]]),
  ]
  return `${byteOrderMark}${rows.map((row) => `${columns.map((_, at) => quoted(row[at] ?? '')).join(',')}\r\n`).join('')}`
}

/** Excel reads UTF-8 only with a byte order mark. */
const byteOrderMark = '\ufeff'

/** The signature: the user, the time, the remarks, and the hash of the signed content. */
function signedRow({ signed_at, signed_by, remarks, version, hash }: NonNullable<Register['signature']>) {
  return ['signed', signed_at, signed_by.name, hash, String(version), '', remarks]
}

const columns = [
  'section',
  'at',
  'actor',
  'action',
  'seq',
  'due_at_before',
  'reason',
  'deadline_id',
  'frist_type',
  'title',
  'case_id',
  'file_number',
  'case_name',
  'due_at',
  'state',
  'assigned_to',
  'verified_by',
  'verified_at',
  'delegated_to',
  'completed_by',
  'completed_at',
  'evidence',
  'receipt_at',
  'checked_by',
  'exit_control_by',
  'exit_control_at',
  'struck_by',
  'struck_at',
  'struck_reason',
  'category',
  'overdue',
  'extension',
  'requested_until',
  'provisional_for',
  'preset',
  'statute',
  'event_date',
  'calculated_date',
  'due_date',
  'region',
  'steps',
  'name',
  'notfrist',
  'posted_on',
  'event_at',
  'pronounced_on',
  'missed_on',
  'announced_on',
  'region_source',
  'warnings',
  'assigned_to_deactivated',
  'evidence_name',
]

/** The name of the file. A day in several parts has one file for each part. */
export function registerFilename({ date, part, pagination }: Register): string {
  const whole = part === 1 && !pagination.has_more
  return `fristenregister-${date}${whole ? '' : `-teil-${part}`}.csv`
}

/** The event, the provision, the dates and the reasoning from which the due time results (F13). */
function basisCells(basis: RegisterDeadline['basis']): (string | null)[] {
  if (basis === null) return Array(16).fill('')
  return [
    basis.preset,
    basis.statute,
    basis.event_date,
    basis.calculated_date,
    basis.due_date,
    basis.region,
    reasoningCell(basis),
    basis.name,
    String(basis.notfrist),
    basis.posted_on,
    basis.event_at,
    basis.pronounced_on,
    basis.missed_on,
    basis.announced_on,
    basis.region_source,
    basis.warnings.join(' '),
  ]
}

/**
 * A cell in one line. An apostrophe keeps a text from becoming a formula in a spreadsheet program, also after a
 * semicolon, where some programs begin a new cell.
 */
function quoted(cell: string): string {
  const line = cell.replace(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
  const text = line
    .split(';')
    .map((part) => (beginsFormula(part.replace(/^[\s"']+/, '')) ? `'${part}` : part))
    .join(';')
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
