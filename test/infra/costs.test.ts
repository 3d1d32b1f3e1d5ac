import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { StackPurpose } from '#infra/stage.ts'
import { synthesise } from './synthesis.ts'

const { resources } = synthesise()
const purposes: StackPurpose[] = ['storage', 'api', 'work', 'watch']
const inProd = (type: string) => purposes.flatMap((purpose) => resources('prod', purpose, type))

test('the fixed costs that the README reckons are those of what is deployed', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, fixed = ''] = /\n(Fixed costs of a stage[\s\S]+?)\n\n/.exec(readme) ?? []

  const rules = inProd('AWS::WAFv2::WebACL').map(([, { Properties }]) => Properties.Rules.length)
  const keys = inProd('AWS::KMS::Key').length
  const metrics = inProd('AWS::CloudWatch::Alarm').reduce(
    (sum, [, { Properties }]) =>
      sum + (Properties.Metrics?.filter((one: { MetricStat?: object }) => one.MetricStat).length ?? 1),
    0,
  )
  const dashboards = inProd('AWS::CloudWatch::Dashboard').length

  expect([rules.length, dashboards]).toEqual([1, 1])
  const firewall = 5 + Number(rules[0])
  const alarms = metrics / 10
  expect(fixed).toContain(`$${firewall} for the firewall (a web ACL at $5, ${rules[0]} rules at $1)`)
  expect(fixed).toContain(`$${keys} for ${keys} keys`)
  expect(fixed.replaceAll('\n', ' ')).toContain(`$${alarms.toFixed(2)} for alarms over ${metrics} metrics`)
  expect(fixed).toContain(`together about $${Math.round(firewall + keys + alarms + 3)}`)
})
