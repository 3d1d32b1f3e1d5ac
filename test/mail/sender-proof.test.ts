import { describe, expect, it } from 'vitest'
import type { SenderChecks } from '#correspondence/reception-ports.ts'
import type { Verdicts } from '#correspondence/schema.ts'
import { readHeader } from '#mail/read-header.ts'

/** Whether a sender is verified, by the header of a message and the results of the receiving service (I5, I8). */

const nothing: Verdicts = {
  spam: 'unknown',
  virus: 'unknown',
  spf: 'unknown',
  dkim: 'unknown',
  dmarc: 'unknown',
}
type Given = { from?: string[]; header?: string[]; envelope?: string; by?: SenderChecks['authserv_id'] }

async function proofOf(verdicts: Partial<Verdicts>, given: Given = {}): Promise<string> {
  const {
    from = ['Max Müller <max@mueller.example>'],
    header = [],
    envelope = null,
    by = 'amazonses.com',
  } = given
  const raw = [...header, ...from.map((one) => `From: ${one}`), 'Subject: Akte', '', 'Text'].join('\r\n')
  const { sender_verified, sender_verified_reason } = await readHeader.read(Buffer.from(raw), {
    verdicts: { ...nothing, ...verdicts },
    envelope_from: envelope,
    authserv_id: by,
  })
  return sender_verified ? 'verified' : `${sender_verified_reason}`
}

const signature = (domain: string, tags = 'h=from:to:subject') =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s1; ${tags};\r\n bh=c2VpdGU=; b=dW50ZXI=`
const results = (...clauses: string[]) =>
  `Authentication-Results: amazonses.com;\r\n ${clauses.join(';\r\n ')};`

describe('a sender is verified', () => {
  it.each<[string, Partial<Verdicts>, Given]>([
    ['by DMARC', { dmarc: 'pass' }, {}],
    ['by SPF for the domain itself', { spf: 'pass' }, { envelope: 'bounce@mueller.example' }],
    [
      'by SPF for another host of the organisation',
      { spf: 'pass' },
      { from: ['poststelle@lg-muenchen1.bayern.de'], envelope: 'a@mx.justiz.bayern.de' },
    ],
    [
      'by SPF under a suffix of two labels',
      { spf: 'pass' },
      { from: ['a@law.co.uk'], envelope: 'a@mail.law.co.uk' },
    ],
    [
      'by SPF for an international domain in its other form',
      { spf: 'pass' },
      { from: ['a@müller.de'], envelope: 'a@xn--mller-kva.de' },
    ],
    [
      'by DKIM that the receiver names, beside the signature of a service',
      { dkim: 'pass' },
      {
        header: [
          results(
            'spf=pass (a comment; dkim=fail header.i=@mueller.example) client-ip=192.0.2.1',
            'dkim=pass header.i=@mueller.example',
            'dkim=pass header.i=@amazonses.com',
          ),
          signature('mueller.example'),
          signature('amazonses.com'),
        ],
      },
    ],
    [
      'by DKIM of a subdomain',
      { dkim: 'pass' },
      {
        header: [results('dkim=pass header.i=@news.mueller.example'), signature('news.mueller.example')],
      },
    ],
    [
      'by DKIM of all signatures, if the receiver names none',
      { dkim: 'pass', spf: 'gray' },
      { by: null, header: [signature('mueller.example'), signature('mail.mueller.example')] },
    ],
    [
      'also with results that services on the way wrote',
      { dmarc: 'pass' },
      {
        header: [
          results('dmarc=pass header.from=mueller.example'),
          'Authentication-Results: mx.forwarder.example; dmarc=fail header.from=mueller.example',
        ],
      },
    ],
    [
      'by DKIM, however its fields are written',
      { dkim: 'pass' },
      {
        from: ['Max<max@mueller.example>'],
        header: [
          'AUTHENTICATION-RESULTS:amazonses.com;DKIM=PASS\theader.i=@MUELLER.example;spf=none',
          'dkim-signature:v=1;a=rsa-sha256;d=MUELLER.example;s=a;h=FROM:to;bh=c2VpdGU=;b=dW50ZXI=',
        ],
      },
    ],
    [
      'by DKIM with comments and quoted reasons that hold semicolons',
      { dkim: 'pass' },
      {
        header: [
          results('dkim=pass (2048-bit key; (a;b)) reason="fine; all" header.d=mueller.example header.s=s1'),
          signature('mueller.example'),
        ],
      },
    ],
    [
      'by DKIM for a user of a subdomain',
      { dkim: 'pass' },
      {
        header: [
          results('dkim=pass header.i=max@post.mueller.example'),
          signature('mueller.example', 'i=max@post.mueller.example; h=from'),
        ],
      },
    ],
    [
      'by DKIM of mail that was forwarded with a sender of its own',
      { dkim: 'pass', spf: 'pass' },
      {
        envelope: 'info+SRS=abcde=XY=mueller.example=max@contoso.example',
        header: [
          results('spf=pass client-ip=192.0.2.1', 'dkim=pass header.i=@mueller.example'),
          signature('mueller.example'),
        ],
      },
    ],
    [
      'with an address in another line, after a tab',
      { dmarc: 'pass' },
      { from: ['"Mueller, Max (Rechtsabteilung)"\r\n\t<max@mueller.example>'] },
    ],
    ['with a name that has an @', { dmarc: 'pass' }, { from: ['"Info@Kanzlei Müller" <a@mueller.example>'] }],
    [
      'with a name that has an @ and a full stop',
      { dmarc: 'pass' },
      { from: ['"Müller @ Co. KG" <a@mueller.example>'] },
    ],
    [
      'with a name that shows an address of the same organisation',
      { dmarc: 'pass' },
      { from: ['"„max@post.mueller.example“" <a@mueller.example>'] },
    ],
    [
      'by SPF for the same tenant of a provider',
      { spf: 'pass' },
      { from: ['a@contoso.onmicrosoft.com'], envelope: 'b@contoso.onmicrosoft.com' },
    ],
    ['with a quoted name', { dmarc: 'pass' }, { from: ['"Müller, Max (RA)" <max@mueller.example>'] }],
    [
      'with a name that repeats the address',
      { dmarc: 'pass' },
      { from: ['max@mueller.example <max@mueller.example>'] },
    ],
    ['with an encoded name', { dmarc: 'pass' }, { from: ['=?utf-8?q?M=C3=BCller?= <max@mueller.example>'] }],
  ])('%s', async (_, verdicts, given) => {
    expect(await proofOf(verdicts, given)).toBe('verified')
  })
})

describe('a sender is not verified', () => {
  it.each<[string, string, Partial<Verdicts>, Given]>([
    ['nobody looked', 'not_checked', {}, {}],
    ['softfail', 'not_passed', { spf: 'gray' }, { envelope: 'max@mueller.example' }],
    ['failed DKIM', 'not_passed', { dkim: 'fail', spf: 'gray' }, { header: [signature('mueller.example')] }],
    ['DMARC failed', 'dmarc_failed', { dmarc: 'fail', spf: 'pass' }, { envelope: 'max@mueller.example' }],
    ['SPF for another domain', 'not_aligned', { spf: 'pass' }, { envelope: 'max@evil.example' }],
    [
      'SPF for a domain that begins alike',
      'not_aligned',
      { spf: 'pass' },
      { envelope: 'a@mueller.example.evil.de' },
    ],
    ['SPF for a domain that ends alike', 'not_aligned', { spf: 'pass' }, { envelope: 'a@xmueller.example' }],
    ['SPF without a sender of the envelope', 'not_aligned', { spf: 'pass' }, { envelope: '' }],
    [
      'SPF for another customer of a suffix',
      'not_aligned',
      { spf: 'pass' },
      { from: ['a@law.co.uk'], envelope: 'a@other.co.uk' },
    ],
    [
      'SPF for another customer of a host',
      'not_aligned',
      { spf: 'pass' },
      { from: ['a@kanzlei.github.io'], envelope: 'a@evil.github.io' },
    ],
    [
      'an address of the sender in the local part of another',
      'not_aligned',
      { spf: 'pass' },
      { envelope: '"max@mueller.example"@evil.example' },
    ],
    [
      'DKIM of another domain',
      'not_aligned',
      { dkim: 'pass' },
      { header: [results('dkim=pass header.i=@evil.example'), signature('evil.example')] },
    ],
    [
      'DKIM of one domain beside an idle signature of the sender, if the receiver names none',
      'not_aligned',
      { dkim: 'pass' },
      { by: null, header: [signature('mueller.example'), signature('evil.example')] },
    ],
    [
      'a signature that does not sign From',
      'not_aligned',
      { dkim: 'pass' },
      { by: null, header: [signature('mueller.example', 'h=to:subject')] },
    ],
    ...['l=10; h=from', 'h=from:to; l = 0', 'L=5; h=from; l=0'].map(
      (tags): [string, string, Partial<Verdicts>, Given] => [
        `a signature of the beginning alone, ${tags}`,
        'not_aligned',
        { dkim: 'pass' },
        {
          header: [results('dkim=pass header.i=@mueller.example'), signature('mueller.example', tags)],
        },
      ],
    ),
    [
      'results that the sender wrote below those of the receiver',
      'contradictory',
      { dkim: 'pass' },
      {
        header: [
          results('dkim=pass header.i=@evil.example'),
          results('dkim=pass header.i=@mueller.example', 'dmarc=pass header.from=mueller.example'),
          signature('mueller.example'),
          signature('evil.example'),
        ],
      },
    ],
    [
      'results under the name of the receiver below those of another',
      'contradictory',
      { dkim: 'pass' },
      {
        header: [
          'Authentication-Results: mx.evil.example; dkim=pass header.d=mueller.example',
          results('dkim=pass header.i=@mueller.example'),
          signature('mueller.example'),
        ],
      },
    ],
    [
      'results of another service',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          'Authentication-Results: amazonses.com.evil.example; dkim=pass header.d=mueller.example',
          signature('mueller.example'),
        ],
      },
    ],
    [
      'results that got in by the name of a server, without a signature',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          results('spf=pass helo=a; dkim=pass header.i=@mueller.example', 'dkim=pass header.i=@evil.example'),
          signature('evil.example'),
        ],
      },
    ],
    [
      'results that got in, with a signature that failed',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          results(
            'spf=pass helo=a; dkim=pass header.i=@mueller.example',
            'dkim=permerror header.i=@mueller.example',
            'dkim=pass header.i=@evil.example',
          ),
          signature('mueller.example'),
          signature('evil.example'),
        ],
      },
    ],
    ...['"', '(', '(a) (b', 'b" " "'].map((opened): [string, string, Partial<Verdicts>, Given] => [
      `results that got in, and hide with ${opened} what follows them`,
      'contradictory',
      { dkim: 'pass' },
      {
        header: [
          results(
            `spf=pass helo=a; dkim=pass header.i=@mueller.example; b=${opened}`,
            'dkim=fail header.i=@mueller.example',
            'dkim=pass header.i=@evil.example',
          ),
          signature('mueller.example'),
          signature('evil.example'),
        ],
      },
    ]),
    [
      'results that got in, and hide in a whole quoted string what follows them',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          results(
            'spf=pass helo=a; dkim=pass header.i=@mueller.example; b="',
            'dkim=fail header.i=@mueller.example',
            'dkim=pass header.i="@evil.example',
          ),
          signature('mueller.example'),
          signature('evil.example'),
        ],
      },
    ],
    [
      'results that got in, with a signature for a user of another domain',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          results(
            'spf=pass helo=a; dkim=pass header.i=@mueller.example',
            'dkim=permerror header.i=@evil.example',
            'dkim=pass header.i=@evil.example',
          ),
          signature('mueller.example', 'i=@evil.example; h=from'),
          signature('evil.example'),
        ],
      },
    ],
    [
      'results that are longer than any',
      'contradictory',
      { dkim: 'pass' },
      {
        header: [
          results('dkim=pass header.i=@mueller.example', `dkim=fail header.i=@${'x'.repeat(10_000)}`),
          results('dkim=pass header.i=@mueller.example'),
          signature('mueller.example'),
        ],
      },
    ],
    [
      'DMARC did not pass, though the domain asks for nothing',
      'dmarc_failed',
      { spf: 'pass', dmarc: 'gray' },
      {
        envelope: 'a@kunde.mueller.example',
        header: [results('spf=pass client-ip=192.0.2.1', 'dmarc=fail header.from=mueller.example')],
      },
    ],
    [
      'SPF for another tenant of a provider',
      'not_aligned',
      { spf: 'pass' },
      { from: ['a@contoso.onmicrosoft.com'], envelope: 'a@evil.onmicrosoft.com' },
    ],
    [
      'results that stand in a quoted string',
      'not_aligned',
      { dkim: 'pass' },
      {
        header: [
          results('spf=pass envelope-from="a; dkim=pass header.i=@mueller.example; "@evil.example'),
          signature('mueller.example'),
        ],
      },
    ],
    [
      'DMARC of another From',
      'contradictory',
      { dmarc: 'pass' },
      { header: [results('dmarc=pass header.from=evil.example')] },
    ],
    [
      'two fields From',
      'no_clear_sender',
      { dmarc: 'pass' },
      { from: ['a@b.example', 'max@mueller.example'] },
    ],
    [
      'a second From with a blank before its colon',
      'no_clear_sender',
      { dmarc: 'pass' },
      { header: ['From : a@evil.example'] },
    ],
    ['two addresses', 'no_clear_sender', { dmarc: 'pass' }, { from: ['a@b.example, max@mueller.example'] }],
    ['a group', 'no_clear_sender', { dmarc: 'pass' }, { from: ['Wir: max@mueller.example;'] }],
    ['a route', 'no_clear_sender', { dmarc: 'pass' }, { from: ['<@evil.example:max@mueller.example>'] }],
    [
      'an encoded domain',
      'no_clear_sender',
      { dmarc: 'pass' },
      { from: ['Max <max@=?utf-8?q?mueller.example?=>'] },
    ],
    ['an escaped domain', 'no_clear_sender', { dmarc: 'pass' }, { from: ['max@mu%65ller.example'] }],
    ['a domain in wide characters', 'no_clear_sender', { dmarc: 'pass' }, { from: ['max@ｍueller.example'] }],
    ['no From', 'no_clear_sender', { dmarc: 'pass' }, { from: [] }],
    [
      'a name with another address',
      'misleading_name',
      { dmarc: 'pass' },
      { from: ['"poststelle@lg-berlin.de" <x@evil.example>'] },
    ],
    [
      'an encoded name with another address',
      'misleading_name',
      { dmarc: 'pass' },
      { from: ['=?utf-8?q?Max_=3Cmax=40mueller=2Eexample=3E?= <x@evil.example>'] },
    ],
    ...[
      'poststelle@lg-berlin。de',
      'poststelle@lg-berlin｡de',
      'poststelle﹫lg-berlin․de',
      'poststelle@ lg-berlin.de',
      'max@firma_1.mueller.example',
      '„max@mueller.example“',
    ].map((name): [string, string, Partial<Verdicts>, Given] => [
      `the name ${name}`,
      'misleading_name',
      { dmarc: 'pass' },
      { from: [`"${name}" <x@evil.example>`] },
    ]),
    [
      'a name with another address in wide and invisible characters',
      'misleading_name',
      { dmarc: 'pass' },
      { from: ['"max＠mueller\u200b.example" <x@evil.example>'] },
    ],
  ])('%s', async (_, reason, verdicts, given) => {
    expect(await proofOf(verdicts, given)).toBe(reason)
  })

  it('of a header that was not read to its end', async () => {
    const header = [`X-Lang: ${'x'.repeat(300 * 1024)}`]

    expect(await proofOf({ dmarc: 'pass' }, { header })).toBe('no_clear_sender')
  })
})
