/**
 * The parties of the demo cases. Courts and insurers appear in several. The telephone numbers are reserved for films.
 * Names are short, because each letter costs the search index some items, and the start should be quick.
 */
export const parties = {
  brandt: person('Sabine Brandt', '089 99998 101', 'Lindwurmstraße 12, 80337 München'),
  okafor: person('Emeka Okafor', '089 99998 102', 'Tegernseer Landstraße 88, 81539 München'),
  huber: person('Josef Huber', '089 99998 103', 'Dorfstraße 3, 85614 Kirchseeon'),
  schaefer: person('Anna Schäfer', '089 99998 104', 'Implerstraße 41, 81371 München'),
  yilmaz: person('Deniz Yılmaz', '089 99998 105', 'Schleißheimer Straße 207, 80809 München'),
  kraemer: person('Walter Krämer', '089 99998 106', 'Ringstraße 9, 82110 Germering'),
  kraemerErbin: person('Petra Krämer-Noll', '089 99998 107', 'Am Weiher 5, 86150 Augsburg'),
  weiss: person('Lukas Weiß', '089 99998 108', 'Georgenstraße 63, 80799 München'),
  novak: person('Ivana Novák', '089 99998 109', 'Balanstraße 150, 81549 München'),
  steiner: person('Dr. Ulrich Steiner', '089 99998 110', 'Königinstraße 27, 80539 München'),
  meier: {
    ...person('Anna Meier', '089 99998 113', 'Lindenstraße 7, 80339 München'),
    email: 'anna.meier@example.com',
  },
  schulze: person('Ralf Schulze', '089 99998 114', 'Gartenweg 2, 82110 Germering'),
  baumann: person('Gerd Baumann', '089 99998 112', 'Industriestraße 4, 85716 Unterschleißheim'),

  alpenbau: organization('Alpenbau GmbH', '089 99998 201', 'Kreillerstraße 65, 81673 München'),
  isarLogistik: organization('Isar Logistik GmbH', '089 99998 202', 'Am Containerbahnhof 2, 81241 München'),
  wohnwert: organization('Wohnwert AG', '089 99998 203', 'Brienner Straße 18, 80333 München'),
  bavaria: organization('Bavaria Versicherung', '089 99998 204', 'Leopoldstraße 240, 80807 München'),
  donauTechnik: organization('Donau Medtec GmbH', '089 99998 205', 'Hafenweg 11, 93055 Regensburg'),
  elbeSoft: organization('Elbe Software GmbH', '040 66969 206', 'Am Sandtorkai 30, 20457 Hamburg'),
  stadt: organization('Stadt München', '089 99998 207', 'Marienplatz 8, 80331 München'),
  falkenberg: organization('Kanzlei Falkenberg', '089 99998 208', 'Maximilianstraße 35, 80539 München'),
  reuter: organization('Kanzlei Reuter', '089 99998 209', 'Sonnenstraße 20, 80331 München'),
  amtsgericht: organization('AG München', '089 99998 210', 'Pacellistraße 5, 80333 München'),
  landgericht: organization('LG München I', '089 99998 211', 'Lenbachplatz 7, 80333 München'),
  arbeitsgericht: organization('ArbG München', '089 99998 212', 'Winzererstraße 106, 80797 München'),
  verwaltungsgericht: organization('VG München', '089 99998 213', 'Bayerstraße 30, 80335 München'),
  staatsanwaltschaft: organization('StA München I', '089 99998 214', 'Linprunstraße 25, 80335 München'),
}

export type PartyKey = keyof typeof parties

export type DemoCase = {
  name: string
  /** Given for cases of earlier years; the others get the next number of this year. */
  file_number?: string
  type: string
  dezernat: string
  description: string
  /** Its final status. A new case is active. */
  status?: 'closed' | 'archived'
  parties: readonly (readonly [PartyKey, role: string])[]
  staff: readonly (readonly ['owner' | 'colleague' | 'reader', role: string])[]
}

/** The cases of the first workspace, the oldest first. */
export const cases: readonly DemoCase[] = [
  {
    name: 'Nachlass Krämer',
    file_number: '0087/24',
    type: 'Erbrecht',
    dezernat: 'Dezernat II',
    description:
      'Testamentsvollstreckung nach Walter Krämer: Nachlassverzeichnis, Auseinandersetzung unter drei Miterben, Erbschaftsteuererklärung.',
    status: 'archived',
    parties: [
      ['kraemerErbin', 'mandant'],
      ['kraemer', 'erblasser'],
      ['amtsgericht', 'gericht'],
    ],
    staff: [['owner', 'lead_attorney']],
  },
  {
    name: 'Novák ./. Bavaria',
    file_number: '0211/25',
    type: 'Verkehrsrecht',
    dezernat: 'Dezernat I',
    description:
      'Auffahrunfall auf der A 99. Schmerzensgeld und Verdienstausfall, Haftung dem Grunde nach anerkannt; durch Vergleich beendet.',
    status: 'closed',
    parties: [
      ['novak', 'mandant'],
      ['bavaria', 'gegner'],
      ['baumann', 'sachverständiger'],
    ],
    staff: [
      ['colleague', 'lead_attorney'],
      ['reader', 'secretary'],
    ],
  },
  {
    name: 'Donau Medtec ./. Elbe Software',
    file_number: '0264/25',
    type: 'Zivilrecht',
    dezernat: 'Dezernat I',
    description:
      'Rückabwicklung eines Softwareprojekts nach gescheiterter Abnahme, Streitwert 412.000 EUR. Selbständiges Beweisverfahren läuft getrennt.',
    parties: [
      ['donauTechnik', 'mandant'],
      ['elbeSoft', 'gegner'],
      ['falkenberg', 'gegnervertreter'],
      ['landgericht', 'gericht'],
    ],
    staff: [
      ['owner', 'lead_attorney'],
      ['colleague', 'associate'],
    ],
  },
  {
    name: 'Donau Medtec, Beweisverfahren',
    type: 'Zivilrecht',
    dezernat: 'Dezernat I',
    description:
      'Feststellung der Mängel der gelieferten Software durch Sachverständigengutachten (§ 485 Abs. 2 ZPO).',
    parties: [
      ['donauTechnik', 'mandant'],
      ['elbeSoft', 'gegner'],
      ['baumann', 'sachverständiger'],
      ['landgericht', 'gericht'],
    ],
    staff: [['colleague', 'lead_attorney']],
  },
  {
    name: 'Okafor ./. Isar Logistik',
    type: 'Arbeitsrecht',
    dezernat: 'Dezernat III',
    description:
      'Betriebsbedingte Kündigung nach elf Jahren. Klage nach § 4 KSchG eingereicht, Gütetermin steht an; Sozialauswahl wird gerügt.',
    parties: [
      ['okafor', 'mandant'],
      ['isarLogistik', 'gegner'],
      ['reuter', 'gegnervertreter'],
      ['arbeitsgericht', 'gericht'],
    ],
    staff: [
      ['colleague', 'lead_attorney'],
      ['reader', 'secretary'],
    ],
  },
  {
    name: 'Brandt ./. Wohnwert (Miete)',
    type: 'Mietrecht',
    dezernat: 'Dezernat II',
    description:
      'Zustimmung zur Mieterhöhung bis zur ortsüblichen Vergleichsmiete (§ 558 BGB); der Mietspiegel wird angegriffen.',
    parties: [
      ['brandt', 'mandant'],
      ['wohnwert', 'gegner'],
      ['falkenberg', 'gegnervertreter'],
      ['amtsgericht', 'gericht'],
    ],
    staff: [
      ['owner', 'lead_attorney'],
      ['reader', 'secretary'],
    ],
  },
  {
    name: 'Brandt ./. Wohnwert (Mängel)',
    type: 'Mietrecht',
    dezernat: 'Dezernat II',
    description: 'Schimmel im Schlafzimmer seit Februar, Minderung um 20 %; Feuchtemessung beauftragt.',
    parties: [
      ['brandt', 'mandant'],
      ['wohnwert', 'gegner'],
      ['baumann', 'sachverständiger'],
    ],
    staff: [['owner', 'lead_attorney']],
  },
  {
    name: 'Huber ./. Stadt München',
    type: 'Verwaltungsrecht',
    dezernat: 'Dezernat IV',
    description:
      'Anfechtung einer baurechtlichen Nutzungsuntersagung für eine Kfz-Werkstatt, Antrag nach § 80 Abs. 5 VwGO gestellt.',
    parties: [
      ['huber', 'mandant'],
      ['stadt', 'gegner'],
      ['verwaltungsgericht', 'gericht'],
    ],
    staff: [
      ['owner', 'lead_attorney'],
      ['colleague', 'associate'],
    ],
  },
  {
    name: 'Strafsache Weiß',
    type: 'Strafrecht',
    dezernat: 'Dezernat IV',
    description:
      'Ermittlungsverfahren nach § 266 StGB gegen den früheren Geschäftsführer. Akteneinsicht ist beantragt.',
    parties: [
      ['weiss', 'mandant'],
      ['staatsanwaltschaft', 'staatsanwaltschaft'],
    ],
    staff: [['owner', 'verteidiger']],
  },
  {
    name: 'Yılmaz ./. Alpenbau',
    type: 'Baurecht',
    dezernat: 'Dezernat I',
    description:
      'Restwerklohn von 38.900 EUR gegen Mängel am Wärmedämmverbundsystem; Abnahme unter Vorbehalt.',
    parties: [
      ['yilmaz', 'mandant'],
      ['alpenbau', 'gegner'],
      ['reuter', 'gegnervertreter'],
      ['landgericht', 'gericht'],
    ],
    staff: [['colleague', 'lead_attorney']],
  },
  {
    name: 'Scheidung Schäfer',
    type: 'Familienrecht',
    dezernat: 'Dezernat III',
    description:
      'Scheidungsantrag nach Ablauf des Trennungsjahres, Zugewinnausgleich und Unterhalt im Verbund.',
    parties: [
      ['schaefer', 'mandant'],
      ['reuter', 'gegnervertreter'],
      ['amtsgericht', 'gericht'],
    ],
    staff: [
      ['colleague', 'lead_attorney'],
      ['reader', 'secretary'],
    ],
  },
  {
    name: 'Pflichtteil Steiner ./. Krämer',
    type: 'Erbrecht',
    dezernat: 'Dezernat II',
    description:
      'Pflichtteilsergänzung wegen Schenkungen der letzten zehn Jahre (§ 2325 BGB), Auskunft in erster Stufe.',
    parties: [
      ['steiner', 'mandant'],
      ['kraemerErbin', 'gegner'],
      ['landgericht', 'gericht'],
    ],
    staff: [['owner', 'lead_attorney']],
  },
  {
    name: 'Meier ./. Schulze wegen Kaufpreis',
    type: 'Zivilrecht',
    dezernat: 'Dezernat I',
    description: 'Kaufpreisforderung aus dem Vertrag vom 3. März 2026, Streitwert 4.800 EUR.',
    parties: [
      ['meier', 'mandant'],
      ['schulze', 'gegner'],
      ['amtsgericht', 'gericht'],
    ],
    staff: [['owner', 'lead_attorney']],
  },
]

/** Links between cases of the first workspace, by their index in `cases`. */
export const links: readonly { from: number; to: number; type: string; note: string }[] = [
  { from: 2, to: 3, type: 'Beweisverfahren', note: 'Das Gutachten wird in der Hauptsache verwertet.' },
  { from: 5, to: 6, type: 'gleiches Mietverhältnis', note: 'Einheitliche Vergleichslösung angestrebt.' },
  {
    from: 0,
    to: 11,
    type: 'gleicher Nachlass',
    note: 'Vor der Annahme geprüft: keine widerstreitenden Interessen.',
  },
  { from: 12, to: 9, type: 'gleicher Sachverständiger', note: 'Sein Honorar je Stunde ist vergleichbar.' },
]

/** The cases of the second workspace: only a few, to show that it has no data of the first. */
export const otherCases: readonly Pick<DemoCase, 'name' | 'type' | 'dezernat' | 'description'>[] = [
  {
    name: 'Petrović ./. Nordlicht Energie',
    type: 'Zivilrecht',
    dezernat: 'Allgemeines',
    description: 'Preisanpassung ohne wirksame Mitteilung, Rückforderung der Mehrbeträge.',
  },
  {
    name: 'Einbürgerung Haddad',
    type: 'Verwaltungsrecht',
    dezernat: 'Migration',
    description: 'Untätigkeitsklage nach § 75 VwGO nach vierzehn Monaten ohne Bescheid.',
  },
]

function person(name: string, phone: string, address: string) {
  return { type: 'person', name, phone, address }
}

function organization(name: string, phone: string, address: string) {
  return { type: 'organization', name, phone, address }
}
