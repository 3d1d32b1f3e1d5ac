import { type CorpusMail, fromOffice, xjustiz } from './corpus-mail.ts'
import { ourMessageId } from './firm.ts'

const m1 = 'Landgericht München I <poststelle@lg-m1.bayern.de>'
const arbg = 'Arbeitsgericht München <poststelle@arbg-mu.bayern.de>'
const sg = 'Sozialgericht München <poststelle@sg-m.bayern.de>'
const agKoeln = 'Amtsgericht Köln <poststelle@ag-koeln.nrw.de>'
const agBonn = 'Amtsgericht Bonn <poststelle@ag-bonn.nrw.de>'
const staKoeln = 'Staatsanwaltschaft Köln <poststelle@sta-koeln.nrw.de>'
const bgh = 'Bundesgerichtshof <poststelle@bgh.bund.de>'
const office =
  'Geschäftsstelle\n\nDieses Schreiben wurde elektronisch erstellt und ist ohne Unterschrift gültig.'

/** Mail of courts and authorities, and mail that only looks like it. */
export const courts: CorpusMail[] = [
  {
    id: 'court-01',
    by: 'court',
    from: m1,
    subject: '3 O 45/26 Wagner, T. ./. Brandt Bau GmbH w/ Forderung',
    text: `In dem Rechtsstreit
Wagner, T. ./. Brandt Bau GmbH w/ Forderung
Az.: 3 O 45/26

erhalten Sie anliegende Verfügung vom 19.11.2026. Ihnen wird Gelegenheit zur Stellungnahme binnen zwei Wochen nach Zugang gegeben.

Mit freundlichen Grüßen
${office}`,
    attachments: [
      {
        name: 'Verfuegung.pdf',
        text: 'Landgericht München I\nAz.: 3 O 45/26\nVerfügung\nDie Klagepartei kann binnen zwei Wochen Stellung nehmen.',
      },
    ],
    is: 'court',
    files: 'wagner',
    hints: ['2 week'],
  },
  {
    id: 'court-02',
    by: 'court',
    from: arbg,
    subject: 'Ladung zum Gütetermin – 12 Ca 3456/26',
    text: `Sehr geehrte Damen und Herren,

in Sachen Kowalski ./. Lumen Technik GmbH wird Termin zur Güteverhandlung bestimmt auf
Dienstag, 15.12.2026, 10:30 Uhr, Saal 12.

Ihr Zeichen: 0055/26

Auf Anordnung
${office}`,
    is: 'court',
    files: 'kowalski',
  },
  {
    id: 'court-03',
    by: 'court',
    from: sg,
    subject: 'S 12 AS 345/25 ER',
    text: `In dem Antragsverfahren Hartmann ./. Jobcenter München
Az.: S 12 AS 345/25 ER

wird die Antragserwiderung vom 18.11.2026 mit der Bitte um Stellungnahme bis zum 27.11.2026 übersandt.

${office}`,
    is: 'court',
    files: 'hartmannEil',
    hints: ['2026-11-27'],
  },
  {
    id: 'court-04',
    by: 'court',
    from: sg,
    subject: 'Hartmann ./. Jobcenter München, S 12 AS 345/25',
    text: `Sehr geehrte Damen und Herren,

im Klageverfahren S 12 AS 345/25 ist die Verwaltungsakte eingegangen. Akteneinsicht kann nach Terminvereinbarung genommen werden.

${office}`,
    is: 'court',
    files: 'hartmann',
  },
  {
    id: 'court-05',
    by: 'court',
    from: agKoeln,
    subject: '4 C 112/26',
    text: `In dem Rechtsstreit Berger ./. Wohnbau Rheinblick eG, 4 C 112/26,
ist Termin zur Verkündung einer Entscheidung auf den 04.12.2026 bestimmt.

${office}`,
    is: 'court',
    files: 'berger',
  },
  {
    id: 'court-06',
    by: 'court',
    from: agBonn,
    subject: 'Az. 4 C 112/26 – Beweisbeschluss',
    text: `Sehr geehrte Damen und Herren,

anbei der Beweisbeschluss vom 17.11.2026 in dem Verfahren 4 C 112/26. Der Auslagenvorschuss ist innerhalb von drei Wochen einzuzahlen.

${office}`,
    is: 'court',
    files: 'fuchs',
    hints: ['3 week'],
  },
  {
    id: 'court-07-third-court-same-reference',
    by: 'court',
    from: 'Amtsgericht Düren <poststelle@ag-dueren.nrw.de>',
    subject: '4 C 112/26',
    text: `In dem Rechtsstreit Lamprecht ./. Özkan, 4 C 112/26, erhalten Sie die Klageschrift zur Kenntnis. Die Frist zur Verteidigungsanzeige beträgt zwei Wochen ab Zustellung.

${office}`,
    is: 'court',
    hints: ['2 week'],
  },
  {
    id: 'court-08',
    by: 'court',
    from: staKoeln,
    subject: 'Ermittlungsverfahren gegen Patrick Lenz, 12 Js 345/26',
    text: `Sehr geehrte Frau Rechtsanwältin,

in dem Ermittlungsverfahren 12 Js 345/26 gegen Ihren Mandanten wird Akteneinsicht für drei Tage gewährt.

Mit freundlichen Grüßen
Staatsanwaltschaft Köln`,
    is: 'authority',
    files: 'lenz',
  },
  {
    id: 'court-09',
    by: 'court',
    from: agKoeln,
    subject: '532 Ds 12 Js 345/26',
    text: `In der Strafsache gegen Lenz, Patrick
532 Ds 12 Js 345/26

werden Sie zur Hauptverhandlung am 14.01.2027, 09:00 Uhr, Saal 210, geladen.

${office}`,
    is: 'court',
    files: 'lenz',
  },
  {
    id: 'court-10',
    by: 'court',
    from: bgh,
    subject: 'VII ZR 12/26 – Dorn ./. Fassadenbau Lutz GmbH',
    text: `In dem Rechtsstreit VII ZR 12/26 wird die Frist zur Begründung der Revision antragsgemäß bis zum 15. Dezember 2026 verlängert.

${office}`,
    is: 'court',
    files: 'revision',
    hints: ['2026-12-15'],
  },
  {
    id: 'court-11',
    by: 'court',
    from: bgh,
    subject: 'Senat für Notarsachen – NotZ(Brfg) 2/25',
    text: `In der verwaltungsrechtlichen Notarsache NotZ(Brfg) 2/25 wird um Rücksendung des Empfangsbekenntnisses gebeten.

${office}`,
    is: 'court',
    files: 'notar',
  },
  {
    id: 'court-12',
    by: 'court',
    from: 'Bundesverfassungsgericht <bverfg@bundesverfassungsgericht.de>',
    subject: 'Verfassungsbeschwerde, Az. 1 BvR 1/26',
    text: `Sehr geehrte Frau Dr. Morgenroth,

die Verfassungsbeschwerde der Frau Albers wird unter dem Aktenzeichen 1 BvR 1/26 geführt. Zu den Bedenken können Sie sich innerhalb eines Monats äußern.

Mit freundlichen Grüßen
Präsidialrätin`,
    is: 'court',
    files: 'verfassung',
    hints: ['1 month'],
  },
  {
    id: 'court-13',
    by: 'court',
    from: 'Verwaltungsgericht München <poststelle@vg-m.bayern.de>',
    subject: 'M 12 K 26.1234',
    text: `Verwaltungsstreitsache Bauherrengemeinschaft Seeblick ./. Freistaat Bayern
Unser Zeichen: M 12 K 26.1234
Ihr Zeichen: 0088/26

Die Beteiligten werden zur mündlichen Verhandlung am 21.01.2027 geladen.

${office}`,
    is: 'court',
    files: 'seeblick',
  },
  {
    id: 'court-14',
    by: 'court',
    from: 'Finanzgericht Köln <poststelle@fg-koeln.nrw.de>',
    subject: 'Finanzrechtsstreit Grothe – 5 K 321/26 E',
    text: `In dem Rechtsstreit 5 K 321/26 E wird der Schriftsatz des Beklagten vom 16.11.2026 übersandt. Sie erhalten Gelegenheit zur Äußerung bis 18.12.2026.

${office}`,
    is: 'court',
    files: 'steuer',
    hints: ['2026-12-18'],
  },
  {
    id: 'court-15',
    by: 'court',
    from: 'Familiengericht München <familiengericht@ag-m.bayern.de>',
    subject: 'Familiensache 54 F 1234/26',
    text: `In der Familiensache Yıldız, Az. 54 F 1234/26, wird Ihnen die Auskunft des Versorgungsträgers zur Kenntnis gebracht.

${office}`,
    is: 'court',
    files: 'yildiz',
  },
  {
    id: 'court-16',
    by: 'court',
    from: 'Amtsgericht Leipzig – Insolvenzgericht <poststelle@ag-leipzig.justiz.sachsen.de>',
    subject: 'Insolvenzverfahren Schuster Holzbau 36 IN 77/26',
    text: `In dem Insolvenzverfahren 36 IN 77/26 wurde Prüfungstermin bestimmt. Forderungen sind bis zum 08.01.2027 beim Insolvenzverwalter anzumelden.

${office}`,
    is: 'court',
    files: 'schuster',
    hints: ['2027-01-08'],
  },
  {
    id: 'court-17',
    by: 'court',
    from: 'Betreuungsgericht Stuttgart <betreuungsgericht@agstuttgart.justiz.bwl.de>',
    subject: 'Betreuung Ilse Kramer, XVII 88/26',
    text: `Sehr geehrte Damen und Herren,

in der Betreuungssache XVII 88/26 erhalten Sie das Gutachten mit der Möglichkeit zur Stellungnahme binnen 10 Tagen.

${office}`,
    is: 'court',
    files: 'betreuung',
    hints: ['10 day'],
  },
  {
    id: 'court-18',
    by: 'court',
    from: 'Landgericht Hamburg <poststelle@lg.justiz.hamburg.de>',
    subject: 'Az.: 14 O 208/26',
    text: `Sehr geehrter Herr Rechtsanwalt Aydin,

in der Sache Thalmann ./. Thalmann & Söhne OHG, Az.: 14 O 208/26, geht Ihnen die Klageerwiderung zur Replik binnen eines Monats zu.

${office}`,
    is: 'court',
    files: 'gesellschafter',
    hints: ['1 month'],
  },
  {
    id: 'court-19',
    by: 'court',
    from: 'Verwaltungsgericht Köln <poststelle@vg-koeln.nrw.de>',
    subject: '5 K 1290/26.A',
    text: `In dem verwaltungsgerichtlichen Verfahren Rahimi ./. Bundesrepublik Deutschland, 5 K 1290/26.A, wird der Rechtsstreit auf den Einzelrichter übertragen.

${office}`,
    is: 'court',
    files: 'rahimi',
  },
  {
    id: 'court-20-xjustiz',
    by: 'court',
    from: m1,
    subject: 'Elektronische Zustellung',
    text: 'Sie erhalten eine Nachricht des Landgerichts München I mit Anlagen.\n',
    attachments: [
      xjustiz('D2601', '3 O 45/26', '0010/26'),
      { name: 'Beschluss.pdf', text: 'Beschluss\nDer Streitwert wird auf 48.000,00 € festgesetzt.' },
    ],
    is: 'court',
    files: 'wagner',
  },
  {
    id: 'court-21-xjustiz-default-namespace',
    by: 'court',
    from: arbg,
    subject: 'Gerichtspost',
    text: 'Anbei gerichtliche Dokumente.\n',
    attachments: [xjustiz('D2A01', '12 Ca 3456/26', '', ''), { name: 'Protokoll.pdf' }],
    is: 'court',
    files: 'kowalski',
  },
  {
    id: 'court-22-xjustiz-other-case',
    by: 'court',
    from: m1,
    subject: 'Elektronische Zustellung',
    text: 'Sie erhalten eine Nachricht des Landgerichts München I mit Anlagen.\n',
    attachments: [xjustiz('D2601', '28 O 9011/26', '')],
    is: 'court',
  },
  {
    id: 'court-23-closed-case',
    by: 'court',
    from: arbg,
    subject: '7 Ca 812/25 – Kostenfestsetzung',
    text: `In dem Rechtsstreit Meier ./. Textilhaus Sommer KG, 7 Ca 812/25, wird der Kostenfestsetzungsbeschluss übersandt. Gegen ihn ist binnen zwei Wochen die sofortige Beschwerde statthaft.

${office}`,
    is: 'court',
    belongs: 'meierKuendigung',
    hints: ['2 week'],
  },
  {
    id: 'court-24-closed-case-by-our-number',
    by: 'court',
    from: 'Nachlassgericht München <nachlassgericht@ag-m.bayern.de>',
    subject: 'Nachlass Josef Huber, 62 VI 451/25',
    text: `Sehr geehrte Damen und Herren,

Ihr Zeichen: 0120/25
Die Nachlassakte 62 VI 451/25 wird weggelegt.

${office}`,
    is: 'court',
    belongs: 'huberErbe',
  },
  {
    id: 'court-25-other-judge-of-known-court',
    by: 'outlook',
    from: 'Ritter, Anja (LG München I) <anja.ritter@lg-m1.bayern.de>',
    subject: 'Wagner ./. Brandt Bau, 3 O 45/26, Terminabsprache',
    text: `Sehr geehrte Frau Dr. Morgenroth,

in der Sache 3 O 45/26 müsste der Termin am 10.12. verlegt werden. Passt Ihnen der 17.12.?

Mit freundlichen Grüßen
Ritter
Richterin am Landgericht`,
    is: 'court',
    belongs: 'wagner',
  },
  {
    id: 'court-26-citation',
    by: 'court',
    from: m1,
    subject: 'Hinweisverfügung 19 O 777/26',
    text: `In dem Rechtsstreit 19 O 777/26 weist die Kammer darauf hin, dass die Klage nach vorläufiger Auffassung unschlüssig ist (vgl. LG München I, Urteil vom 12.10.2026 – 3 O 45/26, juris Rn. 14; BGH, Urteil vom 05.02.2026 – VII ZR 12/26). Stellungnahme binnen zwei Wochen.

${office}`,
    is: 'court',
    hints: ['2 week'],
  },
  {
    id: 'court-27-press-newsletter',
    by: 'newsletter',
    from: 'Bundesgerichtshof Pressestelle <newsletter@bgh.bund.de>',
    subject: 'Pressemitteilung Nr. 198/26: Urteil im Verfahren VII ZR 12/26',
    text: `Der VII. Zivilsenat hat im Verfahren VII ZR 12/26 über Fassadenarbeiten verhandelt.

Sie erhalten diesen Newsletter, weil Sie ihn abonniert haben. Newsletter abbestellen: https://www.bundesgerichtshof.de/abmelden`,
    headers: { 'List-Unsubscribe': '<https://www.bundesgerichtshof.de/abmelden>' },
    is: 'newsletter',
  },
  {
    id: 'court-28',
    by: 'court',
    from: m1,
    subject: '3O45/26 Wagner ./. Brandt Bau GmbH',
    text: `Az: 3O45/26

Der Schriftsatz der Gegenseite vom 18.11.2026 wird zur Kenntnis übersandt.

${office}`,
    is: 'court',
    files: 'wagner',
  },
  {
    id: 'court-29-spam-verdict',
    by: 'court',
    from: m1,
    subject: '3 O 45/26 Mahnung Gerichtskosten',
    text: `Az.: 3 O 45/26

Bitte überweisen Sie die Gerichtskosten sofort auf das neue Konto.

${office}`,
    verdict: 'spam',
    is: 'court',
    belongs: 'wagner',
  },
  {
    id: 'court-30-imitated-court',
    by: 'webmail',
    from: 'Landgericht München I <landgericht.muenchen@postfach-service.example>',
    subject: '3 O 45/26 – Zahlungsaufforderung',
    text: `Aktenzeichen 3 O 45/26

Zahlen Sie den Vorschuss innerhalb von 3 Tagen auf das unten genannte Konto.`,
    is: 'other',
    belongs: 'wagner',
  },
  {
    id: 'court-31',
    by: 'court',
    from: 'Oberlandesgericht München <poststelle@olg-m.bayern.de>',
    subject: '9 U 2210/26 Bau – Berufung Wagner ./. Brandt Bau GmbH',
    text: `In Sachen Wagner, Thomas ./. Brandt Bau GmbH ist die Berufung gegen das Urteil des Landgerichts München I vom 16.10.2026 unter dem Aktenzeichen 9 U 2210/26 Bau eingegangen.
Ihr Zeichen: 0010/26

${office}`,
    is: 'court',
    belongs: 'wagner',
  },
  {
    id: 'court-32',
    by: 'court',
    from: 'Amtsgericht Coburg – Mahngericht <poststelle@ag-co.bayern.de>',
    subject: 'Mahnbescheid zugestellt, Geschäftszeichen 26-1234567-0-5',
    text: `Der Mahnbescheid in Sachen Elektro Baumann e. K. gegen Dirk Voss wurde am 16.11.2026 zugestellt. Der Antragsgegner kann binnen zwei Wochen Widerspruch erheben.

${office}`,
    is: 'court',
    belongs: 'baumann',
    hints: ['2 week'],
  },
  {
    id: 'court-33-thread',
    by: 'outlook',
    from: 'Lang, Petra (AG Köln) <petra.lang@ag-koeln.nrw.de>',
    subject: 'AW: Terminverlegung',
    text: `Sehr geehrter Herr Aydin,

der Termin wird antragsgemäß verlegt.

Mit freundlichen Grüßen
P. Lang, Geschäftsstelle`,
    answers: ourMessageId('berger'),
    quotes: fromOffice('in der Sache 4 C 112/26 beantragen wir Terminverlegung.\n\nFelix Aydin'),
    is: 'court',
    files: 'berger',
  },
  {
    id: 'court-34-twin-of-another-year',
    by: 'court',
    from: m1,
    subject: '3 O 45/25 Akteneinsicht',
    text: `In dem Verfahren 3 O 45/25 wird Ihrem Antrag auf Akteneinsicht als Dritter entsprochen.

${office}`,
    is: 'court',
  },
  {
    id: 'court-35-two-of-our-numbers',
    by: 'court',
    from: bgh,
    subject: 'Rückgabe von Empfangsbekenntnissen',
    text: `Sehr geehrte Damen und Herren,

es fehlen die Empfangsbekenntnisse in den Verfahren NotZ(Brfg) 2/25 und VII ZR 12/26.

${office}`,
    is: 'court',
  },
  {
    id: 'authority-01',
    by: 'court',
    from: 'Bayerisches Polizeiverwaltungsamt <poststelle@polizeiverwaltungsamt.bayern.de>',
    subject: 'Bußgeldverfahren Lena Krause, Ihr Zeichen: 0181/26',
    text: `Sehr geehrte Damen und Herren,

gegen den beigefügten Bußgeldbescheid kann innerhalb von zwei Wochen nach Zustellung Einspruch eingelegt werden.

Zentrale Bußgeldstelle`,
    is: 'authority',
    files: 'krause',
    hints: ['2 week'],
  },
  {
    id: 'authority-02',
    by: 'court',
    from: 'Jobcenter München <jobcenter-muenchen@jobcenter-ge.de>',
    subject: 'Ute Hartmann, BG-Nummer 84302//0012345, Ihr Zeichen 0065/26',
    text: `Sehr geehrte Damen und Herren,

zu Ihrem Zeichen 0065/26 übersenden wir den Änderungsbescheid. Gegen diesen Bescheid kann jede betroffene Person innerhalb eines Monats nach Bekanntgabe Widerspruch erheben.

Jobcenter München`,
    is: 'authority',
    files: 'hartmann',
    hints: ['1 month'],
  },
  {
    id: 'authority-03',
    by: 'outlook',
    from: 'Bauamt <bauamt@lra-starnberg.de>',
    subject: 'Ihr Schreiben vom 10.11.2026, Az. 0088/26',
    text: `Sehr geehrte Damen und Herren,

zu Ihrem Aktenzeichen 0088/26 teilen wir mit, dass die Unterlagen ab Montag eingesehen werden können.

Mit freundlichen Grüßen
Landratsamt Starnberg, Bauamt`,
    is: 'authority',
    files: 'seeblick',
  },
  {
    id: 'authority-04',
    by: 'court',
    from: 'Finanzamt Köln-Mitte <service-5215@fv.nrw.de>',
    subject: 'Steuernummer 215/5123/4567 – Grothe, Helmut',
    text: `Sehr geehrte Damen und Herren,

Ihr Zeichen: 90/26
Steuernummer: 215/5123/4567

die Aussetzung der Vollziehung wird bis zum 31.01.2027 gewährt.

Finanzamt Köln-Mitte`,
    is: 'authority',
    files: 'steuer',
  },
  {
    id: 'authority-05',
    by: 'court',
    from: 'BAMF <poststelle@bamf.bund.de>',
    subject: 'Gesch.-Z. 8812345-423, Rahimi, Samira',
    text: `Sehr geehrte Damen und Herren,

im Asylverfahren Ihrer Mandantin (Geschäftszeichen 8812345-423, Ihr Zeichen: 0190/26) wird die Verfahrensakte übersandt.

Bundesamt für Migration und Flüchtlinge`,
    is: 'authority',
    files: 'rahimi',
  },
  {
    id: 'authority-06-unknown-authority',
    by: 'court',
    from: 'Stadt Regensburg, Ordnungsamt <ordnungsamt@regensburg.de>',
    subject: 'Anhörung zur Gewerbeuntersagung',
    text: `Sehr geehrte Damen und Herren,

Sie erhalten Gelegenheit, sich bis zum 04.12.2026 zu äußern. Unser Zeichen: 31/26-GU.

Stadt Regensburg, Ordnungsamt`,
    is: 'authority',
    hints: ['2026-12-04'],
  },
  {
    id: 'authority-07-their-number-is-like-ours',
    by: 'court',
    from: 'Regierung von Oberbayern <poststelle@reg-ob.bayern.de>',
    subject: 'Widerspruchsverfahren Bauvorhaben Höhenweg',
    text: `Unser Zeichen: 0042/26
Ihr Zeichen: ohne

Wir bitten um Vorlage einer Vollmacht.

Regierung von Oberbayern`,
    is: 'authority',
  },
  {
    id: 'authority-08-plot-number',
    by: 'outlook',
    from: 'Vermessungsamt <poststelle@adbv-starnberg.bayern.de>',
    subject: 'Auszug Flurstück 117/26 Gemarkung Isarau',
    text: `Sehr geehrte Damen und Herren,

anbei der Auszug zum Flurstück Nr. 117/26, Flur 3.

Amt für Digitalisierung, Breitband und Vermessung`,
    is: 'authority',
  },
  {
    id: 'authority-09',
    by: 'court',
    from: 'Deutsche Rentenversicherung Bund <meinefrage@drv-bund.de>',
    subject: 'Versicherungsnummer 65 170389 W 012 – Weber, Jonas',
    text: `Sehr geehrte Damen und Herren,

die Auskunft zum Versicherungsverlauf Ihres Mandanten Jonas Weber ist beigefügt.

Deutsche Rentenversicherung Bund`,
    is: 'authority',
    belongs: 'weber',
  },
  {
    id: 'authority-10',
    by: 'system',
    from: 'Registerportal <noreply@handelsregister.de>',
    subject: 'Ihr Abruf HRB 12345 B',
    text: `Ihr Abruf vom 20.11.2026 steht bereit. Registernummer HRB 12345 B, Amtsgericht Charlottenburg.

Diese Nachricht wurde automatisch erzeugt.`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    is: 'authority',
  },
  {
    id: 'authority-11-city-mail-provider',
    by: 'webmail',
    from: 'Anton Fuchs <anton.fuchs@hamburg.de>',
    subject: 'Neue Adresse',
    text: `Guten Tag,

ich habe jetzt diese neue Mailadresse. Bitte notieren Sie sie in meiner Akte.

Viele Grüße
Anton Fuchs`,
    is: 'other',
  },
  {
    id: 'authority-12-reply-thread',
    by: 'outlook',
    from: 'Simon Brandl <simon.brandl@lra-starnberg.de>',
    subject: 'AW: Akteneinsicht',
    text: `Guten Tag Herr Aydin,

gern, Zimmer 214.

Simon Brandl`,
    answers: ourMessageId('seeblick', 2),
    quotes: fromOffice('wir bitten um Akteneinsicht in Sachen Seeblick, unser Zeichen 0088/26.'),
    is: 'authority',
    files: 'seeblick',
  },
  {
    id: 'authority-13',
    by: 'court',
    from: 'Zoll, Hauptzollamt München <poststelle.hza-muenchen@zoll.bund.de>',
    subject: 'Prüfungsverfügung Lumen Technik GmbH',
    text: `Sehr geehrte Damen und Herren,

beigefügt erhalten Sie die Prüfungsverfügung. Einwendungen sind binnen 14 Tagen zu erheben.

Hauptzollamt München`,
    is: 'authority',
    hints: ['14 day'],
  },
  {
    id: 'authority-14-letter-in-attachment',
    by: 'court',
    from: 'Bayerisches Polizeiverwaltungsamt <poststelle@polizeiverwaltungsamt.bayern.de>',
    subject: 'Ihre Post',
    text: 'Siehe Anlage.\n',
    attachments: [
      {
        name: 'scan_0001.pdf',
        text: `Bayerisches Polizeiverwaltungsamt
Zentrale Bußgeldstelle im Bayerischen Polizeiverwaltungsamt
Ihr Zeichen: 0181/26
Ihre Nachricht vom 02.11.2026

Bußgeldverfahren gegen Frau Lena Krause

Das Verfahren wird eingestellt.`,
      },
    ],
    is: 'authority',
    files: 'krause',
  },
  {
    id: 'authority-15',
    by: 'court',
    from: 'Polizeipräsidium Köln <poststelle.koeln@polizei.nrw.de>',
    subject: 'Vorladung des Beschuldigten Lenz',
    text: `Ihr Mandant Patrick Lenz wird zur Vernehmung am 02.12.2026 vorgeladen. Vorgangsnummer 601000-123456-26/9.

Polizeipräsidium Köln, KK 22`,
    is: 'authority',
    belongs: 'lenz',
  },
  {
    id: 'court-36-answer-of-person-with-court-in-quote',
    by: 'gmail',
    from: 'Karin Berger <karin.berger@webpost.example>',
    subject: 'Re: Ihr Termin beim Amtsgericht',
    text: 'Danke, ich komme.\n\nKarin Berger',
    answers: ourMessageId('berger', 2),
    quotes: fromOffice(
      'der Termin in Sachen 4 C 112/26 findet am 04.12.2026 statt. Frist zur Stellungnahme bis zum 01.12.2026.',
    ),
    is: 'client',
    files: 'berger',
  },
  {
    id: 'court-37-suffix-and-dash',
    by: 'court',
    from: arbg,
    subject: 'Az. 55-26 Kowalski',
    text: `Sehr geehrte Damen und Herren,

in der Sache 12 Ca 3456/26 (Ihr Az. 55-26 LO) liegt der Vergleichsvorschlag bei. Widerruf ist bis zum 11.12.2026 möglich.

${office}`,
    is: 'court',
    files: 'kowalski',
    hints: ['2026-12-11'],
  },
]
