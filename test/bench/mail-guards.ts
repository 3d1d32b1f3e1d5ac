import { addressParser } from 'postal-mime'
import { inboundHtml } from '#mail/inbound-html.ts'
import { requireFewLines } from '#mail/mail-bodies.ts'
import { mailContent } from '#mail/mail-content.ts'
import { headerFields } from '#mail/mime-parts.ts'
import { senderClaims } from '#mail/sender-claims.ts'
import { proveSender } from '#mail/sender-proof.ts'
import { median, type Part, round } from './report.ts'

const runs = 200

const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=mueller.example; s=s1; h=from:to:subject:date;\r\n bh=${'A'.repeat(43)}=; b=${'B'.repeat(342)}==`

/** A letter with HTML and a PDF of 150 KB, as a provider delivers it. */
const message = Buffer.from(
  [
    'Received: from mx.mueller.example by inbound-smtp.eu-central-1.amazonaws.com; Fri, 20 Nov 2026 09:30:00 +0100',
    'Authentication-Results: amazonses.com;\r\n spf=pass (spfCheck) envelope-from=max@mueller.example;\r\n dkim=pass header.i=@mueller.example;\r\n dmarc=none header.from=mueller.example;',
    signature,
    'From: Max Mueller <max@mueller.example>',
    'Subject: Ihr Zeichen 0010/26',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<html><body>${'<p>Sehr geehrte Damen und Herren, anbei das Schreiben.</p>\r\n'.repeat(40)}</body></html>`,
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.alloc(150_000, 37).toString('base64').replace(/.{76}/g, '$&\r\n'),
    '--b--',
    '',
  ].join('\r\n'),
)

/** As the parser is given it: with the beginning of the PDF. */
const parsed = message.subarray(0, message.indexOf('base64\r\n\r\n') + 1_024)

/** Measures what the guards of received mail cost, beside reading the mail. */
export async function measureMailGuards(): Promise<Part> {
  const read = mailContent(inboundHtml)
  const header = message.toString('latin1', 0, message.indexOf('\r\n\r\n'))
  const headers = headerFields(header).map(([key, value]) => ({ key, value, originalKey: key }))
  const [sender] = addressParser('Max Mueller <max@mueller.example>', { flatten: true })
  const from = { name: sender?.name ?? null, email: sender?.address ?? '' }
  const verdicts = { spam: 'pass', virus: 'pass', spf: 'gray', dkim: 'pass', dmarc: 'gray' } as const
  const checks = { verdicts, envelope_from: 'max@mueller.example', authserv_id: 'amazonses.com' }
  const guard = () => {
    requireFewLines(parsed)
    if (proveSender(senderClaims(headers, from), checks).sender_verified !== true)
      throw new Error('The sender of the usual mail is not verified.')
  }
  const [reading, guarding]: [number[], number[]] = [[], []]
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now()
    await read(message)
    const between = performance.now()
    guard()
    guarding.push(performance.now() - between)
    reading.push(between - start)
  }
  const share = (100 * median(guarding)) / median(reading)
  return {
    title: 'Guards of received mail',
    method: `The bounds of lines and the proof of the sender, beside reading a mail with a PDF of 150 KB: the medians of ${runs} runs.`,
    rows: [
      {
        'reading ms': round(median(reading)),
        'guards ms': Math.round(median(guarding) * 1_000) / 1_000,
        'share %': Math.round(share * 100) / 100,
      },
    ],
    targets: [{ name: 'guards of a received mail', measured: share, unit: '%', max: 1 }],
  }
}
