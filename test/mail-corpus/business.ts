import { type CorpusMail, fromOffice } from './corpus-mail.ts'
import { ourMessageId } from './firm.ts'

const kessler = 'Dr. Kessler, Rechtsanwalt <kessler@kessler-lang.example>'
const nordwall = 'Nordwall Versicherung AG <kfz-schaden@nordwall-versicherung.example>'
const recht = 'Novatek GmbH, Rechtsabteilung <recht@novatek.example>'
const stein = 'Ralf Stein <ralf.stein@novatek.example>'
const unsubscribe = { 'List-Unsubscribe': '<https://news.example/abmelden>', Precedence: 'bulk' }

/** Mail of firms: opposing counsel, insurers, clients that are firms, suppliers, publishers. */
export const business: CorpusMail[] = [
  {
    id: 'business-01',
    by: 'outlook',
    from: kessler,
    subject: 'Wagner ./. Brandt Bau GmbH; Ihr Zeichen: 0010/26; unser Zeichen: 117/26',
    text: `Sehr geehrte Frau Kollegin,

in vorbezeichneter Angelegenheit überreichen wir unseren Schriftsatz vom heutigen Tage. Namens und in Vollmacht unserer Mandantin bieten wir einen Vergleich an, an den wir uns bis zum 07.12.2026 gebunden halten.

Mit freundlichen kollegialen Grüßen
Dr. Kessler
Rechtsanwalt`,
    is: 'opponent',
    files: 'wagner',
    hints: ['2026-12-07'],
  },
  {
    id: 'business-02',
    by: 'outlook',
    from: kessler,
    subject: 'Dorn ./. Fassadenbau Lutz, BGH VII ZR 12/26',
    text: `Sehr geehrte Frau Kollegin,

in dem Revisionsverfahren VII ZR 12/26 zeigen wir an, dass die Vertretung auf Rechtsanwalt Baum übergegangen ist.

Mit freundlichen kollegialen Grüßen
Dr. Kessler`,
    is: 'opponent',
    files: 'revision',
  },
  {
    id: 'business-03-cited-case-of-same-counsel',
    by: 'outlook',
    from: kessler,
    subject: 'Wagner ./. Brandt Bau GmbH, 3 O 45/26',
    text: `Sehr geehrte Frau Kollegin,

im Verfahren 3 O 45/26 weisen wir auf die dem Senat vorliegende Frage hin (vgl. BGH, Az. VII ZR 12/26; ferner BGH, Urteil vom 12.03.2025 – VII ZR 88/24, NJW 2025, 1201).

Mit freundlichen kollegialen Grüßen
Dr. Kessler`,
    is: 'opponent',
    files: 'wagner',
  },
  {
    id: 'business-04-their-number-is-like-ours',
    by: 'outlook',
    from: kessler,
    subject: 'Neues Mandat Brandt Bau',
    text: `Sehr geehrte Frau Kollegin,

unser Zeichen: 0105/26

in einer weiteren Angelegenheit zeigen wir die Vertretung der Brandt Bau GmbH an.

Dr. Kessler`,
    is: 'opponent',
  },
  {
    id: 'business-05',
    by: 'outlook',
    from: 'Kanzlei Thome <post@kanzlei-thome.example>',
    subject: 'Yıldız ./. Yıldız, Ihr Zeichen 42/26',
    text: `Sehr geehrte Frau Kollegin Lohse,

namens des von mir vertretenen Ehemanns übermittle ich die Auskunft zum Endvermögen.

Carla Thome
Rechtsanwältin`,
    is: 'opponent',
    files: 'yildiz',
  },
  {
    id: 'business-06-unknown-counsel',
    by: 'outlook',
    from: 'Rechtsanwälte Harms & Partner <info@ra-harms.example>',
    subject: 'Fuchs ./. Volkmann – Ihr Zeichen: 0071/26',
    text: `Sehr geehrte Kolleginnen und Kollegen,

wir zeigen an, dass uns Frau Rita Volkmann mit der Wahrnehmung ihrer Interessen beauftragt hat. Unser Zeichen: 442/26.

Harms
Rechtsanwalt`,
    is: 'opponent',
    belongs: 'fuchs',
  },
  {
    id: 'business-07-counsel-answers',
    by: 'outlook',
    from: 'Sekretariat Kessler Lang <sekretariat@kessler-lang.example>',
    subject: 'AW: Vergleichsvorschlag',
    text: 'Sehr geehrte Frau Kunz,\n\nHerr Dr. Kessler ist bis Montag verhindert.\n\nSekretariat',
    answers: ourMessageId('wagner', 2),
    quotes: fromOffice('wir erinnern an den Vergleichsvorschlag in Sachen Wagner, unser Zeichen 0010/26.'),
    is: 'opponent',
    files: 'wagner',
  },
  {
    id: 'business-08-counsel-without-number',
    by: 'outlook',
    from: kessler,
    subject: 'Terminvorschläge',
    text: 'Sehr geehrte Frau Kollegin,\n\npasst Ihnen der 3. oder 4. Dezember?\n\nDr. Kessler',
    is: 'opponent',
  },
  {
    id: 'business-09',
    by: 'outlook',
    from: nordwall,
    subject: 'Schadennummer 26-448811/3, Ihr Zeichen: 0031/26',
    text: `Sehr geehrter Herr Rechtsanwalt Aydin,

zu unserer Schadennummer 26-448811/3 haben wir 1.250,00 EUR angewiesen.

Nordwall Versicherung AG
Kfz-Schaden`,
    is: 'insurance',
    files: 'meierUnfall',
  },
  {
    id: 'business-10-policy-like-our-number',
    by: 'outlook',
    from: nordwall,
    subject: 'Versicherungsschein 0160/26',
    text: `Sehr geehrter Herr Aydin,

zum Versicherungsschein Nr. 0160/26 benötigen wir noch den Fahrzeugschein.

Nordwall Versicherung AG`,
    is: 'insurance',
    belongs: 'meierUnfall',
  },
  {
    id: 'business-11-legal-expenses-insurer',
    by: 'outlook',
    from: 'ARAG SE Leistung <service@arag.de>',
    subject: 'Deckungszusage Kowalski, Leistungsnummer 11-2233445, Ihr Zeichen 0055/26',
    text: `Sehr geehrte Damen und Herren,

für die Interessenwahrnehmung unseres Versicherungsnehmers Marek Kowalski erteilen wir Kostenschutz.

ARAG SE`,
    is: 'insurance',
    belongs: 'kowalski',
  },
  {
    id: 'business-12',
    by: 'outlook',
    from: 'Nordwall Leben <leben@nordwall-versicherung.example>',
    subject: 'Weber, Jonas – Vertragsnummer L-778812, Ihr Zeichen 160/26',
    text: `Sehr geehrte Damen und Herren,

unter Bezugnahme auf Ihr Zeichen 160/26 lehnen wir die Leistung ab. Einwendungen erbitten wir innerhalb von vier Wochen.

Nordwall Versicherung AG`,
    is: 'insurance',
    files: 'weber',
    hints: ['4 week'],
  },
  {
    id: 'business-13-unknown-insurer',
    by: 'system',
    from: 'Südring Rechtsschutz <leistung@suedring-rechtsschutz.example>',
    subject: 'Schaden-Nr. 0042/26 – Deckungsanfrage',
    text: `Sehr geehrte Damen und Herren,

zu Ihrer Deckungsanfrage, unsere Schaden-Nr. 0042/26, benötigen wir die Klageschrift.

Südring Rechtsschutz`,
    is: 'insurance',
  },
  {
    id: 'business-14',
    by: 'outlook',
    from: recht,
    subject: 'Stein, Az. 0110/26',
    text: `Sehr geehrte Frau Dr. Morgenroth,

anbei der Geschäftsführerdienstvertrag von Herrn Stein (0110/26).

Novatek GmbH
Rechtsabteilung`,
    is: 'client',
    files: 'novatek',
  },
  {
    id: 'business-15-opponent-from-clients-domain',
    by: 'outlook',
    from: stein,
    subject: 'Ihr Schreiben 0110/26',
    text: `Sehr geehrte Frau Dr. Morgenroth,

Ihre Vorwürfe in dem Schreiben 0110/26 weise ich zurück.

Ralf Stein`,
    is: 'opponent',
    files: 'novatek',
  },
  {
    id: 'business-16-opponent-without-number',
    by: 'outlook',
    from: stein,
    subject: 'Dienstwagen',
    text: 'Sehr geehrte Damen und Herren,\n\nden Dienstwagen gebe ich am 30.11. zurück.\n\nRalf Stein',
    is: 'opponent',
    belongs: 'novatek',
  },
  {
    id: 'business-17-other-employee-of-client',
    by: 'outlook',
    from: 'Vertrieb Novatek <vertrieb@novatek.example>',
    subject: 'Lizenzvertrag Orbis 0112/26',
    text: 'Guten Tag,\n\nHerr Brenner bat mich, Ihnen den Entwurf zu 0112/26 zu schicken.\n\nTeam Vertrieb',
    is: 'other',
    belongs: 'novatekPatent',
  },
  {
    id: 'business-18-management-two-cases',
    by: 'outlook',
    from: 'Dr. Ina Brenner <geschaeftsleitung@novatek.example>',
    subject: 'Aufsichtsrat',
    text: 'Liebe Frau Dr. Morgenroth,\n\nder Aufsichtsrat tagt am Dienstag. Bitte um kurze Sachstände.\n\nIna Brenner',
    is: 'other',
  },
  {
    id: 'business-19',
    by: 'outlook',
    from: 'Dr. Ina Brenner <geschaeftsleitung@novatek.example>',
    subject: 'Orbis, Ihr Zeichen 0112/26',
    text: 'Liebe Frau Dr. Morgenroth,\n\nOrbis hat den Entwurf unterschrieben zurückgesandt.\n\nIna Brenner',
    is: 'other',
    files: 'novatekPatent',
  },
  {
    id: 'business-20',
    by: 'apple-mail',
    from: 'Orbis Legal <legal@orbis-sensorik.example>',
    subject: 'Re: Lizenzvertrag',
    text: 'Sehr geehrte Frau Dr. Morgenroth,\n\nwir haben Anmerkungen zu Ziffer 4.\n\nOrbis Sensorik AG',
    answers: ourMessageId('novatekPatent'),
    quotes: fromOffice('anbei der Entwurf.'),
    is: 'opponent',
    files: 'novatekPatent',
  },
  {
    id: 'business-21-employer',
    by: 'outlook',
    from: 'Lumen Technik GmbH, Personal <hr@lumen-technik.example>',
    subject: 'Kowalski – 12 Ca 3456/26',
    text: `Sehr geehrte Frau Lohse,

in der Sache 12 Ca 3456/26 übersenden wir die Lohnabrechnung Oktober (Personalnummer 0117/26).

Lumen Technik GmbH`,
    is: 'opponent',
    files: 'kowalski',
  },
  {
    id: 'business-22-administrator',
    by: 'outlook',
    from: 'Insolvenzverwalter Dr. Reimann <reimann@insolvenz-reimann.example>',
    subject: '36 IN 77/26 – Schuster Holzbau',
    text: `Sehr geehrter Herr Kollege,

im Insolvenzverfahren 36 IN 77/26 bitte ich um Auskunft zu den Lieferantenkrediten innerhalb einer Woche.

Dr. Reimann`,
    is: 'other',
    files: 'schuster',
    hints: ['1 week'],
  },
  {
    id: 'business-23-expert',
    by: 'outlook',
    from: 'Gutachterbüro Pfeil <buero@gutachter-pfeil.example>',
    subject: 'Gutachten Meier, Ihr Az.: 31/26 AY',
    text: 'Sehr geehrter Herr Aydin,\n\nanbei das Gutachten.\n\nGutachterbüro Pfeil',
    attachments: [{ name: 'Gutachten_4711.pdf', text: 'Gutachten Nr. 0071/26\nAuftraggeber: Stefan Meier' }],
    is: 'other',
    files: 'meierUnfall',
  },
  {
    id: 'business-24-invoice',
    by: 'system',
    from: 'Bürobedarf Stolz <rechnung@buerobedarf-stolz.example>',
    subject: 'Ihre Rechnung 0088/26',
    text: `Sehr geehrte Damen und Herren,

anbei erhalten Sie die Rechnung Nr. 0088/26 vom 18.11.2026.
Rechnungsbetrag: 118,40 EUR, zahlbar innerhalb von 14 Tagen ohne Abzug.
IBAN DE02 1203 0000 0000 2020 51`,
    attachments: [
      {
        name: 'Rechnung_0088-26.pdf',
        text: 'Rechnung\nRechnungsnummer 0088/26\nUSt-IdNr. DE123456789\nGesamtbetrag 118,40 EUR',
      },
    ],
    is: 'invoice',
  },
  {
    id: 'business-25-invoice-in-attachment-only',
    by: 'outlook',
    from: 'Haustechnik Reber <office@haustechnik-reber.example>',
    subject: 'Wartung Heizung',
    text: 'Guten Tag,\n\nwie besprochen im Anhang.\n\nReber',
    attachments: [
      {
        name: 'RE-2026-1180.pdf',
        text: 'Rechnung\nRechnungs-Nr.: RE-2026-1180\nNettobetrag 240,00 €\n19 % MwSt. 45,60 €\nRechnungsbetrag 285,60 €\nZahlbar bis 04.12.2026\nIBAN DE02 1203 0000 0000 2020 51',
      },
    ],
    is: 'invoice',
  },
  {
    id: 'business-26-reminder',
    by: 'system',
    from: 'Telefon Nordnetz <rechnungsservice@nordnetz.example>',
    subject: 'Zahlungserinnerung zur Rechnung vom 01.10.2026',
    text: `Guten Tag,

unsere Rechnung Nr. 55-10/26 ist noch offen. Bitte überweisen Sie den Rechnungsbetrag von 64,90 EUR bis zum 30.11.2026. Kundennummer: 0117/26.`,
    is: 'invoice',
  },
  {
    id: 'business-27-invoice-with-unsubscribe',
    by: 'newsletter',
    from: 'Cloudspeicher Halde <billing@halde-cloud.example>',
    subject: 'Ihre Rechnung für November 2026',
    text: 'Ihre Rechnung Nr. 2026-110042 über 29,00 EUR steht bereit. Der Rechnungsbetrag wird von Ihrem Konto abgebucht.',
    attachments: [
      {
        name: 'Rechnung-2026-110042.pdf',
        text: 'Rechnung\nRechnungsnummer 2026-110042\nGesamtbetrag 29,00 EUR inkl. 19 % MwSt.',
      },
    ],
    headers: { 'List-Unsubscribe': '<https://halde-cloud.example/abmelden>' },
    is: 'invoice',
  },
  {
    id: 'business-28-newsletter',
    by: 'newsletter',
    from: 'Verlag Rechtswelt <newsletter@rechtswelt.example>',
    subject: 'Newsletter Arbeitsrecht 11/26: Neues zur Kündigung',
    text: 'BAG, Urteil vom 10.09.2026 – 5 AZR 123/26: Equal Pay.\nNur bis zum 30.11.2026: 20 % auf alle Seminare.\n\nNewsletter abbestellen',
    headers: unsubscribe,
    is: 'newsletter',
  },
  {
    id: 'business-29-newsletter-with-our-number',
    by: 'newsletter',
    from: 'Fachzeitschrift Baurecht <info@zeitschrift-baurecht.example>',
    subject: 'Baurecht 10/26 ist da',
    text: 'Heft 10/26: Der BGH (VII ZR 12/26) zur Fassade. Jetzt lesen.\n\nAbmelden',
    headers: unsubscribe,
    is: 'newsletter',
  },
  {
    id: 'business-30-forwarded-newsletter',
    by: 'outlook',
    from: 'Bernd Schuster <b.schuster@schuster-holzbau.example>',
    subject: 'WG: Newsletter Insolvenzrecht 11/26',
    text: 'Ist das für uns interessant?\n\nB. Schuster',
    forwards: {
      from: 'Insolvenz aktuell <news@insolvenz-aktuell.example>',
      subject: 'Newsletter Insolvenzrecht 11/26',
      text: 'AG Leipzig 36 IN 12/26: Eigenverwaltung. Anmeldung bis zum 01.12.2026. Newsletter abbestellen',
    },
    is: 'client',
    belongs: 'schuster',
  },
  {
    id: 'business-31-webinar',
    by: 'newsletter',
    from: 'Anwaltsakademie Süd <seminare@anwaltsakademie-sued.example>',
    subject: 'Letzte Plätze: Fachanwaltsfortbildung am 04.12.',
    text: 'Anmeldeschluss ist der 27.11.2026. Jetzt buchen!\n\nWenn Sie keine Mails mehr wünschen, klicken Sie hier.',
    headers: { 'List-Unsubscribe': '<mailto:abmelden@anwaltsakademie-sued.example>' },
    is: 'newsletter',
  },
  {
    id: 'business-32-newsletter-of-a-client',
    by: 'newsletter',
    from: 'TSV Auental e. V. <vorstand@tsv-auental.example>',
    subject: 'Vereinsnachrichten 151/26',
    text: 'Liebe Mitglieder, der Weihnachtsmarkt beginnt am 05.12.2026.\n\nAus dem Verteiler austragen',
    headers: { 'List-Unsubscribe': '<https://tsv-auental.example/aus>', Precedence: 'list' },
    is: 'newsletter',
  },
  {
    id: 'business-33',
    by: 'thunderbird',
    from: 'Kassenwart TSV Auental <kassenwart@tsv-auental.example>',
    subject: 'Satzungsänderung, 151/26',
    text: 'Hallo Frau Dr. Morgenroth,\n\ndas Registergericht hat den Antrag zurückgegeben.\n\nGruß\nUwe',
    is: 'other',
    files: 'verein',
  },
  {
    id: 'business-34',
    by: 'webmail',
    from: 'Elektro Baumann <buero@elektro-baumann.example>',
    subject: 'Forderung Voss 0170/26',
    text: 'Guten Tag,\n\nHerr Voss hat 300 Euro bezahlt. Unsere Rechnung Nr. 1180/26 bleibt sonst offen.\n\nElektro Baumann',
    attachments: [
      {
        name: 'Rechnung_1180-26.pdf',
        text: 'Elektro Baumann e. K.\nRechnung Nr. 1180/26\nRechnungsbetrag 2.480,00 EUR\nZahlbar innerhalb von 14 Tagen',
      },
    ],
    is: 'client',
    files: 'baumann',
  },
  {
    id: 'business-35-debtor',
    by: 'iphone',
    from: 'Dirk Voss <dirk.voss@funkpost.example>',
    subject: 'Re: Zahlungsaufforderung',
    text: 'Kann ich in Raten zahlen?',
    answers: ourMessageId('baumann'),
    quotes: fromOffice('wir fordern Sie auf, bis zum 30.11.2026 zu zahlen.'),
    is: 'opponent',
    files: 'baumann',
  },
  {
    id: 'business-36-bounce',
    by: 'system',
    from: 'Mail Delivery Subsystem <mailer-daemon@funkpost.example>',
    subject: 'Unzustellbar: Zahlungsaufforderung',
    text: 'Ihre Nachricht konnte nicht zugestellt werden: Postfach voll.',
    answers: ourMessageId('baumann', 2),
    headers: { 'Auto-Submitted': 'auto-replied' },
    is: 'other',
    files: 'baumann',
  },
  {
    id: 'business-37-counsel-with-xjustiz',
    by: 'outlook',
    from: kessler,
    subject: 'Schriftsatz',
    text: 'Sehr geehrte Frau Kollegin,\n\nanbei unser Schriftsatz.\n\nDr. Kessler',
    attachments: [
      {
        name: 'xjustiz_nachricht.xml',
        xml: '<?xml version="1.0"?><tns:nachricht.gds.uebermittlungSchriftgutobjekte.0005005 xmlns:tns="http://www.xjustiz.de"><tns:nachrichtenkopf xjustizVersion="3.4.1"><tns:aktenzeichen.absender>117/26</tns:aktenzeichen.absender><tns:aktenzeichen.empfaenger>0010/26</tns:aktenzeichen.empfaenger><tns:auswahl_absender><tns:absender.sonstige>Rechtsanwälte Kessler Lang</tns:absender.sonstige></tns:auswahl_absender></tns:nachrichtenkopf></tns:nachricht.gds.uebermittlungSchriftgutobjekte.0005005>',
      },
    ],
    is: 'opponent',
    files: 'wagner',
  },
  {
    id: 'business-38-disclaimer',
    by: 'outlook',
    from: recht,
    subject: 'Unterlagen',
    text: `Guten Tag,

anbei wie besprochen.

Novatek GmbH

Diese E-Mail enthält vertrauliche Informationen. Interne Ablage: Az. 0110/26, Richtlinie 0112/26. Wenn Sie nicht der richtige Adressat sind, vernichten Sie diese E-Mail.`,
    is: 'client',
  },
  {
    id: 'business-39',
    by: 'outlook',
    from: 'Notariat Petersen <petersen@notariat-petersen.example>',
    subject: 'BGH NotZ (Brfg) 2/25 – Ihre Rückfrage',
    text: 'Sehr geehrte Frau Kollegin,\n\nzur Sache NotZ (Brfg) 2/25 übersende ich die Urkundenrolle Nr. 0105/26.\n\nPetersen, Notar',
    is: 'client',
    files: 'notar',
  },
  {
    id: 'business-40-landlord',
    by: 'outlook',
    from: 'Wohnbau Rheinblick eG <verwaltung@wohnbau-rheinblick.example>',
    subject: 'Mieterin Berger, Mieternummer 0071/26, Ihr Zeichen 0070/26',
    text: 'Sehr geehrte Damen und Herren,\n\nwir bitten um Zugang zur Wohnung am 02.12.2026.\n\nWohnbau Rheinblick eG',
    is: 'opponent',
    files: 'berger',
  },
  {
    id: 'business-41-utility',
    by: 'system',
    from: 'Stadtwerke Isarau <kundenservice@stadtwerke-isarau.example>',
    subject: 'Ihre Nachricht vom 12.11.2026 – Vertragskonto 0010/26',
    text: 'Sehr geehrte Damen und Herren,\n\nzu Ihrem Schreiben (Ihr Zeichen: 0117/26) teilen wir mit: Die Sperrung wird ausgesetzt bis zum 15.01.2027.\n\nStadtwerke Isarau AG',
    is: 'opponent',
    files: 'wagnerStrom',
  },
  {
    id: 'business-42-travel',
    by: 'system',
    from: 'Reiseland Sonnig <service@reiseland-sonnig.example>',
    subject: 'Vorgang 26-0007, Ihr Schreiben',
    text: 'Sehr geehrte Damen und Herren,\n\nin der Angelegenheit Ihrer Mandantin Elke Sander (Ihr Aktenzeichen 0007/26) bieten wir 350 EUR. Das Angebot gilt bis 05.12.2026.\n\nReiseland Sonnig GmbH',
    is: 'opponent',
    files: 'sander',
    hints: ['2026-12-05'],
  },
  {
    id: 'business-43-car-dealer',
    by: 'outlook',
    from: 'Autohaus Krüger GmbH <verkauf@autohaus-krueger.example>',
    subject: 'Fahrzeug Meier, Auftragsnummer 0010/26',
    text: 'Sehr geehrter Herr Aydin,\n\nzum Auftrag Nr. 0010/26 Ihrer Mandantin: Das Fahrzeug ist fertig.\n\nAutohaus Krüger GmbH',
    is: 'opponent',
    belongs: 'meierAuto',
  },
  {
    id: 'business-44-bank',
    by: 'system',
    from: 'Sparkasse Isarau <service@sparkasse-isarau.example>',
    subject: 'Neue Dokumente in Ihrem Postfach',
    text: 'In Ihrem elektronischen Postfach liegen neue Dokumente. Diese Nachricht wurde automatisch erzeugt.',
    headers: { 'Auto-Submitted': 'auto-generated' },
    is: 'other',
  },
  {
    id: 'business-45-supplier-offer',
    by: 'outlook',
    from: 'Kaffee Lindner <vertrieb@kaffee-lindner.example>',
    subject: 'Angebot Nr. 0061/26',
    text: 'Guten Tag,\n\ngern unterbreiten wir Ihnen das Angebot Nr. 0061/26 für einen Vollautomaten. Gültig bis zum 15.12.2026.\n\nKaffee Lindner',
    is: 'other',
  },
  {
    id: 'business-46-english',
    by: 'gmail',
    from: 'Orbis Legal <legal@orbis-sensorik.example>',
    subject: 'License agreement, your ref. 0112/26',
    text: 'Dear Dr. Morgenroth,\n\nregarding your reference 0112/26 please find our comments attached.\n\nBest regards\nOrbis Legal',
    is: 'opponent',
    files: 'novatekPatent',
  },
  {
    id: 'business-47-practice',
    by: 'webmail',
    from: 'Zahnarztpraxis Dr. Winter <praxis@zahnarzt-winter.example>',
    subject: 'Quellmalz Honorar; Ihr Geschäftszeichen 145/26',
    text: 'Sehr geehrte Damen und Herren,\n\ndie Patientin hat nicht gezahlt, die Frist lief am 15.11.2026 ab.\n\nPraxis Dr. Winter',
    is: 'client',
    files: 'zahnarzt',
  },
  {
    id: 'business-48-patient',
    by: 'iphone',
    from: 'Susanne Quellmalz <susanne.quellmalz@webpost.example>',
    subject: 'Mahnung 145/26',
    text: 'Ihre Forderung (Zeichen 0145/26) bestreite ich.\n\nS. Quellmalz',
    is: 'opponent',
    files: 'zahnarzt',
  },
  {
    id: 'business-49-company-as-opponent',
    by: 'apple-mail',
    from: 'Thalmann & Söhne OHG <office@thalmann-soehne.example>',
    subject: 'LG Hamburg 14 O 208/26',
    text: 'Sehr geehrter Herr Aydin,\n\nin dem Rechtsstreit 14 O 208/26 wurde ein neuer Prozessbevollmächtigter bestellt.\n\nThalmann & Söhne OHG',
    is: 'opponent',
    files: 'gesellschafter',
  },
  {
    id: 'business-50-translator',
    by: 'gmail',
    from: 'Übersetzungen Marin <buero@uebersetzungen-marin.example>',
    subject: 'Rechnung Übersetzung Rahimi',
    text: 'Sehr geehrte Damen und Herren,\n\nfür die Übersetzung erlaube ich mir 180,00 EUR zu berechnen. Rechnungsnummer 23/26, Rechnungsbetrag 214,20 EUR inkl. 19 % USt., zahlbar binnen 14 Tagen.\n\nMarin',
    attachments: [{ name: 'Rechnung 23-26.pdf', text: 'Rechnungsnummer 23/26\nRechnungsbetrag 214,20 EUR' }],
    is: 'invoice',
  },
  {
    id: 'business-51-bar',
    by: 'outlook',
    from: 'Rechtsanwaltskammer München <info@rak-muenchen.de>',
    subject: 'Beschwerdesache 0099/26',
    text: 'Sehr geehrte Frau Kollegin,\n\nin der Beschwerdesache, unser Aktenzeichen: 0099/26, bitten wir um Stellungnahme binnen drei Wochen.\n\nRechtsanwaltskammer',
    is: 'authority',
    hints: ['3 week'],
  },
  {
    id: 'business-52-delivery-note',
    by: 'system',
    from: 'Paketdienst Flink <noreply@paketdienst-flink.example>',
    subject: 'Ihre Sendung 0170/26 ist unterwegs',
    text: 'Sendungsnummer 0170/26. Zustellung am 21.11.2026.',
    headers: { 'Auto-Submitted': 'auto-generated' },
    is: 'other',
  },
  {
    id: 'business-53-landlord-of-office',
    by: 'outlook',
    from: 'Immobilien Vogt <verwaltung@immo-vogt.example>',
    subject: 'Nebenkostenabrechnung Büro 2025',
    text: 'Sehr geehrte Damen und Herren,\n\nanbei die Abrechnung. Nachzahlung 812,00 EUR bis zum 15.12.2026. Objekt 0088/26.\n\nVogt',
    is: 'invoice',
  },
  {
    id: 'business-54-holzbau',
    by: 'outlook',
    from: 'Bernd Schuster <b.schuster@schuster-holzbau.example>',
    subject: 'AW: Gläubigerliste (0080/26)',
    text: 'Hallo Herr Aydin,\n\nListe anbei.\n\nB. Schuster',
    quotes: fromOffice('bitte senden Sie die Gläubigerliste. Unser Zeichen: 0080/26'),
    is: 'client',
    files: 'schuster',
  },
  {
    id: 'business-55-printing',
    by: 'outlook',
    from: 'Helmut Grothe <h.grothe@grothe-druck.example>',
    subject: 'Einspruch / Az. 90-26',
    text: 'Guten Tag,\n\ndas Finanzamt hat nochmals geschrieben (Steuernummer 215/5123/4567).\n\nH. Grothe',
    is: 'client',
    files: 'steuer',
  },
  {
    id: 'business-56-community',
    by: 'gmail',
    from: 'Vorstand Seeblick <vorstand@seeblick-bauen.example>',
    subject: 'Fwd: Ihre Akteneinsicht',
    text: 'Zur Akte 0088/26, bitte prüfen.\n\nVorstand Seeblick',
    forwards: {
      from: 'Simon Brandl <simon.brandl@lra-starnberg.de>',
      subject: 'Ihre Akteneinsicht',
      text: 'Unser Zeichen: 0031/26. Bitte bis zum 02.12.2026 melden.',
    },
    is: 'client',
    files: 'seeblick',
    hints: ['2026-12-02'],
  },
  {
    id: 'business-57-two-numbers-one-known',
    by: 'outlook',
    from: 'Fassadenbau Lutz GmbH <post@fassaden-lutz.example>',
    subject: 'Ihr Zeichen 0105/26, Bauvorhaben 0010/26',
    text: 'Sehr geehrte Damen und Herren,\n\nzum Bauvorhaben 0010/26 in der Angelegenheit Dorn (Ihr Zeichen 0105/26) weisen wir Mängel zurück.\n\nFassadenbau Lutz GmbH',
    is: 'opponent',
    files: 'revision',
  },
  {
    id: 'business-58-encrypted',
    by: 'outlook',
    from: recht,
    subject: '0110/26 vertraulich',
    text: '-----BEGIN PGP MESSAGE-----\n\nhQEMA8x9\n=Qx1z\n-----END PGP MESSAGE-----',
    is: 'client',
    belongs: 'novatek',
  },
]
