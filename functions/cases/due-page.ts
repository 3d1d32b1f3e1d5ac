import { dayNumberOf, germanDate, germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import type { DueCase, DuePage } from '#retention/schema.ts'

/** The cases that are due, by year, as a page to print: A4, German, black on white, without scripts. */
export function duePage(page: DuePage): string {
  const { data, by, workspace, pagination } = page
  const years = Map.groupBy(data, ({ retain_until }) => retain_until.slice(0, 4))
  const sections = [...years].map(([year, cases]) => section(year, cases, workspace.time_zone))
  const day = germanDate(dayNumberOf(by))
  return `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Zur Vernichtung anstehende Akten, ${escapeHtml(day)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Akten nach Ablauf der Aufbewahrungsfrist</h1>
<p>${escapeHtml(workspace.name)} · Stand für ${escapeHtml(day)} · § 50 Abs. 1 BRAO · Akten mit Aufbewahrungssperre stehen nicht darin</p>
</header>
${sections.join('\n') || '<p>An diesem Tag steht keine Akte zur Vernichtung an.</p>'}
${pagination.cursor === null ? '' : `<p><a href="?by=${by}&amp;cursor=${escapeHtml(encodeURIComponent(pagination.cursor))}">Weitere Akten folgen auf der nächsten Seite.</a></p>`}
<footer><span>Datum</span><span>Vorgeschlagen</span><span>Genehmigt</span></footer>
</body>
</html>
`
}

function section(year: string, cases: DueCase[], timeZone: string): string {
  const rows = cases.map(({ file_number, closed_at, deleted_at, retain_until, counts }) => {
    const ended = localDateOf(new Date(closed_at ?? deleted_at ?? ''), timeZone)
    const cells = [
      deleted_at === null ? file_number : `${file_number} (gelöscht)`,
      germanDay(ended),
      germanDay(retain_until),
      ...columns.map(([field]) => counts[field]),
    ]
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join('')}</tr>`
  })
  const heads = ['Aktenzeichen', 'Beendet', 'Aufzubewahren bis', ...columns.map(([, head]) => head)]
  return `<section>
<h2>Frist abgelaufen mit dem Jahr ${escapeHtml(year)}: ${cases.length} ${cases.length === 1 ? 'Akte' : 'Akten'} auf dieser Seite</h2>
<table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>`
}

const columns = [
  ['documents', 'Dokumente'],
  ['mails', 'E-Mails'],
  ['deadlines', 'Fristen'],
  ['envelopes', 'Signaturen'],
  ['time_entries', 'Zeiten'],
  ['invoices', 'Rechnungen'],
] as const satisfies readonly (readonly [keyof DueCase['counts'], string])[]

const style = `
@page { size: A4; margin: 14mm 14mm 18mm; @bottom-right { content: "Seite " counter(page) " von " counter(pages); font: 8pt sans-serif } }
body { margin: 0 auto; max-width: 182mm; color: #000; background: #fff; font: 9.5pt/1.35 "Liberation Sans", Arial, sans-serif; overflow-wrap: anywhere }
header { border-bottom: 1.5pt solid #000; padding-bottom: 2mm }
h1 { font-size: 16pt; margin: 0 } h2 { font-size: 11.5pt; margin: 6mm 0 1mm; break-after: avoid } p { margin: 1mm 0 }
table { width: 100%; border-collapse: collapse } thead { display: table-header-group } tr { break-inside: avoid }
th { text-align: left; font-size: 8pt; border-bottom: 1pt solid #000; padding: 1mm 1.5mm; overflow-wrap: normal }
td { border-bottom: .4pt solid #000; padding: 1.2mm 1.5mm; font-variant-numeric: tabular-nums }
td:nth-child(2), td:nth-child(3) { white-space: nowrap }
td:nth-child(n+4), th:nth-child(n+4) { text-align: right }
footer { display: flex; gap: 8mm; margin-top: 22mm; break-inside: avoid } footer span { flex: 1; border-top: .6pt solid #000; padding-top: 1mm; font-size: 8pt }
`
