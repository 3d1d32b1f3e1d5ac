/**
 * Words that say what a message is about. A rule holds if at least `atLeast` of its phrases stand in the texts that
 * `in` names. Phrases are compared in lower case, as whole words: `eilt` does not match `mitgeteilt`. A star stands for
 * more letters of a word. `except` matches words that only look like a phrase.
 */
type ContentRule = {
  in: (keyof ContentTexts)[]
  atLeast: number
  phrases: string[]
  /** A phrase does not count if its clause denies it: `nicht dringend`, `eilt nicht`. */
  mayBeDenied?: boolean
  except?: RegExp
  reason: string
}

/** The texts of a message in lower case; `subject` has the names of the attachments as well. */
type ContentTexts = Record<'subject' | 'own' | 'attachments' | 'forwarded', string>

const list = (phrases: string) => phrases.split(' | ')

const invoicePhrases = list(
  'rechnungsbetrag* | gesamtbetrag* | rechnungsnummer* | rechnungs-nr | *rechnung nr | *rechnung vom | zahlbar* | nettobetrag* | mwst | ust. | umsatzsteuer* | ust-id* | iban | fällig* | überweisen | nachzahlung* | ihre *rechnung | zahlungsziel* | abgebucht | bankverbindung* | eur | €',
)

/** `Berechnung`, `Aufrechnung` are no invoices. */
const calculations = /(?:be|an|auf|ver|um|hoch|zu)rechnung(?:en)?(?: nr| vom)?$/

export const contentRules = {
  invoice_named: {
    in: ['subject'],
    atLeast: 1,
    phrases: list(
      '*rechnung | *rechnungen | zahlungserinnerung* | *gutschrift* | mahnung | mahnungen | invoice*',
    ),
    except: calculations,
    reason: 'The subject or a file name calls it an invoice.',
  },
  invoice_written: {
    in: ['subject', 'own', 'attachments'],
    atLeast: 2,
    phrases: invoicePhrases,
    except: calculations,
    reason: 'An invoice names its number, an amount, the tax, and how to pay.',
  },
  invoice_attached: {
    in: ['attachments'],
    atLeast: 4,
    phrases: invoicePhrases,
    except: calculations,
    reason: 'An attachment with four of these words is an invoice, whatever the subject says.',
  },
  invoice_asked: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'zahlbar* | zahlungsziel* | ohne abzug | begleichen sie | überweisen sie | zahlen sie | um ausgleich | um zahlung | unsere *rechnung | unserer *rechnung',
    ),
    except: calculations,
    reason: 'The sender asks the reader for payment. A client who got an invoice writes in other words.',
  },
  reminder_named: {
    in: ['subject'],
    atLeast: 1,
    phrases: list('mahnung* | zahlungserinnerung* | zahlungsaufforderung* | forderung | inkasso*'),
    reason: 'The subject or a file name calls it a reminder of a debt.',
  },
  debt_of_client: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'gegen ihren mandanten | gegen ihre mandantin | gegen ihre mandantschaft | gegen ihre partei | fordern ihren mandanten | fordern ihre mandantin | fordern ihre mandantschaft | fordern wir ihren mandanten | fordern wir ihre mandantin | fordern wir ihre mandantschaft | ihr mandant schuldet | ihre mandantin schuldet | schuldet ihr mandant | schuldet ihre mandantin',
    ),
    reason: 'The sender asks a client of the office for payment, and not the office.',
  },
  bill_received: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'eine mahnung bekommen | diese mahnung bekommen | eine rechnung bekommen | diese rechnung bekommen | was muss ich | was soll ich | was kann ich dagegen | muss ich das | muss ich zahlen | soll ich zahlen | muss ich bezahlen | soll ich bezahlen | ich soll | wir sollen | können sie mich vertreten | können sie mir helfen | nie etwas bestellt | nichts bestellt | nie bestellt',
    ),
    reason: 'Who received a bill asks what to do about it.',
  },
  newsletter: {
    in: ['own'],
    atLeast: 1,
    phrases: list(
      'newsletter abbestellen | newsletter abmelden | vom newsletter ab* | diesen newsletter | aus dem verteiler austragen | im browser ansehen | im browser anzeigen | keine weiteren newsletter | hier abmelden | hier abbestellen | abmelden: http | abmelden: https | unsubscribe* | keine mails mehr wünschen',
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
    in: ['subject', 'own', 'attachments', 'forwarded'],
    atLeast: 1,
    phrases: list(
      'eilt | fristsache | eilig* | eilbedürftig* | eilantrag* | eilsache* | eilverfahren* | dringend* | sofort | sofortige* | einstweilige* | ladung* | umladung* | vorladung* | *sladung* | zeugenladung* | parteiladung* | geladen | vorgeladen | umgeladen | notfrist* | zwangsvollstreckung* | pfändungs- und überweisungsbeschl* | *durchsuchung* | haftbefehl* | festnahme* | räumungstermin* | versäumnisurteil* | vollstreckungsbescheid* | mahnbescheid* | strafbefehl* | kündigungsschutzklage* | sperrung | stromsperrung | kontosperrung | hauptverhandlung* | mündlichen verhandlung | betreibensaufforderung* | fristlose kündigung | fristlosen kündigung',
    ),
    mayBeDenied: true,
    except: /^ausladung|(?:ab|per|seit) sofort$|^(?:in|bei|für) (?:dringenden?|eiligen?)$/,
    reason: 'It is called urgent, or is a summons, an order or an enforcement.',
  },
  reported: {
    in: ['subject', 'own', 'attachments', 'forwarded'],
    atLeast: 1,
    phrases: list(
      'bußgeldbescheid* | widerspruchsbescheid* | einspruchsentscheidung* | ablehnungsbescheid* | gerichtsbescheid* | *bescheid erhalten | *bescheid bekommen | einen bescheid erhalten | einen bescheid bekommen | den bescheid erhalten | den bescheid bekommen | *kündigung erhalten | *kündigung bekommen | kündigung zugestellt | kündigung im briefkasten | fristlos gekündigt | mir gekündigt | mir heute gekündigt | mir gestern gekündigt | mich gekündigt | mir wurde gekündigt | wurde mir gekündigt | ich wurde gekündigt | wurde ich gekündigt | kündigung ihres arbeitsverhältnis* | kündigen wir das arbeitsverhältnis | kündigen wir ihr arbeitsverhältnis | kündigen wir das mit ihnen | kündigen das mit ihnen | klage erhalten | klage bekommen | klage zugestellt | gelber umschlag | gelben umschlag | gelber brief | gelben brief',
    ),
    mayBeDenied: true,
    except: /^bescheid (?:erhalten|bekommen)$/,
    reason:
      'Clients report in these words what starts a time limit. Insurers and opponents only refer to it.',
  },
  decision: {
    in: ['subject'],
    atLeast: 1,
    phrases: list(
      '*urteil | *urteile | *urteils | *beschluss | *beschluß | *beschlusses | *bescheid | *bescheids | *entscheidung',
    ),
    except: /^(?:zwischen|eingangs)bescheid/,
    reason:
      'The subject or a file name says that something was decided. Not every decision says how to attack it.',
  },
  hearing: {
    in: ['subject', 'own', 'attachments', 'forwarded'],
    atLeast: 1,
    phrases: list(
      'im namen des volkes | empfangsbekenntnis* | *zustellungsurkunde | termin zur | termin zum | termin wird | termin ist | termin am | *verhandlungstermin* | güteverhandlung* | gütetermin* | kammertermin* | erörterungstermin* | anhörungstermin* | terminsbestimmung* | terminsverlegung* | terminsverfügung* | terminsaufhebung* | terminsänderung* | terminsmitteilung* | mündliche verhandlung',
    ),
    reason: 'Courts announce hearings and judgments, and ask for receipts, in these words.',
  },
} as const satisfies Record<string, ContentRule>

export type ContentRuleName = keyof typeof contentRules

/** The names of the rules that hold, of all rules or of these. */
export function contentOf(
  texts: ContentTexts,
  names = Object.keys(contentRules) as ContentRuleName[],
): ContentRuleName[] {
  const spaced = (text: string) => text.replace(/\s+/g, ' ')
  const read = {
    subject: spaced(texts.subject),
    own: spaced(texts.own),
    attachments: spaced(texts.attachments),
    forwarded: spaced(texts.forwarded),
  }
  return names.filter((name) => holds(name, read))
}

function holds(name: ContentRuleName, texts: ContentTexts): boolean {
  const rule: ContentRule = contentRules[name]
  const text = rule.in.map((part) => texts[part]).join('. ')
  let found = 0
  for (const pattern of patterns[name]) {
    if ([...text.matchAll(pattern)].some((match) => isMeant(match, text, rule))) found += 1
    if (found >= rule.atLeast) return true
  }
  return false
}

/** The phrases of each rule as patterns that match whole words. */
const patterns = Object.fromEntries(
  Object.entries(contentRules).map(([name, { phrases }]) => [name, phrases.map(patternOf)]),
) as Record<ContentRuleName, RegExp[]>

function patternOf(phrase: string): RegExp {
  const letters = phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '\\p{L}{0,40}')
  const isWord = /[\p{L}*]$/u.test(phrase)
  return new RegExp(`(?<![\\p{L}])${letters}${isWord ? '(?![\\p{L}])' : ''}`, 'gu')
}

/** Characters around a phrase that may deny it. */
const around = 40

function isMeant({ 0: phrase, index }: RegExpExecArray, text: string, rule: ContentRule): boolean {
  const clause =
    text
      .slice(Math.max(0, index - around), index)
      .split(/[.!?;,:]/)
      .at(-1) ?? ''
  const after = text.slice(index + phrase.length, index + phrase.length + around)
  const word = /(?<!\p{L})\p{L}*\s?$/u.exec(clause)?.[0] ?? ''
  if (rule.except?.test(phrase) || rule.except?.test(`${word}${phrase}`)) return false
  if (rule.mayBeDenied !== true) return true
  const isDenied =
    /(?<!\p{L})(?:nicht(?! nur)|keine?[rsmn]?|weder|ohne)(?: \p{L}+){0,2} $/u.test(clause) ||
    /^ (?:\p{L}+ )?nicht(?! nur)(?!\p{L})/u.test(after)
  return !isDenied
}
