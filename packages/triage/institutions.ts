/**
 * Whether a text names somebody who keeps files of their own: a court, an authority, an insurer, a company, a
 * physician. Such words only stop a number from filing a message. For words that are missing here, `number-labels.ts`
 * still decides that the number is no file of ours.
 */
export function namesInstitution(text: string): boolean {
  return institution.test(text)
}

/** Compared as the end of a word, as in `Rechtsschutzversicherung`, `Jugendamtes`, `Stadtwerken`. */
const institution = new RegExp(
  `(?<![\\p{L}])(?:\\p{L}{0,30}(?:${[
    'polizei(?:en)?|gerichts?|gerichtshofs?|anwaltschaft|behörden?|ministeriums?|amte?s?|ämter|kammer|verwaltung|regierung',
    'versicherung(?:en)?|versicherer|versicherers|rechtsschutz|kassen?|bank|sparkasse|werken?|zentrums?|centers?|agentur',
    'gegenseite|gegners?|gegnerin|gegnervertreters?|klinik|krankenhaus(?:es)?|praxis|vermieters?|verein[s]?|notars?|gutachters?',
  ].join(
    '|',
  )})|StA|GStA|LKA|BKA|PI|LG|OLG|AG|AGs|ArbG|LAG|VG|SG|FG|BGH|BAG|GmbH|KG|SE|Allianz|HUK|ADAC|AOK|DEVK|ARAG|TÜV)(?![\\p{L}])`,
  'iu',
)
