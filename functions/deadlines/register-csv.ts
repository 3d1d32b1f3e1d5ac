import type { Evidence, Register, RegisterDeadline } from '#deadlines/schema.ts'

/**
 * The register as CSV (RFC 4180): a row for each entry of the day (`section` `entry`), then one for each deadline
 * that is due (`due`). Where another part follows, the last row has its cursor (`next_part`). Columns are named as the fields of the JSON.
 */
export function registerCsv(register: Register): string {
  const users = new Map(register.users.map(({ id, name }) => [id, name]))
  const cases = new Map(register.cases.map((one) => [one.id, one]))
  const ofDeadline = (deadline: RegisterDeadline) => [
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
    deadline.evidence && evidenceText(deadline.evidence),
    users.get(deadline.struck_by ?? ''),
    deadline.struck_at,
  ]
  const rows = [
    columns,
    ...register.entries.map(({ at, actor, action, seq, before, deadline }) => [
      'entry',
      at,
      actor.name,
      action,
      String(seq),
      before?.due_at,
      ...ofDeadline(deadline),
    ]),
    ...register.due.map((deadline) => ['due', '', '', '', '', '', ...ofDeadline(deadline)]),
    ...(register.pagination.cursor === null ? [] : [['next_part', register.pagination.cursor]]),
  ]
  return `${byteOrderMark}${rows.map((row) => `${row.map((cell) => quoted(cell ?? '')).join(',')}\r\n`).join('')}`
}

/** Excel reads UTF-8 only with a byte order mark. */
const byteOrderMark = '\ufeff'

const columns = [
  'section',
  'at',
  'actor',
  'action',
  'seq',
  'due_at_before',
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
  'struck_by',
  'struck_at',
]

/** The name of the file. A day in several parts has a file for each. */
export function registerFilename({ date, part, pagination }: Register): string {
  const whole = part === 1 && !pagination.has_more
  return `fristenregister-${date}${whole ? '' : `-teil-${part}`}.csv`
}

function evidenceText(evidence: Evidence): string {
  if (evidence.type === 'document') return evidence.document_id
  return evidence.type === 'bea_receipt' ? evidence.message_id : evidence.text
}

/**
 * A cell in one line. An apostrophe keeps a text from becoming a formula in a spreadsheet program, also after a
 * semicolon, where some programs begin a new cell.
 */
function quoted(cell: string): string {
  const line = cell.replace(/[\t\r\n\v\f\u0085\u2028\u2029]+/g, ' ')
  const text = line.replace(/(^|;)(?=[\s"']*[=+\-@＝＋－＠])/g, "$1'")
  return /[",;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
