/** Characters before and after a reference that say whether it is cited. */
const before = 110
const after = 40

/**
 * Whether a court's reference in a text is that of a decision that is merely cited, as in `vgl. BGH, Urteil vom
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
  // A court and its decision of a day, with nothing that says the decision is of the case itself.
  const isDecision =
    /\b(Urteil|Urt\.|Beschluss|Beschl\.|Entscheidung) ?(vom|v\.) ?\d{1,2}\.[ \p{L}\d]{1,14}\.?\d{0,4},? ?[-–—(]? ?(Az\.:? ?)?$/u.test(
      left,
    )
  if (!isDecision) return false
  return !/\b(in Sachen|in der Sache|in dem Rechtsstreit|Rechtsstreit|Verfahren|anbei|beigefügt|anliegend|zugestellt|zugestellten|übersenden|überreichen|erhalten Sie|gegen das|gegen den)\b/i.test(
    left,
  )
}

/** What stands since the last sentence ended: a full stop before a blank and a capital, but not that of an abbreviation. */
function sentenceBefore(text: string): string {
  let from = 0
  for (const { index } of text.matchAll(/\p{Ll}{4}[.!?]\s+(?=\p{Lu})/gu)) from = index + 5
  return text.slice(from)
}
