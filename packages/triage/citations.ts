/** Characters before and after a reference that say whether it is cited. */
const before = 110
const after = 40

/**
 * Whether a court's reference in a text belongs to a decision that is merely cited, as in `vgl. BGH, Urteil vom
 * 12.03.2025 – VII ZR 88/24, NJW 2025, 1201`. Such a reference neither files a message nor teaches one.
 */
export function isCited(text: string, start: number, end: number): boolean {
  const left = sentenceBefore(text.slice(Math.max(0, start - before), start))
  const right = text.slice(end, end + after)
  if (
    /^[\])]?,? ?(juris|NJW|NZA|NZM|MDR|ZIP|WM|BeckRS|FamRZ|NVwZ|NStZ|GRUR|WuM|Rn|Rdnr|Rz|m\.w\.N|st\. Rspr)/.test(
      right,
    )
  )
    return true
  if (
    /\b(vgl|siehe auch|so auch|ebenso|st\. Rspr|ständiger? Rechtsprechung|nach der Rechtsprechung|zitiert|Rspr)\b/i.test(
      left,
    )
  )
    return true
  // A court and its decision with a date, and nothing that shows that it is a decision in the case itself.
  const isDecision =
    /\b(Urteil|Urt\.|Beschluss|Beschl\.|Entscheidung) ?(vom|v\.) ?\d{1,2}\.[ \p{L}\d]{1,14}\.?\d{0,4},? ?[-–—(]? ?(Az\.:? ?)?$/u.test(
      left,
    )
  if (!isDecision) return false
  return !/(?<!\p{L})(?:in Sachen|in der Sache|in dem Rechtsstreit|Rechtsstreit|Verfahren|anbei|beigefügt|anliegend|zugestellt|zugestellten|übersenden|überreichen|erhalten Sie|gegen das|gegen den)(?!\p{L})/iu.test(
    left,
  )
}

/**
 * The text since the end of the last sentence: a full stop before a blank and a capital, except the full stop of an
 * abbreviation.
 */
function sentenceBefore(text: string): string {
  let from = 0
  for (const { index } of text.matchAll(/\p{Ll}{4}[.!?]\s+(?=\p{Lu})/gu)) from = index + 5
  return text.slice(from)
}

/**
 * Whether a reference stands beside the name of its case (`Familiensache Sommer 54 F 12/26`, `im Verfahren …`). A
 * reference that follows a preposition, an article or an adverb (`Nachfolgeverfahren zu`, `Beiziehung der Akte`,
 * `dort`) may mean another case.
 */
export function isInApposition(before: string): boolean {
  const clause = before.split(/[,;:|–—()]| - /u).at(-1) ?? ''
  const named = clause.replace(
    /(?<!\p{L})(?:(?:in|im|zum|zur|betr(?:ifft|eff)?\.?) )?(?:(?:der|dem|das) )?(?=(?:Verfahren|Rechtsstreit|Sachen?|Rechtssache)(?!\p{L}))/giu,
    '',
  )
  return !/(?<![\p{L}.])\p{Ll}+(?!\p{L})/u.test(named.replace(/(?<!\p{L})(?:i\. ?S\.|e\. ?[VK]\.)/gu, ''))
}

/** Whether the words before a reference in a subject or a head show that it belongs to another case. */
export function isOfAnotherCase(before: string): boolean {
  const words = before.toLowerCase().split(/[^\p{L}]/u)
  const kindsOfCase = words.flatMap((word) => {
    const noun = nouns.find((one) => word.endsWith(one))
    return noun === undefined || noun === word ? [] : [word.slice(0, -noun.length)]
  })
  return (
    kindsOfCase.some((kind) => !ownKinds.test(kind)) ||
    /parallel|muster|pilot|vorinstanz|hinweis(?:e)? (?:auf|zu)|verweis|bezug(?:nahme)? auf|(?<!\p{L})(?:wie|analog|entsprechend|vgl|siehe|anders als)(?!\p{L})|rechtsprechung|entscheidung(?:en)?(?!\p{L})/iu.test(
      before,
    ) ||
    /(?<!\p{L})(?:andere|fremde|alte|frühere|bisherige|weitere)[rsnm]? (?:Verfahren|Sache|Akte)/iu.test(
      before,
    )
  )
}

const nouns = ['verfahren', 'sache', 'prozess', 'akte', 'akten']

/**
 * The first parts of the words for the sender's own case: kinds and stages of cases, as in `Klageverfahren`. Any other
 * word (`Schwesterverfahren`, `Beiakte`) means another case.
 */
const ownKinds =
  /^(?:familien|ehe|scheidungs|kindschafts|unterhalts|sorgerechts|umgangs|folge|straf|jugendstraf|bußgeld|ermittlungs|zivil|rechts|streit|miet|bau|verkehrs|arzthaftungs|arbeits|sozial|verwaltungs|verwaltungsstreit|verwaltungsrechts|steuer|finanz|insolvenz|nachla(?:ss|ß)|betreuungs|vormundschafts|register|grundbuch|handels|klage|beweis|eil|güte|mahn|berufungs|revisions|beschwerde|rechtsmittel|vollstreckungs|zwangsvollstreckungs|zwangsversteigerungs|adhäsions|privatklage|asyl|disziplinar|normenkontroll|verfassungs|kostenfestsetzungs|pkh)$/iu
