import { describe, expect, it } from 'vitest'
import { mailContent } from '#mail/mail-content.ts'
import { readMail } from '#mail/read-mail.ts'

const messageOf = (...from: string[]) =>
  Buffer.from([...from.map((one) => `From: ${one}`), 'Subject: Az. 0010/26', '', 'Text'].join('\r\n'))

describe('the sender of a message', () => {
  it.each([
    ['two addresses', ['max@post.example, evil@evil.example']],
    ['a group', ['Wir: max@post.example, evil@evil.example;']],
    ['two addresses in angle brackets', ['<max@post.example> <evil@evil.example>']],
    ['another address as its name', ['max@post.example <evil@evil.example>']],
    ['two fields', ['max@post.example', 'evil@evil.example']],
    ['the same field twice', ['max@post.example', 'max@post.example']],
  ])('%s: the triage knows no sender', async (_, from) => {
    const content = await mailContent(async () => '')(messageOf(...from))

    expect(content).toMatchObject({ facts: { from: null } })
  })

  it.each([
    ['a@b.example'],
    ['<a@b.example>'],
    ['"c@d.example" <a@b.example>'],
    ['A@B.example <a@b.example>'],
    ['=?utf-8?q?c=40d.example?= <a@b.example>'],
    ['Kanzlei <a@b.example> (c@d.example)'],
    ['Müller, Kanzlei <a@b.example>'],
  ])('%s is one sender', async (from) => {
    const content = await mailContent(async () => '')(messageOf(from))

    expect(content).toMatchObject({ facts: { from: { email: 'a@b.example' } } })
  })

  it('is shown as the first address, even if there are several', async () => {
    expect((await readMail(messageOf('a@b.example, c@d.example'))).from?.email).toBe('a@b.example')
  })
})
