import { describe, expect, it } from 'vitest'
import { MailReceipt } from '#correspondence/receipt-schema.ts'
import type { Verdicts } from '#correspondence/schema.ts'
import { triageVerdict, verdictsOf } from '#correspondence/verdicts.ts'

const unknown: Verdicts = {
  spam: 'unknown',
  virus: 'unknown',
  spf: 'unknown',
  dkim: 'unknown',
  dmarc: 'unknown',
}
const good: Verdicts = { spam: 'pass', virus: 'pass', spf: 'pass', dkim: 'pass', dmarc: 'pass' }

/** A receipt as SES publishes it for its S3 action. */
const receipt = (verdicts: Record<string, { status: string }>) =>
  MailReceipt.parse({
    notificationType: 'Received',
    mail: { messageId: 'o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1', timestamp: '2026-03-16T08:30:00.000Z' },
    receipt: {
      recipients: ['kanzlei@mail.example.de'],
      ...verdicts,
      action: { type: 'S3', bucketName: 'files', objectKey: 'received/o3vrnil0e2ic28trm7dfhrc2v0' },
    },
  })

describe('the verdicts of a message', () => {
  it('are those of SES, each with its name', () => {
    const verdicts = verdictsOf(
      receipt({
        spamVerdict: { status: 'PASS' },
        virusVerdict: { status: 'FAIL' },
        spfVerdict: { status: 'GRAY' },
        dkimVerdict: { status: 'FAIL' },
        dmarcVerdict: { status: 'PASS' },
      }),
    )

    expect(verdicts).toEqual({ spam: 'pass', virus: 'fail', spf: 'gray', dkim: 'fail', dmarc: 'pass' })
  })

  it('are unknown if SES did not check, failed to check, or reports a new status', () => {
    const verdicts = verdictsOf(
      receipt({
        spamVerdict: { status: 'DISABLED' },
        virusVerdict: { status: 'PROCESSING_FAILED' },
        dmarcVerdict: { status: 'SOMETHING_NEW' },
      }),
    )

    expect(verdicts).toEqual(unknown)
  })
})

describe('the verdict for the triage', () => {
  it.each<[string, Partial<Verdicts>]>([
    ['virus', { virus: 'fail', spam: 'fail', dmarc: 'fail' }],
    ['spam', { spam: 'fail', dmarc: 'fail' }],
    ['forged', { dmarc: 'fail' }],
  ])('the worst leads: %s', (verdict, changes) => {
    expect(triageVerdict({ ...good, ...changes })).toBe(verdict)
    expect(triageVerdict({ ...unknown, ...changes })).toBe(verdict)
  })

  it('is unknown without a check, and passed without a finding', () => {
    expect(triageVerdict(null)).toBe('unknown')
    expect(triageVerdict(unknown)).toBe('unknown')
    expect(triageVerdict({ ...unknown, spf: 'pass', dkim: 'pass' })).toBe('unknown')
    expect(triageVerdict(good)).toBe('passed')
    expect(triageVerdict({ ...good, spam: 'gray', dmarc: 'gray' })).toBe('passed')
  })

  it('is forged if neither SPF nor DKIM passed, unless DMARC passed', () => {
    const neither = { spf: 'fail', dkim: 'fail' } as const

    expect(triageVerdict({ ...unknown, ...neither })).toBe('forged')
    expect(triageVerdict({ ...good, ...neither, dmarc: 'gray' })).toBe('forged')
    expect(triageVerdict({ ...good, ...neither })).toBe('passed')
  })

  it('is forged if SPF failed and there is no signature, or none was checked', () => {
    expect(triageVerdict({ ...unknown, spf: 'fail' })).toBe('forged')
    expect(triageVerdict({ ...good, spf: 'fail', dkim: 'gray', dmarc: 'gray' })).toBe('forged')
    expect(triageVerdict({ ...good, spf: 'fail', dmarc: 'gray' })).toBe('passed')
    expect(triageVerdict({ ...unknown, spf: 'gray' })).toBe('unknown')
  })

  it('is passed for forwarded mail, which fails SPF or DKIM but not DMARC', () => {
    expect(triageVerdict({ ...good, spf: 'fail' })).toBe('passed')
    expect(triageVerdict({ ...good, dkim: 'fail' })).toBe('passed')
  })
})
