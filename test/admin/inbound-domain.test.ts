import { expect, test } from 'vitest'
import { checkInboundDomain } from '#infra/tools/admin/target.ts'

const stage = {
  name: 'prod',
  mail: { domain: 'mail.kanzlei.example', mailFromSubdomain: 'bounce' },
} as const

test('refuses a workspace that could not send from the mail domain of its stage, and names that domain', () => {
  expect(() => checkInboundDomain(stage, 'andere.example')).toThrow('--inbound-domain mail.kanzlei.example')
})

test('the mail domain itself is accepted, and any domain if the stage sends no mail', () => {
  expect(() => checkInboundDomain(stage, 'mail.kanzlei.example')).not.toThrow()
  expect(() => checkInboundDomain({ name: 'dev', mail: undefined }, 'andere.example')).not.toThrow()
})
