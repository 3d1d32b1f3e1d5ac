import type { DeadlineSnapshot, Evidence, Register, RegisterDeadline } from '#deadlines/schema.ts'
import { bareTitle, fristNames, germanMoment } from '#deadlines/summaries.ts'
import { isOverdue } from '#deadlines/views.ts'
import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'

/**
 * The register as a page to print: A4, German, readable in black and white, with page numbers and a line to sign
 * on. It needs no script and loads nothing.
 */
export function registerPage(register: Register): string {
  const day = germanDate(dayNumberOf(register.date))
  const zone = register.workspace.time_zone
  const context: PageContext = {
    zone,
    now: Date.parse(register.generated_at),
    users: new Map(register.users.map(({ id, name }) => [id, name])),
    cases: new Map(register.cases.map((one) => [one.id, one])),
  }
  const { due, entries, control } = register.totals
  return `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<title>Fristenregister ${text(day)}</title>
<style>${style(register)}</style>
</head>
<body>
<header>
<h1>Fristenregister</h1>
<p class="day">${text(day)}</p>
<p class="office">${text(register.workspace.name)}</p>
<p class="made">${partOf(register)}Kontrollausdruck, Stand ${germanMoment(register.generated_at, zone)}</p>
</header>
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
${table(
  ['Uhrzeit', 'Akte', 'Frist', 'Zuständig', 'Stand', 'Kontrolle'],
  'due',
  register.due.map((deadline) => dueRow(deadline, context)),
  'An diesem Tag ist keine Frist fällig.',
)}
<p class="legend">${legend}</p>
</section>
<section>
<h2>Eingetragen, geändert, geprüft, erledigt und gestrichen</h2>
<p class="totals">${entries.total} ${entries.total === 1 ? 'Vorgang' : 'Vorgänge'}${counted([
    [entries.created, 'eingetragen'],
    [entries.changed, 'geändert'],
    [entries.delegated, 'übertragen'],
    [entries.verified, 'geprüft'],
    [entries.completed, 'erledigt'],
    [entries.struck, 'gestrichen'],
  ])}</p>
${table(
  ['Uhrzeit', 'Vorgang', 'Akte', 'Frist', 'Fällig', 'Durch', 'Kontrolle'],
  'entries',
  register.entries.map((entry) => entryRow(entry, context)),
  'An diesem Tag wurde nichts eingetragen oder geändert.',
)}
</section>
${register.pagination.has_more ? `<p class="empty"><a href="?date=${register.date}&amp;cursor=${register.pagination.cursor}">Es folgt Teil ${register.part + 1}.</a></p>\n` : ''}<footer>
<p>Eintragungen mit den Akten verglichen; fällige, erledigte und gestrichene Fristen mit dem Postausgang abgeglichen.</p>
<div class="signature"><span>Datum, Uhrzeit</span><span>Name</span><span>Unterschrift</span></div>
</footer>
</body>
</html>
`
}

/** Empty for a day in one part. */
function partOf({ part, pagination }: Register): string {
  if (part === 1 && !pagination.has_more) return ''
  return `Teil ${part}${pagination.has_more ? '' : ' (letzter)'}, Summen des ganzen Tages · `
}

type PageContext = {
  zone: string
  /** When the printout was made, in milliseconds. */
  now: number
  users: Map<string, string>
  cases: Map<string, { name: string; file_number: string }>
}

function dueRow(deadline: RegisterDeadline, context: PageContext): string {
  return `<tr${deadline.state === 'struck' ? ' class="struck"' : ''}>
<td class="time">${deadline.due_at.slice(11, 16)}</td>
<td>${caseCell(deadline, context)}</td>
<td>${fristCell(deadline)}</td>
<td>${userName(deadline.assigned_to, context)}</td>
<td>${stateCell(deadline, context)}</td>
<td class="check"><span></span></td>
</tr>`
}

function entryRow(
  { at, actor, action, deadline, before }: Register['entries'][number],
  context: PageContext,
): string {
  const details =
    action === 'changed'
      ? changes({ ...deadline, ...before } as DeadlineSnapshot, deadline, context)
      : outcome(deadline, action, context)
  return `<tr>
<td class="time">${germanMoment(at, context.zone).slice(12, 17)}</td>
<td><b>${actionNames[action]}</b>${details.map((detail) => `<br>${detail}`).join('')}</td>
<td>${caseCell(deadline, context)}</td>
<td>${fristCell(deadline)}</td>
<td class="time">${germanDay(deadline.due_at)}</td>
<td><bdi>${text(actor.name)}</bdi></td>
<td class="check"><span></span></td>
</tr>`
}

const actionNames: Record<Register['entries'][number]['action'], string> = {
  created: 'eingetragen',
  changed: 'geändert',
  delegated: 'Prüfung übertragen',
  verified: 'geprüft',
  completed: 'erledigt',
  struck: 'gestrichen',
}

function changes(before: DeadlineSnapshot, after: DeadlineSnapshot, context: PageContext): string[] {
  return [
    ...(before.due_at === after.due_at ? [] : [`fällig bisher ${germanMoment(before.due_at, context.zone)}`]),
    ...(before.title === after.title ? [] : [`bisher „<bdi>${text(before.title)}</bdi>“`]),
    ...(before.assigned_to === after.assigned_to
      ? []
      : [
          `zuständig bisher ${userName(before.assigned_to, context)}, jetzt ${userName(after.assigned_to, context)}`,
        ]),
    ...(before.verified_by !== null && after.verified_by === null ? ['Prüfung aufgehoben'] : []),
  ]
}

function outcome(
  deadline: RegisterDeadline,
  action: Register['entries'][number]['action'],
  context: PageContext,
): string[] {
  if (action === 'created') return [`zuständig ${userName(deadline.assigned_to, context)}`]
  if (action === 'delegated' && deadline.delegation)
    return [`an ${userName(deadline.delegation.delegated_to, context)}`]
  if (action === 'completed' && deadline.evidence) return [evidenceText(deadline.evidence)]
  return []
}

const legend =
  '○ offen, noch nicht geprüft · ◐ offen, von einer zweiten Person geprüft · ● erledigt · ✕ gestrichen · ▲ Zeit abgelaufen, nicht erledigt'

/** Each state has its own word, sign and weight. Colour carries no meaning. */
function stateCell(deadline: RegisterDeadline, context: PageContext): string {
  const { state, verified_by } = deadline
  const done = by(deadline.completed_at, deadline.completed_by, context)
  const evidence = deadline.evidence ? `<br>${evidenceText(deadline.evidence)}` : ''
  if (state === 'struck') {
    const struck = `<b>✕ gestrichen</b><br>${by(deadline.struck_at, deadline.struck_by, context)}`
    const wasDone = deadline.completed_at === null ? 'nicht erledigt' : `erledigt am ${done}${evidence}`
    return `${struck}<br>${wasDone}<br>${verified_by ? `geprüft von ${userName(verified_by, context)}` : 'nicht geprüft'}`
  }
  if (state === 'completed') return `<b>● erledigt</b><br>${done}${evidence}`
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

function evidenceText(evidence: Evidence): string {
  if (evidence.type === 'document') return `Nachweis: Dokument ${text(evidence.document_id)}`
  if (evidence.type === 'bea_receipt')
    return `Nachweis: beA-Nachricht <bdi>${text(evidence.message_id)}</bdi>`
  return `Vermerk: <bdi>${text(evidence.text)}</bdi>`
}

function caseCell({ case_id }: DeadlineSnapshot, { cases }: PageContext): string {
  const found = cases.get(case_id)
  return found ? `<b>${text(found.file_number)}</b><br><bdi>${text(found.name)}</bdi>` : text(case_id)
}

function fristCell({ frist_type, title }: DeadlineSnapshot): string {
  const name = bareTitle({ frist_type, title })
  const kind = frist_type === 'hauptfrist' ? 'b' : 'i'
  return `<${kind}>${fristNames[frist_type]}</${kind}><br><bdi class="title">${text(name)}</bdi>`
}

function userName(id: string, { users }: PageContext): string {
  return `<bdi>${text(users.get(id) ?? id)}</bdi>`
}

function germanDay(local: string): string {
  const [year, month, day] = local.slice(0, 10).split('-')
  return `${day}.${month}.${year}<br>${local.slice(11, 16)}`
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

function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function style({ workspace, date }: Register): string {
  const [year, month, day] = date.split('-')
  const foot = cssString(`${workspace.name} · Fristenregister ${day}.${month}.${year}`)
  return `
@page { size: A4 landscape; margin: 12mm 12mm 16mm;
  @bottom-left { content: ${foot}; font: 8pt sans-serif }
  @bottom-right { content: "Seite " counter(page) " von " counter(pages); font: 8pt sans-serif } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 273mm; color: #000; background: #fff;
  font: 9pt/1.3 "Liberation Sans", Arial, Helvetica, sans-serif; overflow-wrap: anywhere }
header { display: grid; grid-template-columns: 1fr auto; column-gap: 6mm; align-items: baseline;
  border-bottom: 1.5pt solid #000; padding-bottom: 2mm }
h1 { font-size: 18pt; margin: 0 }
h2 { font-size: 11.5pt; margin: 6mm 0 0; break-after: avoid }
p { margin: 0 }
.day { font-size: 13pt; font-weight: bold; text-align: right }
.made { text-align: right }
.totals { margin: .5mm 0 2mm; break-after: avoid }
.empty { border: .5pt solid #000; padding: 2mm 3mm }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
thead { display: table-header-group }
tr { break-inside: avoid }
th { text-align: left; font-size: 8pt; border-bottom: 1pt solid #000; padding: 1mm 1.5mm; overflow-wrap: normal }
td { vertical-align: top; border-bottom: .4pt solid #000; padding: 1.3mm 1.5mm; hyphens: auto }
.time { white-space: nowrap; font-variant-numeric: tabular-nums }
.due th:nth-child(1) { width: 6% } .due th:nth-child(2) { width: 24% } .due th:nth-child(3) { width: 26% }
.due th:nth-child(4) { width: 13% } .due th:nth-child(5) { width: 24% } .due th:nth-child(6) { width: 7% }
.entries th:nth-child(1) { width: 6% } .entries th:nth-child(2) { width: 21% } .entries th:nth-child(3) { width: 22% }
.entries th:nth-child(4) { width: 23% } .entries th:nth-child(5) { width: 8% } .entries th:nth-child(6) { width: 13% }
.entries th:nth-child(7) { width: 7% }
.struck .title { text-decoration: line-through }
.alarm { border: 1.2pt solid #000; padding: 0 1mm }
.check { text-align: center } th:last-child { text-align: center }
.check span { display: inline-block; width: 4.2mm; height: 4.2mm; border: .8pt solid #000 }
footer { break-before: avoid; break-inside: avoid; margin-top: 8mm }
.signature { display: flex; gap: 10mm; margin-top: 13mm }
.legend { font-size: 8pt; margin-top: 1.5mm }
.signature span { border-top: .8pt solid #000; padding-top: 1mm; flex: 1; font-size: 8pt }
.signature span:last-child { flex: 1.6 }
`
}

/** A CSS string. Characters that could end it, or the style element, are written as escape codes. */
function cssString(value: string): string {
  return `"${value.replaceAll(/["\\<>&\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`
}
