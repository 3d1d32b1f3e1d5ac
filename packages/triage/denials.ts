/** Characters around a number that say whether it is denied. */
const reach = 120

/**
 * Whether the sentence around a number denies that the message is about it, as in `Es geht nicht um Az. 0020/26,
 * sondern um eine neue Sache`. Such a number only suggests its case (I5). A false alarm costs a person a click. An
 * overlooked denial files the message into the wrong case.
 *
 * `noch nicht zu` and `bisher nicht zu` deny that something has happened, not what the message is about. `nicht nur um`
 * denies nothing.
 */
export function isDenied(text: string, start: number, end: number): boolean {
  const [clause, after] = around(text, start, end)
  return before.some(([denial]) => denial.test(clause)) || following.some(([denial]) => denial.test(after))
}

/**
 * Whether the clause of the number denies something, or says who the writer is: `bitte nicht verwechseln mit Akte …`,
 * `Sie vertreten mich schon in …`. Such a number does not file the message. It may still show that another case is
 * meant.
 */
export function isDoubted(text: string, start: number, end: number): boolean {
  const [clause, after] = around(text, start, end)
  // `Haben Sie nicht das Schreiben zur Akte …?` denies nothing.
  if (after.trimEnd().endsWith('?')) return false
  const own = clause.split(/[,;:()–—]/u).at(-1) ?? ''
  return (
    doubts.some((doubt) => doubt.test(own)) || /^(?: \p{L}{1,15}){1,3} nicht\s?(?:$|[.,;!])/iu.test(after)
  )
}

const doubts = [
  /(?<!\p{L})(?<!(?:noch|bisher|bislang) )nicht(?! nur)(?!\p{L})/iu,
  /(?<!\p{L})(?:vertreten|vertritt|betreuen|betreut|mandant(?:in)?)(?: \p{L}{1,12}){0,4} (?:schon|bereits|auch)(?!\p{L})/iu,
  /(?<!\p{L})(?:schon|bereits|auch)(?: \p{L}{1,12}){0,4} (?:vertreten|vertritt|betreuen|betreut|mandant(?:in)?)(?!\p{L})/iu,
]

/** The clause before the number, and the text after the number up to the end of its sentence. */
function around(text: string, start: number, end: number): [clause: string, after: string] {
  const sentence = sentenceBefore(text.slice(Math.max(0, start - reach), start))
  // The words after `sondern` name the matter that the message is about: `nicht um den Kauf, sondern um Az. 0020/26`.
  const clause = sentence.split(/\b(?:sondern|aber|jedoch|vielmehr)\b/i).at(-1) ?? ''
  const after = text.slice(end, end + reach).split(/(?<=[.!?;])(?:\s|$)/, 1)[0] ?? ''
  return [clause, after]
}

/**
 * Whether the sender says that the mail is about a new matter: `Ich habe eine neue Angelegenheit`. Then the case that the
 * mail names or answers is an older case of the sender. `das weitere Verfahren` is no new matter.
 */
export function opensNewMatter(text: string): boolean {
  return newMatter.test(text)
}

const newMatter =
  /(?<!\p{L})(?:(?:neue|andere|separate|zweite)[rsnm]?|(?:eine?[rsnm]?|noch) (?:weitere|zusätzliche)[rsnm]?) (?:\p{L}{1,20}e[rsnm]? )?(?:(?:rechts|streit|familien|straf|miet|bußgeld)?sache|angelegenheit|mandat|akte|(?:rechts|streit|un)?fall|rechtsstreit|verfahren)(?!\p{L})/iu

/** Denials that stand before the number, each with an example. */
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
  [/\banders als (?:in|im|bei|beim|zu|zum|zur|unter) /i, 'Anders als in … – the file is only compared.'],
  [/\babweichend (?:von|vom) /i, 'Abweichend von … – the file is only compared.'],
  [/\b(?:an)?statt (?:in|im|zu|zum|zur|unter|um) /i, 'Statt in … – it was the wrong file.'],
]

/** Denials that stand after the number, each with an example. */
const following: [RegExp, string][] = [
  [/^,? geht es (?:hier |dabei |mir |uns )?nicht\b/i, 'Um … geht es nicht.'],
  [/^,? (?:ist|sind) (?:hier |damit )?nicht (?:gemeint|betroffen)\b/i, '… ist nicht gemeint.'],
  [/^[^.,;:!?]{0,40} nichts zu tun\b/i, 'Das hat mit … nichts zu tun.'],
  [/^,? hat (?:das |dies |es )?(?:damit |hiermit )?nichts zu tun\b/i, 'Mit … hat das nichts zu tun.'],
]

/**
 * The text since the end of the last sentence. The full stop of an abbreviation such as `Az.` or `Nr.` ends no
 * sentence.
 */
function sentenceBefore(text: string): string {
  let from = 0
  for (const { index } of text.matchAll(/(?:\p{L}{4}[.!?]|\d[!?.](?=\s+\p{Lu})|;)\s/gu)) from = index + 1
  return text.slice(from).replace(/\s+/g, ' ')
}
