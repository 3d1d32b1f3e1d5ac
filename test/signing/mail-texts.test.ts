import { describe, expect, it } from 'vitest'
import { mailHtml } from '#mail/mail-html.ts'
import { type MailFacts, mailText } from '#signing/mail/mail-texts.ts'
import { mailKinds } from '#signing/queues.ts'

const link = 'https://akte.example.de/sign/AbC-_0123456789'

const facts: MailFacts = {
  office: 'Kanzlei Vogt & Partner',
  sender: 'Dr. Jana Vogt',
  recipient: { name: 'Jörg Weißmüller', role: 'signer' },
  title: 'Vollmacht für das Verfahren',
  documents: ['Vollmacht.pdf', 'Vergütungsvereinbarung.pdf'],
  message: 'Bitte bis Freitag.\nDanke!',
  expires_at: '2026-12-20T22:30:00.000Z',
  time_zone: 'Europe/Berlin',
  link,
  has_access_code: false,
  verify_url: 'https://akte.example.de/verify',
  copies: 'attached',
  declined: null,
  missing: ['Jörg Weißmüller'],
}

const requests = ['invitation', 'your_turn', 'reminder'] as const

/** Each kind of mail to each kind of recipient. */
const all: [string, ReturnType<typeof mailText>][] = mailKinds.flatMap((kind) =>
  (['signer', 'approver', 'cc', 'creator'] as const).map((role): [string, ReturnType<typeof mailText>] => [
    `${kind} to ${role}`,
    mailText(kind, {
      ...facts,
      recipient: { name: 'Jörg Weißmüller', role },
      link: requests.some((one) => one === kind) ? link : null,
      declined: kind === 'declined' ? { name: 'Anna Meier', reason: 'Zu teuer.' } : null,
    }),
  ]),
)

const textOf = async (html: string) => mailHtml.textOf(await mailHtml.clean(html))

describe('every mail of an envelope', () => {
  it.each(all)('is clean HTML: %s', async (_, { html, recordedHtml }) => {
    const cleaned = await mailHtml.clean(html)

    expect(await mailHtml.clean(cleaned)).toBe(cleaned)
    const tags = (text: string) => [...text.matchAll(/<(\w+)/g)].map(([, tag]) => tag)
    expect(tags(cleaned)).toEqual(tags(html))
    expect(html.match(/<img|<link|src=|@import|url\(/i)).toBeNull()
    expect(recordedHtml).not.toContain('/sign/')
  })

  it.each(all)('is German first, then English, and names the title: %s', async (_, { subject, html }) => {
    expect(subject).toContain('Vollmacht für das Verfahren')
    const text = await textOf(html)
    expect(text.indexOf('Guten Tag Jörg Weißmüller,')).toBe(0)
    expect(text.indexOf('Dear Jörg Weißmüller,')).toBeGreaterThan(text.indexOf('Mit freundlichen Grüßen'))
    expect(text.split('Vollmacht für das Verfahren').length).toBeGreaterThanOrEqual(3)
  })
})

describe('a mail that asks to sign', () => {
  it('is readable as plain text, which contains the address of the page', async () => {
    expect(await textOf(mailText('invitation', facts).html)).toBe(`Guten Tag Jörg Weißmüller,

Dr. Jana Vogt (Kanzlei Vogt & Partner) bittet Sie, „Vollmacht für das Verfahren“ elektronisch zu unterschreiben:

- Vollmacht.pdf
- Vergütungsvereinbarung.pdf

Nachricht von Dr. Jana Vogt:

> Bitte bis Freitag.
> Danke!

Dokumente ansehen und unterschreiben <${link}>

Der Link ist bis 20. Dezember 2026 um 23:30 Uhr gültig und nur für Sie bestimmt: Wer ihn hat, kann in Ihrem Namen handeln. Bitte leiten Sie diese E-Mail nicht weiter. Ein Benutzerkonto brauchen Sie nicht.

Haben Sie Fragen, oder haben Sie diese E-Mail nicht erwartet? Antworten Sie einfach auf diese E-Mail.

Mit freundlichen Grüßen
Kanzlei Vogt & Partner

----------

Dear Jörg Weißmüller,

Dr. Jana Vogt (Kanzlei Vogt & Partner) asks you to sign “Vollmacht für das Verfahren” electronically. The documents are named above.

View and sign the documents <${link}>

The link is valid until 20 December 2026 at 23:30 (Europe/Berlin) and for you alone: anybody who has it can act in your name. Please do not forward this e-mail. You do not need an account.

If you have questions or did not expect this e-mail, just reply to it.

Kind regards
Kanzlei Vogt & Partner`)
  })

  it('says the time in the time zone of the office', () => {
    const { html } = mailText('invitation', { ...facts, time_zone: 'America/New_York' })

    expect(html).toContain('20. Dezember 2026 um 17:30 Uhr')
  })

  it('has the link in the message, but not in the record', () => {
    for (const kind of requests) {
      const { html, recordedHtml } = mailText(kind, facts)
      expect(html.split(link).length).toBe(3)
      expect(recordedHtml).not.toContain('AbC-_0123456789')
      expect(recordedHtml).toContain('Dokumente ansehen und unterschreiben')
    }
  })

  it('says that the access code, if there is one, is sent separately', async () => {
    const text = async (has_access_code: boolean) =>
      textOf(mailText('invitation', { ...facts, has_access_code }).html)

    expect(await text(true)).toContain('Sie erhalten ihn von der Kanzlei auf einem anderen Weg.')
    expect(await text(true)).toContain('gives it to you separately')
    expect(await text(false)).not.toMatch(/Zugangscode|access code/)
  })

  it('asks an approver to approve, not to sign', async () => {
    const text = mailText('invitation', { ...facts, recipient: { name: 'Jörg', role: 'approver' } })

    expect(text.subject).toBe('Bitte zustimmen: Vollmacht für das Verfahren (Please approve)')
    expect(await textOf(text.html)).not.toMatch(/unterschreiben|asks you to sign/)
  })
})

describe('texts of users', () => {
  const hostile = '<script>alert(1)</script><a href="https://böse.example">hier</a>\u202egnp.exe\u2066'

  it('are escaped everywhere, and do not change the writing direction', async () => {
    for (const kind of mailKinds) {
      for (const role of ['signer', 'creator'] as const) {
        const { html, subject } = mailText(kind, {
          ...facts,
          office: hostile,
          sender: hostile,
          recipient: { name: hostile, role },
          title: hostile,
          documents: [hostile],
          message: hostile,
          declined: { name: hostile, reason: hostile },
          missing: [hostile],
          link: null,
        })
        expect(html).not.toMatch(/<script|href="https:\/\/böse/)
        expect(html + subject).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
        expect(await textOf(html)).toContain('<script>alert(1)</script>')
      }
    }
  })

  it('stays in one line of the subject, and keeps its lines in a message', async () => {
    const { subject, html } = mailText('invitation', {
      ...facts,
      title: 'Vollmacht\r\nBcc: alle@example.com',
      message: 'eins\r\nzwei\n\ndrei',
    })

    expect(subject).toBe('Bitte unterschreiben: Vollmacht Bcc: alle@example.com (Please sign)')
    expect(html).toContain('eins<br>zwei<br><br>drei')
  })
})

describe('a notice', () => {
  it('about a refusal tells who declined and why to the office, but not to the others', async () => {
    const declined = { name: 'Anna Meier', reason: 'Zu teuer.' }
    const to = async (role: 'creator' | 'signer') =>
      textOf(mailText('declined', { ...facts, link: null, declined, recipient: { name: 'X', role } }).html)

    expect(await to('creator')).toMatch(/Anna Meier hat .* abgelehnt[\s\S]*> Zu teuer\./)
    expect(await to('signer')).not.toMatch(/Anna|teuer/)
  })

  it('about an expiry tells the office who has not acted', async () => {
    const text = await textOf(
      mailText('expired', { ...facts, link: null, recipient: { name: 'Dr. Jana Vogt', role: 'creator' } })
        .html,
    )

    expect(text).toContain(
      'ist am 20. Dezember 2026 um 23:30 Uhr abgelaufen. Es fehlen:\n\n- Jörg Weißmüller',
    )
  })

  it('about the completion says where the sealed copies are, and how to check them', async () => {
    const text = async (copies: MailFacts['copies'], role: MailFacts['recipient']['role'] = 'signer') =>
      textOf(mailText('completed', { ...facts, link: null, copies, recipient: { name: 'X', role } }).html)

    expect(await text('attached')).toContain('sind beigefügt')
    expect(await text('linked')).toContain('unten abrufen')
    expect(await text('none', 'creator')).toContain('liegen in der Akte')
    expect(await text('none')).toContain('auf Anfrage von der Kanzlei')
    expect(await text('attached')).toContain('https://akte.example.de/verify')
  })
})
