import type { Register } from '#deadlines/register-schema.ts'
import { germanDay } from '#german-time/calendar-date.ts'

/**
 * The style of the register as a page: A4, black on white, page numbers, one block per entry. On a narrow screen a
 * row is a block, and each of its cells begins with the heading of its column.
 */
export function registerStyle({ workspace, date }: Pick<Register, 'workspace' | 'date'>): string {
  const foot = cssString(`${workspace.name} · Fristenregister ${germanDay(date)}`)
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
.list th:nth-child(1) { width: 9% } .list th:nth-child(2) { width: 22% } .list th:nth-child(3) { width: 26% }
.list th:nth-child(4) { width: 12% } .list th:nth-child(5) { width: 24% } .list th:nth-child(6) { width: 7% }
.entries th:nth-child(1) { width: 6% } .entries th:nth-child(2) { width: 21% } .entries th:nth-child(3) { width: 22% }
.entries th:nth-child(4) { width: 23% } .entries th:nth-child(5) { width: 8% } .entries th:nth-child(6) { width: 13% }
.entries th:nth-child(7) { width: 7% }
.category { display: inline-block; border: 1pt solid #000; padding: 0 1mm; font-size: 8pt; font-weight: bold; margin-bottom: .5mm }
.marked td { border-left: 0 } .marked td:first-child { border-left: 2.5pt solid #000 }
.basis { display: block; font-size: 8pt; margin-top: .8mm; padding-left: 1.5mm; border-left: .8pt solid #000 }
.reckoned td { border-bottom: 0; padding-bottom: .4mm }
.reckoning { break-before: avoid; font-size: 8pt } .reckoning td { padding-top: 0 }
.warning { display: block; padding-left: 2.3mm; text-indent: -2.3mm }
.warning::before { content: "! "; font-weight: bold }
.struck .title { text-decoration: line-through }
.alarm { border: 1.2pt solid #000; padding: 0 1mm }
.check { text-align: center } th:last-child { text-align: center }
.check span { display: inline-block; width: 4.2mm; height: 4.2mm; border: .8pt solid #000 }
footer { break-before: avoid; break-inside: avoid; margin-top: 8mm }
.signature { display: flex; gap: 10mm; margin-top: 13mm }
.signed { border: 1pt solid #000; padding: 2mm 3mm; margin-top: 6mm }
.legend { font-size: 8pt; margin-top: 1.5mm }
.signature span { border-top: .8pt solid #000; padding-top: 1mm; flex: 1; font-size: 8pt }
.signature span:last-child { flex: 1.6 }
@media screen { body { padding: 4mm } }
@media screen and (max-width: 48rem) {
  body { font-size: 11pt }
  header { display: block }
  .day, .made { text-align: left }
  table, tbody, tr, td { display: block }
  thead { display: none }
  tr { padding: 2mm 0; border-bottom: 1pt solid #000 }
  td, .reckoned td, .marked td:first-child { border: 0; padding: .5mm 0 }
  .marked { border-left: 2.5pt solid #000; padding-left: 2mm }
  .reckoned { border-bottom: 0; padding-bottom: 0 }
  .reckoning, .basis, .legend, .category, th { font-size: 10pt }
  td:empty { display: none }
  .check { text-align: left }
  .time br { display: none }
${labels('list', listHeads)}
${labels('entries', entryHeads)}
  .signature { display: block } .signature span { display: block; margin-top: 13mm }
}
`
}

export const listHeads = ['Fällig', 'Akte', 'Frist', 'Zuständig', 'Stand', 'Kontrolle']
export const entryHeads = ['Uhrzeit', 'Vorgang', 'Akte', 'Frist', 'Fällig', 'Durch', 'Kontrolle']

function labels(name: string, heads: string[]): string {
  return heads
    .map(
      (head, at) =>
        `  .${name} tr:not(.reckoning) td:nth-child(${at + 1})::before { content: ${cssString(`${head}: `)}; font-size: 10pt }`,
    )
    .join('\n')
}

/** A CSS string. Characters that could end it, or the style element, are written as escape codes. */
function cssString(value: string): string {
  return `"${value.replaceAll(/["\\<>&\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`
}
