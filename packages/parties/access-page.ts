import { germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { missingEnd } from './access-keys.ts'
import type { AccessSubject } from './access-ports.ts'

/** A record in the list, with the paths of its files in the ZIP. */
export type ListedFile = { title: string; date: string | null; paths: string[] }

/** The page that lists a report on a party, to read on a screen or to print: A4, German, without scripts. */
export function accessPage({
  subject: { party },
  office,
  now,
  sections,
}: {
  subject: Pick<AccessSubject, 'party'>
  office: { name: string; time_zone: string }
  now: Date
  sections: readonly { heading: string; files: readonly ListedFile[] }[]
}): string {
  const day = (moment: string | Date) => germanDay(localDateOf(new Date(moment), office.time_zone))
  const facts = [
    ['Name', party.name],
    ['Art', party.type === 'person' ? 'Person' : 'Organisation'],
    ['E-Mail', party.email],
    ['Telefon', party.phone],
    ['Anschrift', party.address],
    ['Angelegt', day(party.created_at)],
    ['Zuletzt geändert', day(party.updated_at)],
    ['Kennung', party.id],
  ].flatMap(([term, value]) =>
    value ? [`<dt>${term}</dt><dd>${escapeHtml(value).replaceAll('\n', '<br>')}</dd>`] : [],
  )
  const tables = sections.map(({ heading, files }) => section(heading, files, (date) => day(date)))
  return `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Auskunft nach Art. 15 DSGVO: ${escapeHtml(party.name)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Auskunft über gespeicherte Daten</h1>
<p>Art. 15 DSGVO · ${escapeHtml(office.name)} · Stand ${escapeHtml(day(now))}</p>
</header>
<dl>
${facts.join('\n')}
</dl>
<p>Die Dateien liegen im selben ZIP-Archiv, unter dem Pfad der Schnittstelle, aus der sie stammen.</p>
<section>
<h2>Was diese Auskunft umfasst</h2>
<p>Stammdaten; die Akten, die die Person als Beteiligte nennen, auch gelöschte, mit ihrer Rolle; E-Mails, die ihr zugeordnet sind oder deren Absender, Empfänger oder Antwortadresse sie ist, mit ihrer Einordnung; Entwürfe an ihre Adresse; beA-Nachrichten, die ihr zugeordnet sind, und solche ihrer Akten oder ohne Akte, die sie im Betreff, als Absender oder als Empfänger nennen; Signaturvorgänge, in denen sie unterzeichnet; Rechnungen und Entwürfe an sie; Termine, Fristen, Zeiteinträge und Ordner, deren Text sie nennt; Dokumente, die ihr zugeordnet sind. Aus den Akten, in denen sie Mandant ist, dazu alles Genannte und der Verlauf.</p>
<h2>Was sie nicht umfasst</h2>
<p>Durchsucht wird nach dem ganzen Namen und der E-Mail-Adresse, nicht nach Teilen des Namens und nicht nach ähnlich klingenden Namen. Haben mehrere Beteiligte dieselbe E-Mail-Adresse, fehlt, was nur die Adresse nennt. Nicht durchsucht sind freie Texte, die den Namen nur erwähnen: der Inhalt von Dokumenten, der Text von E-Mails und beA-Nachrichten anderer, Entwürfe von beA-Nachrichten, Vermerke an Verknüpfungen und Aufbewahrungssperren, der Verlauf fremder Akten. Nicht enthalten sind die Akten selbst mit Beschreibung, Aufbewahrungssperren und Verknüpfungen, Protokolle und Unterschriftsbilder der Signaturvorgänge, die Änderungsverläufe von Fristen und unterschriebene Fristenregister, die Einordnung von Dokumenten und beA-Nachrichten, einzeln gelöschte Einträge, die noch gespeichert sind, Einstellungen und gespeicherte Dateien von Exporten, das Zugriffsprotokoll und Datensicherungen.</p>
</section>
${tables.join('\n')}
<aside>
<h2>Vor der Herausgabe zu prüfen</h2>
<p>Rechte Dritter und die Verschwiegenheit des Anwalts können der Auskunft entgegenstehen (Art. 15 Abs. 4 DSGVO, § 29 Abs. 1 BDSG, § 43a Abs. 2 BRAO). Aus den Akten, in denen die Person nicht Mandant ist, enthält die Auskunft nur, was ihr ausdrücklich zugeordnet ist oder sie nennt. beA-Nachrichten, die der Ersteller der Auskunft nach seinen Rechten am Postfach nicht lesen darf, fehlen.</p>
</aside>
</body>
</html>
`
}

function section(heading: string, files: readonly ListedFile[], day: (date: string) => string): string {
  if (files.length === 0) return `<section>\n<h2>${heading}</h2>\n<p>Nichts gespeichert.</p>\n</section>`
  const rows = files.map(({ title, date, paths }) => {
    const links = paths.map((path) => {
      const link = `<a href="${escapeHtml(encodeURI(path))}">${escapeHtml(path)}</a>`
      return path.endsWith(missingEnd) ? `${link} (Datei nicht mehr gespeichert)` : link
    })
    return `<tr><td>${date === null ? '' : escapeHtml(day(date))}</td><td><bdi>${escapeHtml(title)}</bdi></td><td>${links.join('<br>')}</td></tr>`
  })
  return `<section>
<h2>${heading} (${files.length})</h2>
<table>
<thead><tr><th scope="col">Datum</th><th scope="col">Bezeichnung</th><th scope="col">Dateien</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>`
}

const style = `
@page { size: A4; margin: 14mm 14mm 18mm; @bottom-right { content: "Seite " counter(page) " von " counter(pages); font: 8pt sans-serif } }
body { margin: 0 auto; max-width: 182mm; color: #000; background: #fff; font: 9.5pt/1.35 "Liberation Sans", Arial, sans-serif; overflow-wrap: anywhere }
header { border-bottom: 1.5pt solid #000; padding-bottom: 2mm }
h1 { font-size: 16pt; margin: 0 } h2 { font-size: 11.5pt; margin: 6mm 0 1mm; break-after: avoid } p { margin: 1mm 0 }
dl { display: grid; grid-template-columns: 34mm 1fr; margin: 4mm 0 } dt { font-weight: bold } dd { margin: 0 }
table { width: 100%; border-collapse: collapse; table-layout: fixed } thead { display: table-header-group } tr { break-inside: avoid }
th { text-align: left; font-size: 8pt; border-bottom: 1pt solid #000; padding: 1mm 1.5mm }
td { border-bottom: .4pt solid #000; padding: 1.2mm 1.5mm; vertical-align: top }
th:nth-child(1) { width: 26mm } th:nth-child(3) { width: 78mm } td:nth-child(3) { font-size: 7.5pt }
a { color: #000 } aside { border: .6pt solid #000; padding: 1mm 3mm 2mm; margin-top: 8mm; break-inside: avoid } aside h2 { margin-top: 1mm }
`
