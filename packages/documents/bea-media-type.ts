import { mediaTypeOf } from './attached-documents.ts'

/** The media type of a beA attachment: from its content or, if that is not enough, from its file name extension. */
export function beaMediaType(filename: string, bytes: Uint8Array): Promise<string> {
  const extension = /\.([a-z0-9]{1,10})$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  return mediaTypeOf({
    filename,
    mime_type: typesByExtension[extension] ?? 'application/octet-stream',
    bytes,
  })
}

const typesByExtension: Record<string, string> = {
  xml: 'application/xml',
  json: 'application/json',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
  eml: 'message/rfc822',
  ics: 'text/calendar',
  p7s: 'application/pkcs7-signature',
  p7m: 'application/pkcs7-mime',
  pkcs7: 'application/pkcs7-mime',
  zip: 'application/zip',
}
