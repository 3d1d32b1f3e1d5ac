import { describe, expect, it } from 'vitest'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { limits } from '#triage/limits.ts'
import { readSignals } from '#triage/read-signals.ts'

const settings = {
  own_mailboxes: [],
  deactivated_users: [],
  auto_file: 'certain' as const,
  file_number_form: '0010/26',
}
const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
const everywhere = (text: string): MessageFacts => ({
  kind: 'mail',
  received_on: '2026-11-20',
  from: { name: text, email: 'a@b.example' },
  subject: text,
  text,
  in_reply_to: [],
  references: Array.from({ length: 5_000 }, (_, at) => `<${at}@b.example>`),
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: Array.from({ length: 500 }, () => ({ filename: 'a.pdf', mime_type: 'application/pdf', text })),
  xjustiz: [],
  verdict: 'passed',
  sender_verified: true,
  protection: 'none',
})

describe('hostile text', () => {
  it.each([
    '1',
    '10/26 ',
    '3 O 45/26 ',
    'VII ZR ',
    '> ',
    ' ',
    '\n',
    'Am 1\n',
    'Von: a\n',
    'Frist bis zum ',
    'binnen zwei ',
    '. ',
    ' ./. ',
    'Herr Aaa Bbb ',
    '-',
    'mit ',
    'Mandant Dr. ',
    'ä',
    'Urteil vom 1.1.2026 - ',
    'a ',
    'am 1.1. a ',
    'frist endet ',
    'bitte heute noch ',
    'bitte bis Ende der nächsten ',
    'bitte in KW 50 ',
    'bis 1/2/',
    'bis 1-2-',
    '\nFrist morgen 12 Uhr, dann bis morgen ',
    'im Urlaub, bitte bis 1.1. ',
    'wir sehen bis 1.1. ',
  ])('a megabyte of %j everywhere is read in bounded time, and asks for a bounded number of reads', (piece) => {
    const message = everywhere(megabyte(piece))
    const start = cpuMilliseconds()
    // Act
    const signals = readSignals(message, settings)
    // Assess: a second is a hundred times what it takes.
    expect(cpuMilliseconds() - start).toBeLessThan(5_000)
    expect(signals.message_ids.length).toBeLessThanOrEqual(limits.messageIds)
    expect(signals.file_numbers.length).toBeLessThanOrEqual(limits.fileNumbers)
    expect(signals.court_references.length).toBeLessThanOrEqual(limits.courtReferences)
    expect(signals.names.length).toBeLessThanOrEqual(limits.names)
    expect(signals.reading.deadline_hints.length).toBeLessThanOrEqual(limits.hints)
  })

  it('more numbers than the limit are cut, those that count first', () => {
    const text = [
      ...Array.from({ length: 99 }, (_, at) => `unser Zeichen: ${at + 1}/25`),
      'Ihr Zeichen: 10/26',
    ].join('\n')

    const { file_numbers } = readSignals(
      { ...everywhere(''), subject: 'x', text: text.split('\n').toReversed().join('\n') },
      settings,
    )
    expect(file_numbers).toHaveLength(limits.fileNumbers)
    expect(file_numbers[0]).toMatchObject({ key: '10/26', label: 'ours' })
  })
})
