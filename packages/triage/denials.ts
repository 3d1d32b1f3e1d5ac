/** Characters around a number that say whether it is denied. */
const reach = 120

/**
 * Whether the sentence around a number denies that the message is about it, as in `Es geht nicht um Az. 0020/26, sondern
 * um eine neue Sache`. Such a number only suggests its case (I5). What is taken for a denial and is none costs a person
 * a click; a denial that is overlooked files the message into the wrong case.
 *
 * `noch nicht zu`, `bisher nicht zu` deny what happened and not what the message is about; `nicht nur um` denies nothing.
 */
export function isDenied(text: string, start: number, end: number): boolean {
  const sentence = sentenceBefore(text.slice(Math.max(0, start - reach), start))
  // What follows such a word is what the message is about: `nicht um den Kauf, sondern um Az. 0020/26`.
  const clause = sentence.split(/\b(?:sondern|aber|jedoch|vielmehr)\b/i).at(-1) ?? ''
  const after = text.slice(end, end + reach).split(/[.!?;](?:\s|$)/, 1)[0] ?? ''
  return before.some(([denial]) => denial.test(clause)) || behind.some(([denial]) => denial.test(after))
}

/** Denials that stand before the number, each with what is said by it. */
const before: [RegExp, string][] = [
  [
    /(?<!\b(?:noch|bisher|bislang) )\bnicht (?:um|zu|zum|zur|betreffend|betrifft|wegen|in|im|unter) /i,
    'Es geht nicht um … – the message is about something else.',
  ],
  [
    /\bnicht (?:(?:das|die|der|den|dem|dieses|diese|diesem|dieser|unser|unsere|ihr|ihre) )?(?:Verfahren|Akte|Sache|Angelegenheit|Mandat|Fall|Az\b|Aktenzeichen|Zeichen)/i,
    'Gemeint ist nicht das Verfahren … – another file is meant.',
  ],
  [
    /\b(?:kein|keine|keinen|keinerlei|ohne) (?:Bezug|Zusammenhang|Verbindung) (?:zu|zum|zur|auf|mit) /i,
    'Es besteht kein Bezug zu … – it has nothing to do with that file.',
  ],
  [/\bnichts mit /i, 'Das hat nichts mit … zu tun.'],
  [/\banders als (?:in|im|bei|beim|zu|zum|zur|unter) /i, 'Anders als in … – the file is compared with.'],
  [/\babweichend (?:von|vom) /i, 'Abweichend von … – the same.'],
  [/\b(?:an)?statt (?:in|im|zu|zum|zur|unter|um) /i, 'Statt in … – it was the wrong file.'],
]

/** Denials that stand behind the number. */
const behind: [RegExp, string][] = [
  [/^,? geht es (?:hier |dabei |mir |uns )?nicht\b/i, 'Um … geht es nicht.'],
  [/^,? (?:ist|sind) (?:hier |damit )?nicht (?:gemeint|betroffen)\b/i, '… ist nicht gemeint.'],
  [/^,? hat (?:das |dies |es )?(?:damit |hiermit )?nichts zu tun\b/i, 'Mit … hat das nichts zu tun.'],
]

/** What stands since the last sentence ended: not at the full stop of an abbreviation such as `Az.` or `Nr.`. */
function sentenceBefore(text: string): string {
  let from = 0
  for (const { index } of text.matchAll(/(?:\p{L}{4}[.!?]|\d[!?.](?=\s+\p{Lu})|;)\s/gu)) from = index + 1
  return text.slice(from).replace(/\s+/g, ' ')
}
