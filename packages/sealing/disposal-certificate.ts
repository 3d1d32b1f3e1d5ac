import type { DisposalCertificate } from '#retention/disposal-schema.ts'
import { startSheet } from './append-certificate.ts'
import { newPdf } from './pdf-update.ts'
import { checkValidity, type Seal, sealPrepared, signatureBytes } from './seal-prepared.ts'
import { prepareSignature } from './signature-field.ts'

/** The content of the printed certificate of a disposal: the certificate, the names of its users, and the firm. */
type ShownDisposal = DisposalCertificate & {
  office: string
  time_zone: string
  proposed_by_name: string
  approved_by_name: string
}

/**
 * The certificate of a disposal (R4) as a sealed PDF, in German, on as many A4 pages as it needs.
 *
 * @throws SealFault if signer, certificate or time stamp do not match; errors of signer and time stamper
 */
export async function sealedDisposal(shown: ShownDisposal, seal: Seal): Promise<Uint8Array> {
  checkValidity(seal)
  const update = await newPdf()
  const sheet = await startSheet(update)
  const time = timeIn(shown.time_zone)
  sheet.text('Nachweis über die Vernichtung von Handakten', { font: sheet.bold, size: 18, after: 10 })
  sheet.text(
    `${shown.office} hat die unten genannten Akten nach Ablauf ihrer Aufbewahrungsfrist (${shown.rule}) mit allen zugehörigen Daten vernichtet. Der Nachweis nennt Akten nur mit ihrem Aktenzeichen.`,
    { after: 10 },
  )
  sheet.field('Vernichtung', shown.disposal_id)
  sheet.field('Rechtsgrundlage', shown.rule)
  sheet.field('Vorgeschlagen von', `${shown.proposed_by_name} (${shown.proposed_by})`)
  sheet.field('Genehmigt von', `${shown.approved_by_name} (${shown.approved_by})`)
  sheet.field('Begonnen', time(shown.begun_at))
  sheet.field('Beendet', time(shown.done_at))
  sheet.field('Prüfsumme (SHA-256)', shown.digest)
  sheet.rule(60)
  sheet.text(`Vernichtete Akten: ${shown.cases.length}`, { font: sheet.bold, size: 12, after: 3 })
  sheet.text(shown.cases.map(({ file_number }) => file_number).join(' · ') || 'Keine.')
  if (shown.kept.length > 0) {
    sheet.rule(60)
    sheet.text(`Nicht vernichtet: ${shown.kept.length}`, { font: sheet.bold, size: 12, after: 3 })
    for (const { file_number, reason } of shown.kept) sheet.field(file_number, reasons[reason ?? ''] ?? '')
  }
  sheet.rule(60)
  sheet.text('Vernichtete Datensätze', { font: sheet.bold, size: 12, after: 3 })
  for (const [kind, count] of Object.entries(shown.counts)) sheet.field(kinds[kind] ?? kind, String(count))
  sheet.text(
    'Die Prüfsumme ist über die Kennungen aller vernichteten Datensätze gebildet: sortiert, je eine in einer Zeile. Ausgestellte Rechnungen werden bis zum Ende ihrer eigenen Frist aufbewahrt (§ 147 AO, § 14b UStG). Signierte Fristenregister bleiben als Bücher der Kanzlei unverändert; sie nennen Aktenzeichen, Bezeichnung und Fristen der Akten.',
    { before: 8, size: 8 },
  )
  const page = sheet.finish((number, count) => `${shown.disposal_id} · Seite ${number} von ${count}`)
  return sealPrepared(await prepareSignature(update, page, seal.note, signatureBytes(seal)), seal)
}

/** `16.03.2026, 09:30:00 MEZ` */
function timeIn(timeZone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('de-DE', {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'long',
  })
  return (at) => format.format(new Date(at))
}

const reasons: Record<string, string> = {
  reopened: 'wieder aufgenommen',
  not_due: 'Frist nicht abgelaufen',
  legal_hold: 'Aufbewahrungssperre',
  open_work: 'offene Vorgänge',
  changed: 'seit dem Vorschlag geändert',
  gone: 'zuvor gelöscht',
}

const kinds: Record<string, string> = {
  case: 'Akten',
  document: 'Dokumente',
  correspondence: 'E-Mails',
  beamessage: 'beA-Nachrichten',
  deadline: 'Fristen',
  event: 'Termine',
  envelope: 'Signaturvorgänge',
  timeentry: 'Zeiteinträge',
  invoice: 'Rechnungsentwürfe',
  draft: 'E-Mail-Entwürfe',
  beadraft: 'beA-Entwürfe',
  folder: 'Ordner',
}
