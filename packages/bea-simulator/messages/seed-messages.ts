import { safeIds } from '../directory/identities.ts'
import type { Network } from '../network/network.ts'
import { seededRandomness } from '../randomness.ts'
import { addMessages, NewMessage } from './new-message.ts'

/**
 * Puts messages of every kind into the demo postboxes, the same ones at every first start. Their times count back
 * from `now`.
 */
export async function seedMessages(network: Network, now: Date): Promise<void> {
  const random = seededRandomness('messages')
  const custom = network.addFolder(network.baseFolder(safeIds.lindner, 'INBOX'), 'Importiert')
  for (const { hoursAgo, isFiled, ...message } of seeded) {
    const received = new Date(now.getTime() - hoursAgo * 3_600_000)
    received.setMilliseconds(0)
    const given = NewMessage.parse({ ...message, received: received.toISOString() })
    for (const id of await addMessages(network, random, given, now)) {
      const added = network.message(id)
      if (isFiled && added !== undefined) network.move(added, custom.id)
    }
  }
}

/** `isFiled`: in the lawyer's own folder. */
type Seeded = Omit<NewMessage, 'received'> & { hoursAgo: number; isFiled?: boolean }

const { lindner, demir, kanzlei, falkenberg, reuter, landgericht, amtsgericht, arbeitsgericht } = safeIds

const seeded: readonly Seeded[] = [
  {
    hoursAgo: 700,
    isFiled: true,
    from: reuter,
    to: lindner,
    subject: 'Yılmaz ./. Alpenbau, Fristverlängerung',
    body: 'Mit der Verlängerung der Frist bis Monatsende besteht Einverständnis.\n\nMartin Reuter',
    reference_number: 'R 77/26',
  },
  {
    hoursAgo: 170,
    from: lindner,
    to: landgericht,
    folder: 'SENT',
    subject: '3 O 4512/25, Donau Medtec ./. Elbe Software, Replik',
    body: 'In der Anlage die Replik der Klägerin.',
    reference_number: '0264/25',
    reference_justice: '3 O 4512/25',
    xjustiz: true,
    attachments: [
      { name: 'Replik.pdf', type: 'SCHRIFTSATZ', text: 'Replik\n\nDie Beklagte irrt über die Abnahme.' },
      { name: 'Anlage_K7.pdf', text: 'Anlage K 7\n\nPrüfprotokoll vom 4. Mai' },
    ],
  },
  {
    hoursAgo: 75,
    from: falkenberg,
    to: lindner,
    subject: 'Donau Medtec ./. Elbe Software, Vergleichsvorschlag',
    body: 'Sehr geehrte Frau Kollegin,\n\nanbei unser Vorschlag zur gütlichen Einigung.\n\nMit freundlichen kollegialen Grüßen\nBeate Falkenberg',
    reference_number: 'F 118/25',
    reference_justice: '0264/25',
    attachments: [
      { name: 'Vergleichsvorschlag.pdf', text: 'Vergleichsvorschlag\n\nDie Parteien einigen sich.' },
    ],
  },
  // A court requests an electronic receipt. Its SAFE-ID is only inside the container, below `Content`.
  {
    hoursAgo: 50,
    from: landgericht,
    to: lindner,
    subject: '3 O 4512/25, Donau Medtec GmbH ./. Elbe Software GmbH',
    body: 'Zustellung gegen elektronisches Empfangsbekenntnis.',
    reference_number: '0264/25',
    reference_justice: '3 O 4512/25',
    xjustiz: true,
    eeb_requested: true,
    attachments: [
      {
        name: 'Hinweisbeschluss.pdf',
        type: 'SCHRIFTSATZ',
        text: 'Landgericht München I\nAz.: 3 O 4512/25\n\nBeschluss\n\nDie Klägerin kann binnen zwei Wochen ab Zustellung Stellung nehmen.',
      },
      { name: 'Begleitschreiben.pdf', text: 'Bitte senden Sie das Empfangsbekenntnis zurück.' },
    ],
    packaging: { text: 'project_coco', layout: 'content', showsSender: false },
  },
  // An old form: CBC with the IV before the ciphertext, texts as direct children of `govello_coco`.
  {
    hoursAgo: 44,
    from: amtsgericht,
    to: lindner,
    subject: '412 C 1890/26, Brandt ./. Wohnwert AG',
    body: 'Ladung zum Termin.',
    reference_justice: '412 C 1890/26',
    attachments: [
      { name: 'Ladung.pdf', type: 'SCHRIFTSATZ', text: 'Ladung\n\nTermin zur mündlichen Verhandlung' },
    ],
    packaging: { cipher: 'cbc', text: 'govello_coco', layout: 'direct', showsSender: false },
  },
  // Its subject is only inside the container; both files have the same key.
  {
    hoursAgo: 40,
    from: arbeitsgericht,
    to: lindner,
    subject: '12 Ca 3456/26, Okafor ./. Isar Logistik',
    body: 'Anliegend das Protokoll der Güteverhandlung.',
    reference_justice: '12 Ca 3456/26',
    xjustiz: true,
    attachments: [
      { name: 'Protokoll.pdf', text: 'Protokoll' },
      { name: 'Vergleich.pdf', text: 'Vergleich' },
    ],
    packaging: {
      cipher: 'cbc_iv',
      text: 'project_coco',
      layout: 'direct',
      keys: 'one',
      showsSubject: false,
      showsSender: false,
    },
  },
  // No subject at all; the keys are at the files.
  {
    hoursAgo: 30,
    from: reuter,
    to: lindner,
    body: 'Wie telefonisch besprochen.',
    attachments: [{ name: 'Notiz.pdf', text: 'Telefonnotiz' }],
    packaging: { keys: 'attachment' },
  },
  {
    hoursAgo: 26,
    from: demir,
    to: lindner,
    subject: 'Persönlich: Anfrage wegen einer Vertretung',
    body: 'Liebe Frau Lindner,\n\nkönnten Sie mich im August vertreten? Bitte behandeln Sie das vertraulich.\n\nAylin Demir',
    confidential: true,
  },
  {
    hoursAgo: 20,
    from: falkenberg,
    to: lindner,
    subject: 'Unterlagen',
    body: 'Die Namen der Dateien stammen vom Mandanten.',
    attachments: [
      { name: 'Rechnung & Mahnung (2. Fassung) – Größe <A4>.pdf', text: 'Rechnung' },
      { name: '../Kündigung "fristlos".pdf', text: 'Kündigung' },
      { name: 'ohne Endung', text: 'Ohne Endung' },
    ],
  },
  // As newer programs send it: the text is only in a PDF.
  {
    hoursAgo: 8,
    from: demir,
    to: lindner,
    subject: 'Petrović ./. Nordlicht Energie',
    body: 'Der Text dieser Nachricht steht nur in Nachrichtentext.pdf.',
    urgent: true,
    text_as_pdf: true,
    attachments: [{ name: 'Vollmacht.pdf', text: 'Vollmacht' }],
    packaging: { text: 'none' },
  },
  {
    hoursAgo: 5,
    from: landgericht,
    to: kanzlei,
    subject: 'Rundschreiben zum elektronischen Rechtsverkehr',
    body: 'Das Landgericht ist am Montag ab 18 Uhr nicht erreichbar.',
    packaging: { text: 'project_coco', layout: 'direct', showsSender: false },
  },
  {
    hoursAgo: 60,
    from: lindner,
    to: demir,
    subject: 'Ihre Anfrage zum Ortstermin',
    body: 'Der Ortstermin findet am Freitag um 9 Uhr statt.',
    attachments: [{ name: 'Lageplan.pdf', text: 'Lageplan' }],
  },
]
