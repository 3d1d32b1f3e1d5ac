/**
 * Words that say what a message is about. A rule holds where at least `atLeast` of its phrases stand in the texts that
 * `in` names; they are compared in lower case.
 */
type ContentRule = { in: (keyof ContentTexts)[]; atLeast: number; phrases: string[]; reason: string }

/** The texts of a message in lower case; `subject` has the names of the attachments as well. */
export type ContentTexts = Record<'subject' | 'own' | 'attachments', string>

const list = (phrases: string) => phrases.split(' | ')

const invoicePhrases = list(
  'rechnungsbetrag | gesamtbetrag | rechnungsnummer | rechnungs-nr | rechnung nr | rechnung vom | zahlbar | nettobetrag | mwst | ust. | umsatzsteuer | ust-id | iban | fällig | überweisen | nachzahlung | ihre rechnung | zahlungsziel | abgebucht | bankverbindung |  eur |  €',
)

export const contentRules = {
  invoice_named: {
    in: ['subject'],
    atLeast: 1,
    phrases: list('rechnung | zahlungserinnerung | gutschrift | mahnung | invoice'),
    reason: 'The subject or a file name calls it an invoice.',
  },
  invoice_written: {
    in: ['subject', 'own', 'attachments'],
    atLeast: 2,
    phrases: invoicePhrases,
    reason: 'An invoice names its number, an amount, the tax, and how to pay.',
  },
  invoice_attached: {
    in: ['attachments'],
    atLeast: 4,
    phrases: invoicePhrases,
    reason: 'What names nearly all of that is an invoice, whatever the subject says.',
  },
  newsletter: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'newsletter abbestellen | newsletter abmelden | vom newsletter ab | diesen newsletter | aus dem verteiler austragen | im browser ansehen | im browser anzeigen | keine weiteren newsletter | unsubscribe | keine mails mehr wünschen',
    ),
    reason: 'Newsletters say how to leave them.',
  },
  counsel: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'namens und in vollmacht | unserer mandantschaft | unsere mandantschaft | unserer mandantin | unsere mandantin | unseres mandanten | unser mandant | meines mandanten | meiner mandantin | meine mandantin | mein mandant | frau kollegin | herr kollege | herrn kollegen | kolleginnen und kollegen | kollegialen grüßen | kollegialer hochachtung | zeigen wir an, dass | zeige ich an, dass | wir zeigen an | ordnungsgemäße bevollmächtigung | von mir vertretenen | von uns vertretenen',
    ),
    reason: 'Lawyers write to lawyers in these words.',
  },
  urgent: {
    in: ['subject', 'own', 'attachments'],
    atLeast: 1,
    phrases: list(
      'eilt | dringend | sofort | einstweilige | eilverfahren | ladung | geladen | notfrist | zwangsvollstreckung | durchsuchung | haftbefehl | festnahme | räumungstermin | versäumnisurteil | vollstreckungsbescheid | mahnbescheid | strafbefehl | kündigungsschutzklage | sperrung | hauptverhandlung | mündlichen verhandlung',
    ),
    reason: 'What cannot wait is called so, or is a summons, an order or an enforcement.',
  },
} as const satisfies Record<string, ContentRule>

export type ContentRuleName = keyof typeof contentRules

/** The names of the rules that hold. */
export function contentOf(texts: ContentTexts): ContentRuleName[] {
  return (Object.keys(contentRules) as ContentRuleName[]).filter((name) => holds(contentRules[name], texts))
}

function holds(rule: ContentRule, texts: ContentTexts): boolean {
  const text = rule.in.map((name) => texts[name]).join('\n')
  let found = 0
  for (const phrase of rule.phrases) {
    if (text.includes(phrase)) found += 1
    if (found >= rule.atLeast) return true
  }
  return false
}
