import { isDeepStrictEqual } from 'node:util'
import { categoryNames } from '#deadlines/category.ts'
import { evidenceId, receiptedId } from '#deadlines/evidence-id.ts'
import type { DeadlineSnapshot } from '#deadlines/history-schema.ts'
import type { Register, RegisterDeadline } from '#deadlines/register-schema.ts'
import type { Evidence } from '#deadlines/schema.ts'
import { bareTitle, fristNames, germanMoment } from '#deadlines/summaries.ts'
import { isOverdue } from '#deadlines/views.ts'
import { dayNumberOf, germanDate, germanDay } from '#german-time/calendar-date.ts'
import { isOver } from '#german-time/time-limit.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { type Names, namesIn } from './names-in.ts'
import { basisText, reckoningText } from './register-basis.ts'
import { entryHeads, listHeads, registerStyle } from './register-style.ts'

/**
 * The register as a page to print: A4, German, readable in black and white, with page numbers and a signature line.
 * It needs no script and loads nothing.
 */
export function registerPage(register: Register): string {
  const day = germanDate(dayNumberOf(register.date))
  const zone = register.workspace.time_zone
  const context = { ...namesIn(register), zone, now: Date.parse(register.generated_at) }
  const { totals } = register
  const { due, entries, control } = totals
  return `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fristenregister ${escapeHtml(day)}</title>
<style>${registerStyle(register)}</style>
</head>
<body>
<header>
<h1>Fristenregister</h1>
<p class="day">${escapeHtml(day)}</p>
<p class="office">${escapeHtml(register.workspace.name)}</p>
<p class="made">${partOf(register)}Kontrollausdruck, Stand ${germanMoment(register.generated_at, zone)}</p>
</header>
${listSection('Offen aus früheren Tagen', register.open_before, totals.open_before, context, 'Aus früheren Tagen ist keine Frist offen.')}
<section>
<h2>Fällig an diesem Tag</h2>
<p class="totals">${due.total} ${due.total === 1 ? 'Frist' : 'Fristen'}${counted([
    [control.overdue, 'NICHT ERLEDIGT'],
    [due.pending, 'offen, nicht geprüft'],
    [due.expired + due.verified - control.overdue, 'offen, geprüft'],
    [due.completed, 'erledigt'],
    [control.struck_done, 'gestrichen, erledigt'],
    [control.struck_undone, 'gestrichen, nicht erledigt'],
  ])}</p>
${deadlineTable(register.due, context, 'An diesem Tag ist keine Frist fällig.')}
<p class="legend">${legend}</p>
</section>
${listSection('Erledigt in den letzten dreißig Tagen, ohne Ausgangskontrolle', register.completed_without_exit_control, totals.completed_without_exit_control, context, 'Zu jeder Haupt- und Nachfrist, die in den letzten dreißig Tagen erledigt wurde, ist die Ausgangskontrolle vermerkt.')}
${uncheckedBefore(register)}${listSection('Vorfristen der nächsten sieben Tage', register.ahead, totals.ahead, context, 'In den nächsten sieben Tagen ist keine Vorfrist offen.')}
<section>
<h2>Eingetragen, geändert, geprüft, erledigt und gestrichen</h2>
<p class="totals">${entries.total} ${entries.total === 1 ? 'Vorgang' : 'Vorgänge'}${counted(Object.entries(actionNames).map(([action, name]) => [entries[action as Action], name]))}</p>
${table(
  entryHeads,
  'entries',
  register.entries.map((entry) => entryRow(entry, context)),
  'An diesem Tag wurde nichts eingetragen oder geändert.',
)}
</section>
${register.pagination.has_more ? `<p class="empty"><a href="?date=${register.date}${register.signature === null ? '' : '&amp;signed=true'}&amp;cursor=${register.pagination.cursor}">Es folgt Teil ${register.part + 1}.</a></p>\n` : ''}<footer>
<p>Eintragungen mit den Akten verglichen; fällige, erledigte und gestrichene Fristen mit dem Postausgang abgeglichen.</p>
${signed(register)}
</footer>
</body>
</html>
`
}

/** The person who signed it, or the signature line. */
function signed({ signature, workspace }: Register): string {
  if (signature === null)
    return '<div class="signature"><span>Datum, Uhrzeit</span><span>Name</span><span>Unterschrift</span></div>'
  const { signed_at, signed_by, version, remarks, hash } = signature
  const remark = remarks === null ? '' : `<br>Bemerkungen: <bdi>${escapeHtml(remarks)}</bdi>`
  return `<p class="signed"><b>Unterzeichnet</b> von <bdi>${escapeHtml(signed_by.name)}</bdi> am ${germanMoment(signed_at, workspace.time_zone)}, Fassung ${version}${remark}<br>SHA-256 ${escapeHtml(hash)}</p>`
}

/** Empty for a day in one part. */
function partOf({ part, pagination }: Register): string {
  if (part === 1 && !pagination.has_more) return ''
  return `Teil ${part}${pagination.has_more ? '' : ' (letzter)'}, Summen des ganzen Tages · `
}

/** The note that older completions, not listed on the page, have no exit control; empty if there are none. */
function uncheckedBefore({ without_exit_control_since: since }: Register): string {
  if (since === undefined) return ''
  return `<p><b class="alarm">LÄNGER ALS DREISSIG TAGE</b> fehlt die Ausgangskontrolle zu einer Erledigung vom ${escapeHtml(germanDate(dayNumberOf(since)))}: siehe das Register jenes Tages.</p>\n`
}

type PageContext = Names & {
  zone: string
  /** The time of the printout, in milliseconds. */
  now: number
}

function listSection(
  heading: string,
  deadlines: RegisterDeadline[],
  total: number,
  context: PageContext,
  empty: string,
): string {
  return `<section>
<h2>${heading}</h2>
<p class="totals">${total} ${total === 1 ? 'Frist' : 'Fristen'}</p>
${deadlineTable(deadlines, context, empty)}
</section>`
}

function deadlineTable(deadlines: RegisterDeadline[], context: PageContext, empty: string): string {
  return table(
    listHeads,
    'list',
    deadlines.map((deadline) => deadlineRow(deadline, context)),
    empty,
  )
}

function deadlineRow(deadline: RegisterDeadline, context: PageContext): string {
  const { basis } = deadline
  const marked = deadline.category === 'other' ? [] : ['marked']
  const classes = [
    ...(deadline.state === 'struck' ? ['struck'] : []),
    ...marked,
    ...(basis === null ? [] : ['reckoned']),
  ]
  const reckoning =
    basis === null
      ? ''
      : `
<tr class="${[...marked, 'reckoning'].join(' ')}"><td></td><td colspan="5">${reckoningText(basis)}</td></tr>`
  return `<tr${classes.length > 0 ? ` class="${classes.join(' ')}"` : ''}>
<td class="time">${dayAndTime(deadline.due_at)}</td>
<td>${caseCell(deadline, context)}</td>
<td>${fristCell(deadline, context)}</td>
<td>${assigneeCell(deadline, context)}</td>
<td>${stateCell(deadline, context)}</td>
<td class="check"><span></span></td>
</tr>${reckoning}`
}

function entryRow(
  { at, actor, action, reason, deadline, before }: Register['entries'][number],
  context: PageContext,
): string {
  // A Vorfrist that is reopened may move.
  const details = [
    ...outcome(deadline, action, reason, context),
    ...(action === 'changed' || action === 'reopened'
      ? changes({ ...deadline, ...before } as DeadlineSnapshot, deadline, context)
      : []),
  ]
  return `<tr>
<td class="time">${germanMoment(at, context.zone).slice(12, 17)}</td>
<td><b>${actionNames[action]}</b>${details.map((detail) => `<br>${detail}`).join('')}</td>
<td>${caseCell(deadline, context)}</td>
<td>${fristCell(deadline, context)}</td>
<td class="time">${dayAndTime(deadline.due_at)}</td>
<td><bdi>${escapeHtml(actor.name)}</bdi></td>
<td class="check"><span></span></td>
</tr>`
}

const actionNames: Record<Action, string> = {
  created: 'eingetragen',
  changed: 'geändert',
  delegated: 'Prüfung übertragen',
  verified: 'geprüft',
  completed: 'erledigt',
  exit_controlled: 'Ausgangskontrolle',
  reopened: 'wieder geöffnet',
  extension_requested: 'Verlängerung beantragt',
  extension_granted: 'Verlängerung gewährt',
  extension_refused: 'Verlängerung abgelehnt',
  receipt_given: 'Empfangsbekenntnis abgegeben',
  struck: 'gestrichen',
}

type Action = Register['entries'][number]['action']

function changes(before: DeadlineSnapshot, after: DeadlineSnapshot, context: PageContext): string[] {
  return [
    ...(before.due_at === after.due_at ? [] : [`fällig bisher ${germanMoment(before.due_at, context.zone)}`]),
    ...(before.title === after.title ? [] : [`bisher „<bdi>${escapeHtml(before.title)}</bdi>“`]),
    ...(before.assigned_to === after.assigned_to
      ? []
      : [
          `zuständig bisher ${userName(before.assigned_to, context)}, jetzt ${userName(after.assigned_to, context)}`,
        ]),
    ...(before.category === after.category ? [] : [`Fristart bisher ${categoryName(before)}`]),
    ...(isDeepStrictEqual(before.basis, after.basis)
      ? []
      : [after.basis === null ? withoutBasis(before, after) : 'neu berechnet']),
    ...(before.verified_by !== null && after.verified_by === null ? ['Prüfung aufgehoben'] : []),
  ]
}

function withoutBasis(before: DeadlineSnapshot, after: DeadlineSnapshot): string {
  return before.due_at === after.due_at ? 'Berechnung entfernt' : 'von Hand gesetzt, ohne Berechnung'
}

function categoryName({ category }: DeadlineSnapshot): string {
  return category === 'other' ? 'ohne Kennzeichnung' : categoryNames[category]
}

function outcome(
  deadline: RegisterDeadline,
  action: Action,
  reason: string | null,
  context: PageContext,
): string[] {
  if (action === 'created') return [`zuständig ${userName(deadline.assigned_to, context)}`]
  if (action === 'delegated' && deadline.delegation)
    return [`an ${userName(deadline.delegation.delegated_to, context)}`]
  if (action === 'completed' && deadline.evidence) return evidenceLines(deadline, context)
  if (action === 'extension_requested' && reason !== null)
    return [`Vermerk: <bdi>${escapeHtml(reason)}</bdi>`]
  if (action === 'extension_granted')
    return [`fällig nun ${dayAndTime(deadline.due_at).replace(' <br>', ', ')}`]
  if (action === 'receipt_given') return [reasonText(named(reason, receiptedId({ action, reason }), context))]
  if (action === 'struck' || action === 'reopened') return [reasonText(reason)]
  return []
}

/** A reason with the name of the message instead of its id. */
function named(reason: string | null, id: string | undefined, { evidence }: PageContext): string | null {
  const name = evidence.get(id ?? '')
  return id === undefined || name === undefined ? reason : (reason?.replace(id, () => name) ?? null)
}

const legend =
  '○ offen, noch nicht geprüft · ◐ offen, von einer zweiten Person geprüft · ● erledigt · ✕ gestrichen · ▲ Zeit abgelaufen, nicht erledigt'

/** Nobody watches an open deadline whose responsible person has left (BGH, 26.09.2024 – III ZB 82/23). */
function assigneeCell({ assigned_to, state }: RegisterDeadline, context: PageContext): string {
  const hasLeft = context.deactivated.has(assigned_to) && state !== 'completed' && state !== 'struck'
  return `${userName(assigned_to, context)}${hasLeft ? '<br><b class="alarm">AUSGESCHIEDEN</b>' : ''}`
}

/** Each state has its own word, sign and weight. Colour carries no meaning. */
function stateCell(deadline: RegisterDeadline, context: PageContext): string {
  const { state, verified_by } = deadline
  const done = by(deadline.completed_at, deadline.completed_by, context)
  const evidence = deadline.evidence
    ? evidenceLines(deadline, context)
        .map((line) => `<br>${line}`)
        .join('')
    : ''
  if (state === 'struck') {
    const struck = `<b>✕ gestrichen</b><br>${by(deadline.struck_at, deadline.struck_by, context)}`
    const wasDone = deadline.completed_at === null ? 'nicht erledigt' : `erledigt am ${done}${evidence}`
    return `${struck}<br>${reasonText(deadline.struck_reason)}<br>${wasDone}<br>${verified_by ? `geprüft von ${userName(verified_by, context)}` : 'nicht geprüft'}`
  }
  if (state === 'completed') {
    const { exit_control } = deadline
    const control = exit_control
      ? `Ausgangskontrolle ${by(exit_control.at, exit_control.by, context)}`
      : deadline.frist_type === 'vorfrist'
        ? ''
        : '<b>ohne Ausgangskontrolle</b>'
    return `<b>● erledigt</b><br>${done}${evidence}${control && `<br>${control}`}`
  }
  const sign = isOverdue(deadline, new Date(context.now))
    ? '<b class="alarm">▲ NICHT ERLEDIGT</b>'
    : `<b>${verified_by ? '◐' : '○'} offen</b>`
  const delegated = deadline.delegation
    ? `, Prüfung bei ${userName(deadline.delegation.delegated_to, context)}`
    : ''
  return `${sign}<br>${verified_by ? `geprüft von ${userName(verified_by, context)}` : `nicht geprüft${delegated}`}`
}

function by(at: string | null, userId: string | null, context: PageContext): string {
  return `${at === null ? '' : germanMoment(at, context.zone)} von ${userName(userId ?? '', context)}`
}

function reasonText(reason: string | null): string {
  return reason === null ? 'ohne Angabe eines Grundes' : `Grund: <bdi>${escapeHtml(reason)}</bdi>`
}

function evidenceLines(
  { evidence, due_at, frist_type, completed_at }: DeadlineSnapshot,
  context: PageContext,
): string[] {
  if (evidence === null) return []
  const { receipt_at, checked_by } = evidence
  // No law ends a Vorfrist.
  const late = receipt_at && frist_type !== 'vorfrist' && isOver(due_at, new Date(receipt_at))
  // Nobody has seen a receipt before it was given: its date is wrong.
  const isImpossible = receipt_at && completed_at && Date.parse(receipt_at) > Date.parse(completed_at)
  return [
    evidenceText(evidence, context),
    ...(receipt_at ? [`Eingangsbestätigung vom ${germanMoment(receipt_at, context.zone)}`] : []),
    ...(late ? ['<b class="alarm">NACH FRISTENDE EINGEGANGEN</b>'] : []),
    ...(isImpossible ? ['<b class="alarm">DATUM NACH DER ERLEDIGUNG: ZU PRÜFEN</b>'] : []),
    ...(checked_by ? [`gesehen von ${userName(checked_by, context)}`] : []),
  ]
}

function evidenceText(evidence: Evidence, context: PageContext): string {
  if (evidence.type === 'hauptfrist') return 'zusammen mit der Hauptfrist'
  if (evidence.type === 'note') return `Vermerk: <bdi>${escapeHtml(evidence.text)}</bdi>`
  const id = evidenceId(evidence) ?? ''
  const name = context.evidence.get(id)
  if (evidence.type === 'document') return `Nachweis: Dokument <bdi>${escapeHtml(name ?? id)}</bdi>`
  return `Nachweis: <bdi>${escapeHtml(name ?? `beA-Nachricht ${id}`)}</bdi>`
}

function caseCell({ case_id }: DeadlineSnapshot, { cases }: PageContext): string {
  const found = cases.get(case_id)
  return found
    ? `<b>${escapeHtml(found.file_number)}</b><br><bdi>${escapeHtml(found.name)}</bdi>`
    : escapeHtml(case_id)
}

function fristCell(deadline: DeadlineSnapshot, { zone }: PageContext): string {
  const { frist_type, title, category, basis, provisional_for } = deadline
  const name = bareTitle({ frist_type, title })
  const kind = frist_type === 'hauptfrist' ? 'b' : 'i'
  const provisional = provisional_for === null ? '' : '<span class="category">VORLÄUFIG</span><br>'
  const notfrist = basis?.notfrist && category !== 'notfrist' ? ', NOTFRIST' : ''
  const marked =
    category === 'other'
      ? ''
      : `<span class="category">${categoryNames[category].toUpperCase()}${notfrist}</span><br>`
  return `${marked}${provisional}<${kind}>${fristNames[frist_type]}</${kind}><br><bdi class="title">${escapeHtml(name)}</bdi>${basisText(basis, zone)}${extensionText(deadline)}`
}

function extensionText({ extension }: DeadlineSnapshot): string {
  if (extension === null) return ''
  const { state, requested_until, until } = extension
  const states = { requested: 'beantragt bis', granted: 'gewährt bis', refused: 'abgelehnt, beantragt war' }
  return `<span class="basis">Verlängerung ${states[state]} ${dayAndTime(until ?? requested_until).replace(' <br>', ', ')}</span>`
}

function userName(id: string, { users }: PageContext): string {
  return `<bdi>${escapeHtml(users.get(id) ?? id)}</bdi>`
}

function dayAndTime(local: string): string {
  return `${germanDay(local.slice(0, 10))} <br>${local.slice(11, 16)}`
}

function counted(counts: [number, string][]): string {
  const some = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return some.length === 0 ? '' : `: ${some.join(' · ')}`
}

function table(heads: string[], name: string, rows: string[], empty: string): string {
  if (rows.length === 0) return `<p class="empty">${empty}</p>`
  const head = heads.map((one) => `<th scope="col">${one}</th>`).join('')
  return `<table class="${name}">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
}
