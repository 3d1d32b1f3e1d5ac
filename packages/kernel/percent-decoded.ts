import { attempted } from './attempted.ts'

/** A text without its percent-encoding (RFC 3986, 2.1). A text whose encoding is invalid is returned unchanged. */
export function percentDecoded(text: string): string {
  return attempted(() => decodeURIComponent(text)) ?? text
}
