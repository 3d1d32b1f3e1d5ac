/**
 * The text in the form that xmlbuilder2 expects. It leaves everything that looks like a reference (`F&E;`) unchanged
 * when it writes.
 */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;')
}
